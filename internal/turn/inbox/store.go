// Package inbox stores the messages that wait for a turn.
package inbox

import (
	"xbot/internal/pg"
)

// Store keeps the messages that wait for a turn. It is safe for concurrent use.
type Store struct {
	db *pg.DB
}

// New returns a store over the database.
func New(db *pg.DB) *Store { return &Store{db: db} }
