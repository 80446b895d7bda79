// Package search finds and lists what was said in conversations.
package search

import (
	"xbot/internal/store/pg"
)

// Store finds and lists what was said in conversations. It is safe for concurrent use.
type Store struct {
	db *pg.DB
}

// New returns a store over the database.
func New(db *pg.DB) *Store { return &Store{db: db} }
