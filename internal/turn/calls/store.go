// Package calls stores tool calls: users' answers to them, background tasks, and commands to be killed.
package calls

import (
	"xbot/internal/pg"
)

// Store keeps tool calls: users' answers to them, background tasks, and commands to be killed. It is safe for concurrent use.
type Store struct {
	db *pg.DB
}

// New returns a store over the database.
func New(db *pg.DB) *Store { return &Store{db: db} }
