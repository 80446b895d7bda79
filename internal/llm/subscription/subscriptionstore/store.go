// Package subscriptions keeps the accounts at providers of models: those of people and the installation's.
package subscriptionstore

import (
	"xbot/internal/pg"
)

// Store keeps the accounts at providers of models. It is safe for concurrent use.
type Store struct {
	db *pg.DB
}

// New returns a store over the database.
func New(db *pg.DB) *Store { return &Store{db: db} }
