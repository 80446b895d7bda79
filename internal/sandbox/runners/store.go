// Package runners stores runners, their tokens, and which users want a container.
package runners

import (
	"xbot/internal/pg"
	"xbot/internal/turn/quota"
)

// Store stores runners, their tokens, and which users want a container. It is safe for concurrent use.
type Store struct {
	db    *pg.DB
	quota *quota.Quota
}

// New returns a store over the database.
func New(db *pg.DB, q *quota.Quota) *Store { return &Store{db: db, quota: q} }
