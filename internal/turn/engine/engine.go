// Package engine runs the transactions of turns: accept, claim, step, call, finish. They make the promises of the product: each accepted
// message is answered once, and no command is lost or run twice.
package engine

import (
	"context"
	"sync/atomic"

	"xbot/internal/automation/cron/cronstore"
	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/turn/calls"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/groupmessages"
	"xbot/internal/turn/quota"
	"xbot/internal/turn/subagents/subagentstore"
	"xbot/internal/user/users"
)

// Wakes wakes the workflows of rows that were just committed, without blocking. The relay repeats failed wakes.
type Wakes interface{ Wake(wakes ...chat.Wake) }

// Traces exports traces of turns that have ended.
type Traces interface {
	// Targets returns the targets that the environment of the process configures.
	Targets() []string
	// Wake reports, without blocking, that an export may be due.
	Wake()
}

// NoTraces is Traces without targets in the environment and without an exporter in the process.
type NoTraces struct{}

// Targets implements Traces.
func (NoTraces) Targets() []string { return []string{} }

// Wake implements Traces.
func (NoTraces) Wake() {}

// Stores are the stores of the modules that take part in turns.
type Stores struct {
	Agents        *subagentstore.Store
	Calls         *calls.Store
	Conversations *conversation.Store
	Cron          *cronstore.Store
	GroupMessages *groupmessages.Store
	Quota         *quota.Quota
	Users         *users.Store
}

// Store has the transactions of turns. It is safe for concurrent use.
type Store struct {
	stores Stores
	db     *pg.DB
	wakes  Wakes // nil: the relay wakes workflows
	traces Traces

	lastPrompt atomic.Value  // [sha256.Size]byte of the prompt that was committed last
	lately     recentPrompts // prompts that a crash of Postgres may lose
	crowded    atomic.Bool   // the last claim found nearly as many turns as there may be
}

// New returns a store that wakes workflows and the exporter of traces after each commit to db. wakes may be nil.
func New(db *pg.DB, stores Stores, wakes Wakes, traces Traces) *Store {
	s := &Store{stores: stores, db: db, wakes: wakes, traces: traces}
	db.OnCommit(s.committed)
	return s
}

// committed wakes workflows after a commit, and grants the slot of a turn that has ended. That is no part of the transaction, so that it
// sees sessions that were queued in the meantime.
func (s *Store) committed(ctx context.Context, tx *pg.Tx) {
	if len(tx.After.Wakes) > 0 && s.wakes != nil {
		s.wakes.Wake(tx.After.Wakes...)
	}
	if tx.After.SlotFreed {
		_, _ = s.GrantTurns(ctx) // the relay does it again within a second
	}
}
