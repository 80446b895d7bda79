// Package search finds and lists messages of conversations.
package search

import (
	"time"

	"xbot/internal/pg"
)

// Store finds and lists messages of conversations. It is safe for concurrent use.
type Store struct {
	// RareHits is how many messages of all users may have the words of a search that uses the index. More frequent words are searched in the
	// messages of the user, the newest first. It is set before the store is used.
	RareHits int
	// IndexPause is how long IndexWords waits for another process that indexes, or after a failure.
	IndexPause time.Duration

	db *pg.DB
}

// New returns a store over the database.
func New(db *pg.DB) *Store { return &Store{RareHits: rareHits, IndexPause: indexPause, db: db} }
