// Package delivery stores deliveries on platforms: answers, questions, and progress cards.
package delivery

import (
	"xbot/internal/pg"
	"xbot/internal/turn/calls"
	"xbot/internal/turn/conversation"
)

// Store stores deliveries on platforms: answers, questions, and progress cards. It is safe for concurrent use.
type Store struct {
	db            *pg.DB
	calls         *calls.Store
	conversations *conversation.Store
}

// New returns a store over the database.
func New(db *pg.DB, c *calls.Store, conversations *conversation.Store) *Store {
	return &Store{db: db, calls: c, conversations: conversations}
}
