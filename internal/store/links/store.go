// Package links joins the users of one person: who links an identity on a platform to another user brings what was said and
// remembered there along.
package links

import "xbot/internal/store/pg"

// Store keeps the codes that link users, and joins users. It is safe for concurrent use.
type Store struct {
	db *pg.DB
}

// New returns a store over the database.
func New(db *pg.DB) *Store { return &Store{db: db} }
