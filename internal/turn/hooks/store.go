// Package hooks stores the outcomes of hooks.
package hooks

import (
	"time"
	"xbot/internal/pg"
)

// Store keeps outcomes of hooks. It is safe for concurrent use.
type Store struct {
	db *pg.DB

	// HooksKeep is how long an outcome is kept once its turn has ended; 0: as long as the conversation. Set it before
	// hooks run.
	HooksKeep time.Duration
}

// New returns a store over the database.
func New(db *pg.DB) *Store { return &Store{db: db} }
