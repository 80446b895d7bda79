// Package triggerstore stores triggers and the calls that other programs make to them.
package triggerstore

import (
	"xbot/internal/pg"
)

// Store stores triggers and the calls of other programs to them. It is safe for concurrent use.
type Store struct {
	db *pg.DB
}

// New returns a store over the database.
func New(db *pg.DB) *Store { return &Store{db: db} }
