// Package activetools records which of the tools that are not always shown are used by conversations.
package activetools

import (
	"context"
	"fmt"
	"slices"

	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
)

// Store stores the tools in use. It is safe for concurrent use.
type Store struct{ db *pg.DB }

// New returns a store over the database.
func New(db *pg.DB) *Store { return &Store{db: db} }

// ActiveTools returns the optional tools of a conversation. Recent has at most most of them, the last used: within the last unused messages
// of users, or at any time if unused is 0.
func (s *Store) ActiveTools(ctx context.Context, key chat.SessionKey, unused, most int) (chat.ToolUse, error) {
	row, err := dbsqlc.Q.ActiveTools(ctx, s.db.Pool, key)
	if err != nil {
		return chat.ToolUse{}, pg.Classify(fmt.Errorf("read the tools in use: %w", err))
	}
	use := chat.ToolUse{Recent: row.Used, Used: row.Used, Parts: row.Parts}
	if unused > 0 && len(row.Used) > 0 {
		since, err := dbsqlc.Q.ActiveToolsSince(ctx, s.db.Pool, dbsqlc.ActiveToolsSinceParams{SessionKey: key, Others: int32(unused)})
		if err != nil {
			return chat.ToolUse{}, pg.Classify(fmt.Errorf("find the oldest message for tools in use: %w", err))
		}
		if expired := slices.IndexFunc(row.Messages, func(id int64) bool { return id < since }); expired >= 0 {
			use.Recent = row.Used[:expired]
		}
	}
	use.Recent = slices.Clip(use.Recent[:min(len(use.Recent), most)]) // it shares the array of Used
	return use, nil
}

// UseTools records that a conversation uses tools now.
func (s *Store) UseTools(ctx context.Context, key chat.SessionKey, names ...string) error {
	err := dbsqlc.Q.ActiveToolsUse(ctx, s.db.Pool, dbsqlc.ActiveToolsUseParams{SessionKey: key, Names: names})
	if err != nil {
		return pg.Classify(fmt.Errorf("note the tools in use: %w", err))
	}
	return nil
}
