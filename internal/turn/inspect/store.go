// Package inspect reads conversations of all users for operators.
package inspect

import (
	"xbot/internal/llm/limits"
	"xbot/internal/pg"
)

// Store reads conversations of all users for operators. It is safe for concurrent use.
type Store struct {
	db     *pg.DB
	limits *limits.Table
}

// New returns a store over the database.
func New(db *pg.DB, models *limits.Table) *Store { return &Store{db: db, limits: models} }
