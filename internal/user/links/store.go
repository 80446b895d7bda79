// Package links joins the users of one person: when a person links an identity on a platform to another user, its
// conversations and memory move along, and when they unlink it, its conversations do. The policy links ids under a name
// (identityLinks).
package links

import "xbot/internal/pg"

// Store stores the codes that link users, and joins users. It is safe for concurrent use.
type Store struct {
	db *pg.DB
}

// New returns a store over the database.
func New(db *pg.DB) *Store { return &Store{db: db} }
