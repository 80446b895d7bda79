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

// ActiveTools returns the optional tools that a conversation has used last, at most most, the newest first: in the last unused messages
// of people, or ever where that is 0.
func (s *Store) ActiveTools(ctx context.Context, key chat.SessionKey, unused, most int) ([]string, error) {
	names, err := s.db.Q.ActiveTools(ctx, s.db.Pool, dbsqlc.ActiveToolsParams{SessionKey: key, Unused: int32(unused), Most: int32(most)})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read the tools in use: %w", err))
	}
	return names, nil
}

// UseTools notes that a conversation uses tools now.
func (s *Store) UseTools(ctx context.Context, key chat.SessionKey, names ...string) error {
	err := s.db.Q.ActiveToolsUse(ctx, s.db.Pool, dbsqlc.ActiveToolsUseParams{SessionKey: key, Names: names})
	if err != nil {
		return pg.Classify(fmt.Errorf("note the tools in use: %w", err))
	}
	return nil
}

// HasToolOrPart reports whether a conversation has used a tool, or its system prompt has a part that says something, as it was made last.
func (s *Store) HasToolOrPart(ctx context.Context, key chat.SessionKey, tool, part string) (bool, error) {
	has, err := s.db.Q.ActiveToolsOrPart(ctx, s.db.Pool, dbsqlc.ActiveToolsOrPartParams{SessionKey: key, Name: tool, Key: part})
	if err != nil {
		return false, pg.Classify(fmt.Errorf("look for what brings a tool: %w", err))
	}
	return has, nil
}
