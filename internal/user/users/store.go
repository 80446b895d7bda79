// Package users stores users, their sign-in identities, access tokens, invitations and pairings.
package users

import (
	"xbot/internal/pg"
	"xbot/internal/turn/quota"
)

// Store keeps users, their identities on platforms, links between them, pairings, and what they permit tools to do. It is safe for concurrent use.
type Store struct {
	db    *pg.DB
	quota *quota.Quota
}

// New returns a store over the database.
func New(db *pg.DB, q *quota.Quota) *Store { return &Store{db: db, quota: q} }
