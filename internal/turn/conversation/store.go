// Package conversation stores transcripts, the models' views of them, and the sessions that they belong to.
package conversation

import (
	"xbot/internal/llm/limits"
	"xbot/internal/pg"
	"xbot/internal/turn/quota"
)

// Store keeps transcripts, the models' views of them, and their sessions. It is safe for concurrent use.
type Store struct {
	db     *pg.DB
	quota  *quota.Quota
	limits *limits.Table
}

// New returns a store over the database.
func New(db *pg.DB, q *quota.Quota, models *limits.Table) *Store {
	return &Store{db: db, quota: q, limits: models}
}
