// Package search finds and lists what was said in conversations.
package search

import (
	"time"

	"xbot/internal/pg"
)

// Store finds and lists what was said in conversations. It is safe for concurrent use.
type Store struct {
	// RareHits is how many messages of all people may have the words of a search that the index looks up. Words of more messages are looked for in the
	// messages of the person, the newest first. It is set before the store is used.
	RareHits int
	// IndexPause is how long IndexWords waits for another process that indexes, or after a failure.
	IndexPause time.Duration

	db *pg.DB
}

// New returns a store over the database.
func New(db *pg.DB) *Store { return &Store{RareHits: rareHits, IndexPause: indexPause, db: db} }
