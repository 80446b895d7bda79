// Package subagentstore stores subagents, their tasks and reports, and group chats of agents.
package subagentstore

import (
	"xbot/internal/pg"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/quota"
)

// Store keeps subagents and group chats. It is safe for concurrent use.
type Store struct {
	db            *pg.DB
	quota         *quota.Quota
	conversations *conversation.Store
}

// New returns a store over the database.
func New(db *pg.DB, q *quota.Quota, conversations *conversation.Store) *Store {
	return &Store{db: db, quota: q, conversations: conversations}
}
