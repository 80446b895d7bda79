// Package secretstore stores which keys sealed the secrets in the database, and seals them again when the key changes.
package secretstore

import (
	"xbot/internal/pg"
)

// Store stores the sealed secrets, and which keys sealed them. It is safe for concurrent use.
type Store struct {
	db *pg.DB
}

// New returns a store over the database.
func New(db *pg.DB) *Store { return &Store{db: db} }
