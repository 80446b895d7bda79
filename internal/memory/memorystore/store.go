// Package memorystore stores memory: blocks, the archive, notes, personas and profiles.
package memorystore

import (
	"xbot/internal/pg"
	"xbot/internal/turn/quota"
)

// Store stores what agents remember of users: blocks, the archive, notes, soul files, and profiles. It is safe for concurrent use.
type Store struct {
	db    *pg.DB
	quota *quota.Quota
}

// New returns a store over the database.
func New(db *pg.DB, q *quota.Quota) *Store { return &Store{db: db, quota: q} }
