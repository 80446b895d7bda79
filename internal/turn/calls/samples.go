package calls

import (
	"context"
	"fmt"

	"xbot/internal/chat"
	"xbot/internal/llm/usage/usagestore"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
)

// Sample returns the answer of a model to a request that an MCP server made during a call, and how many requests of the call have one.
func (s *Store) Sample(ctx context.Context, call chat.CallID, request string) (answer chat.Sample, found bool, answered int, err error) {
	rows, err := dbsqlc.Q.SampleList(ctx, s.db.Pool, call)
	if err != nil {
		return answer, false, 0, pg.Classify(fmt.Errorf("read what models answered during call %s: %w", call, err))
	}
	for _, r := range rows {
		if r.Request == request {
			answer, found = chat.Sample{Request: r.Request, Model: r.Model, Text: r.Answer, Finish: r.Finish}, true
		}
	}
	return answer, found, len(rows), nil
}

// KeepSample stores the answer of a model to a request of an MCP server during a call, and books its usage on the user of the session. A
// later answer to the same request does not replace it.
func (s *Store) KeepSample(ctx context.Context, key chat.SessionKey, call chat.CallID, a chat.Sample, u chat.Usage) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		err := dbsqlc.Q.SampleKeep(ctx, tx, dbsqlc.SampleKeepParams{CallID: call, Request: a.Request, Model: a.Model, Answer: chat.Clean(a.Text), Finish: a.Finish})
		if err != nil {
			return fmt.Errorf("store what a model answered during call %s: %w", call, err)
		}
		return usagestore.BookUsage(ctx, tx, key, a.Model, 1, u)
	})
}
