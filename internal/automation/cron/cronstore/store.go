// Package cronstore stores cron jobs and their runs, and fires jobs.
package cronstore

import (
	"xbot/internal/pg"
)

// Store stores the jobs of users, and fires them. It is safe for concurrent use.
type Store struct {
	db *pg.DB
}

// New returns a store over the database.
func New(db *pg.DB) *Store { return &Store{db: db} }
