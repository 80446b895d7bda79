// Package modelrefusals stores what model providers have refused of the requests of conversations: tools, and requests that are too long.
package modelrefusals

import (
	"context"
	"fmt"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/llm/dbsqlc"
	"xbot/internal/pg"
	"xbot/internal/turn/conversation"
)

// Store keeps refusals. conversation.Store.Window reads them. It is safe for concurrent use.
type Store struct{ db *pg.DB }

// New returns a store over the database.
func New(db *pg.DB) *Store { return &Store{db: db} }

// RecordRefusedTools records tools that a provider has refused in a step, and appends a notice in the same transaction; nil: no notice. added is
// false, and there is no notice, if all of them are known with these definitions or the turn does not run any more.
func (s *Store) RecordRefusedTools(ctx context.Context, step chat.Step, tools []chat.RefusedTool, say func(i18n.Lang) string) (added bool, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		added = false
		for _, t := range tools {
			n, err := dbsqlc.Q.RefusedToolAdd(ctx, tx, dbsqlc.RefusedToolAddParams{
				TurnID: step.Turn, SessionKey: step.Session, Model: t.Model, Tool: t.Tool, Digest: t.Digest, Reason: chat.Clean(t.Reason),
			})
			if err != nil {
				return fmt.Errorf("record the refused tool %s: %w", t.Tool, err)
			}
			added = added || n > 0
		}
		if !added || say == nil {
			return nil
		}
		lang, err := conversation.LangOfTurn(ctx, tx, step.Turn)
		if err != nil {
			return err
		}
		return conversation.AppendNotice(ctx, tx, step.Session, step.Turn, chat.Clean(say(lang)))
	})
	return added && err == nil, err
}

// RecordRefusedRequest records the request of a conversation that a provider has refused last as too long.
func (s *Store) RecordRefusedRequest(ctx context.Context, key chat.SessionKey, r chat.RefusedRequest) error {
	err := dbsqlc.Q.RefusedRequestSet(ctx, s.db.Pool, dbsqlc.RefusedRequestSetParams{
		SessionKey: key, Model: r.Model, WindowSize: int32(r.Window), RequestHash: r.Hash,
	})
	if err != nil {
		return pg.Classify(fmt.Errorf("record the refused request: %w", err))
	}
	return nil
}
