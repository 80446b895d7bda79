// Package settings keeps what users chose, their models, and the versions of the policy.
package settings

import (
	"xbot/internal/pg"
)

// Store keeps what users chose, their models, and the versions of the policy. It is safe for concurrent use.
type Store struct {
	db *pg.DB
}

// New returns a store over the database.
func New(db *pg.DB) *Store { return &Store{db: db} }
