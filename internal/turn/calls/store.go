// Package calls keeps the calls of tools: what people say to them, background tasks, and commands that are to be killed.
package calls

import (
	"xbot/internal/pg"
)

// Store keeps the calls of tools: what people say to them, background tasks, and commands that are to be killed. It is safe for concurrent use.
type Store struct {
	db *pg.DB
}

// New returns a store over the database.
func New(db *pg.DB) *Store { return &Store{db: db} }
