// Package usage stores how many tokens were used, by whom and with which model.
package usagestore

import (
	"xbot/internal/pg"
)

// Store keeps how many tokens were used, and by what. It is safe for concurrent use.
type Store struct {
	db *pg.DB
}

// New returns a store over the database.
func New(db *pg.DB) *Store { return &Store{db: db} }
