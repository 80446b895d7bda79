// Package accountstore stores bot accounts: their settings, which process holds their connection, and their state.
package accountstore

import (
	"xbot/internal/pg"
)

// Store stores the accounts of bots on platforms: their settings, the holder of their connection, and their state. It is safe for concurrent use.
type Store struct {
	db *pg.DB
}

// New returns a store over the database.
func New(db *pg.DB) *Store { return &Store{db: db} }
