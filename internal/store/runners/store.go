// Package runners keeps runners, their tokens, and who wants a container.
package runners

import (
	"xbot/internal/store/pg"
)

// Store keeps runners, their tokens, and who wants a container. It is safe for concurrent use.
type Store struct {
	db *pg.DB
}

// New returns a store over the database.
func New(db *pg.DB) *Store { return &Store{db: db} }
