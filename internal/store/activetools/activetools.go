// Package activetools keeps which tools conversations use of those that are not always shown.
package activetools

import (
	"context"
	"fmt"

	"xbot/internal/chat"
	"xbot/internal/store/dbsqlc"
	"xbot/internal/store/pg"
)

// Store keeps the tools in use. It is safe for concurrent use.
type Store struct{ db *pg.DB }

// New returns a store over the database.
func New(db *pg.DB) *Store { return &Store{db: db} }

// ActiveTools returns the tools that a conversation has used: as recent, at most most of those used last, in the last unused messages of people,
// or ever where that is 0.
func (s *Store) ActiveTools(ctx context.Context, key chat.SessionKey, unused, most int) (chat.ToolUse, error) {
	row, err := s.db.Q.ActiveTools(ctx, s.db.Pool, dbsqlc.ActiveToolsParams{SessionKey: key, Unused: int32(unused), Most: int32(most)})
	if err != nil {
		return chat.ToolUse{}, pg.Classify(fmt.Errorf("read the tools in use: %w", err))
	}
	return chat.ToolUse{Recent: row.Recent, Used: row.Used, Parts: row.Parts}, nil
}

// UseTools notes that a conversation uses tools now.
func (s *Store) UseTools(ctx context.Context, key chat.SessionKey, names ...string) error {
	err := s.db.Q.ActiveToolsUse(ctx, s.db.Pool, dbsqlc.ActiveToolsUseParams{SessionKey: key, Names: names})
	if err != nil {
		return pg.Classify(fmt.Errorf("note the tools in use: %w", err))
	}
	return nil
}
