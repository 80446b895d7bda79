package pg

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"xbot/internal/chat"
	"xbot/internal/pg/dbsqlc"
)

// Tx is a transaction that collects the durable events of sessions, nearly always of one, and the actions after the commit.
type Tx struct {
	*conn

	events   []event
	appended map[chat.SessionKey][]chat.Event // after the commit
	touched  bool                             // a user wrote
	spoken   bool                             // to the agent
	After    After
}

// After is the work of the dispatcher after the commit of a transaction.
type After struct {
	Wakes     []chat.Wake // of workflows, each once
	SlotFreed bool        // a turn has ended or waits for its provider, so that another one may begin

	parents []chat.SessionKey // conversations whose subagents, or their chats, have changed
	turns   []endedTurn
	tasks   []endedTask
	calls   []func()
}

type event struct {
	session chat.SessionKey
	kind    chat.EventKind
	data    any
}

type endedTurn struct {
	session chat.SessionKey
	turn    chat.TurnID
}

type endedTask struct {
	session chat.SessionKey
	call    chat.CallID
}

// Emit adds a durable event of the session. The events are written before the commit, in the order of emission.
func (t *Tx) Emit(key chat.SessionKey, kind chat.EventKind, data any) {
	t.events = append(t.events, event{key, kind, data})
}

// LockName locks a name until the end of the transaction: of several transactions that create an entry of that name, each waits for the one
// before.
func (t *Tx) LockName(ctx context.Context, name string) error { return dbsqlc.Q.LockName(ctx, t, name) }

// NotifyAccess notifies every process with the commit that logins, tokens or runners may not be valid any more.
func (t *Tx) NotifyAccess(ctx context.Context) error { return dbsqlc.Q.AccessChanged(ctx, t) }

// Touch records that a user wrote.
func (t *Tx) Touch() { t.touched = true }

// Speak records that a user wrote to the agent, which brings the conversation back into the list if it was archived.
func (t *Tx) Speak() { t.touched, t.spoken = true, true }

// Wake wakes a workflow after the commit. The wake is not part of the transaction: if the process dies before it, the relay
// finds the rows that the workflow has to act on.
func (t *Tx) Wake(w chat.Wake) {
	for i, known := range t.After.Wakes {
		if known.Kind == w.Kind && known.ID == w.ID {
			t.After.Wakes[i].Agent = cmp.Or(known.Agent, w.Agent)
			return
		}
	}
	t.After.Wakes = append(t.After.Wakes, w)
}

// WakeDeliver wakes the Deliver workflow of a session after the commit.
func (t *Tx) WakeDeliver(key chat.SessionKey) {
	t.Wake(chat.Wake{Kind: chat.WakeDeliver, ID: string(key)})
}

// WakeTurn wakes the turn of a session after the commit. If the wake starts a run, operators see channel and why there.
func (t *Tx) WakeTurn(key chat.SessionKey, channel, why string) {
	t.Wake(chat.Wake{Kind: chat.WakeTurn, ID: string(key), Channel: channel, Text: why})
}

// WakeJob wakes the workflow of a cron job after the commit.
func (t *Tx) WakeJob(id chat.JobID) { t.Wake(chat.Wake{Kind: chat.WakeJob, ID: string(id)}) }

// WakeTrack wakes the queue of the runs of services' jobs after the commit.
func (t *Tx) WakeTrack() { t.Wake(chat.Wake{Kind: chat.WakeTrack, ID: chat.TrackID}) }

// WakeGroup wakes the workflow of a group chat after the commit.
func (t *Tx) WakeGroup(id chat.GroupID) { t.Wake(chat.Wake{Kind: chat.WakeGroup, ID: string(id)}) }

// EndTurn notifies the readers of a session after the commit that the turn was closed. Its slot is free then.
func (t *Tx) EndTurn(key chat.SessionKey, turn chat.TurnID) {
	t.After.turns, t.After.SlotFreed = append(t.After.turns, endedTurn{key, turn}), true
}

// EndTask notifies the readers of a session after the commit that the background task of the call has ended.
func (t *Tx) EndTask(key chat.SessionKey, call chat.CallID) {
	t.After.tasks = append(t.After.tasks, endedTask{key, call})
}

// NotifyParent notifies the readers of a conversation after the commit that its subagents, or their chats, have changed.
func (t *Tx) NotifyParent(key chat.SessionKey) {
	if !slices.Contains(t.After.parents, key) {
		t.After.parents = append(t.After.parents, key)
	}
}

// AfterCommit calls fn after the commit, before readers and workflows are notified.
func (t *Tx) AfterCommit(fn func()) { t.After.calls = append(t.After.calls, fn) }

// Sessions returns the sessions of the events, in the order in which every transaction locks them.
func (t *Tx) Sessions() []chat.SessionKey {
	var keys []chat.SessionKey
	for _, e := range t.events {
		if !slices.Contains(keys, e.session) {
			keys = append(keys, e.session)
		}
	}
	slices.Sort(keys)
	return keys
}

// commit writes the events and commits, in one round trip.
func (t *Tx) commit(ctx context.Context) error {
	keys := t.Sessions()
	if !t.begun && len(keys) == 0 {
		return nil
	}
	batch := &pgx.Batch{}
	if !t.begun {
		batch.Queue("begin")
	}
	t.appended = map[chat.SessionKey][]chat.Event{}
	for _, key := range keys {
		p, err := t.eventsOf(key)
		if err != nil {
			return err
		}
		queue(batch, func(db dbsqlc.DBTX) { _, _ = dbsqlc.Q.EventAppend(ctx, db, p) }) // its result is read below
	}
	batch.Queue("commit")
	results := t.pool.SendBatch(ctx, batch)
	err := t.committed(results, keys)
	if closed := results.Close(); err == nil {
		err = closed
	}
	return err
}

// committed reads the results of the statements of commit.
func (t *Tx) committed(results pgx.BatchResults, keys []chat.SessionKey) error {
	if !t.begun {
		if _, err := results.Exec(); err != nil {
			return fmt.Errorf("begin: %w", err)
		}
	}
	for _, key := range keys {
		var root string
		var last int64
		if err := results.QueryRow().Scan(&root, &last); err != nil {
			return fmt.Errorf("append events of %s: %w", key, noSession(err))
		}
		for i, events := 0, t.appended[key]; i < len(events); i++ {
			events[i].Seq = last - int64(len(events)-1-i)
		}
		if root != "" {
			t.NotifyParent(chat.SessionKey(root))
		}
	}
	tag, err := results.Exec()
	if err == nil && tag.String() == "ROLLBACK" {
		err = pgx.ErrTxCommitRollback
	}
	return err
}

// noSession returns the driver's error for no rows if the session of an event is gone.
func noSession(err error) error {
	if violated, ok := errors.AsType[*pgconn.PgError](err); ok && violated.ConstraintName == "feed_events_session_key_fkey" {
		return pgx.ErrNoRows
	}
	return err
}

// eventsOf returns the events of a session, in their order.
func (t *Tx) eventsOf(key chat.SessionKey) (dbsqlc.EventAppendParams, error) {
	p := dbsqlc.EventAppendParams{SessionKey: key, Touch: t.touched, Spoken: t.spoken}
	for _, e := range t.events {
		if e.session != key {
			continue
		}
		data, err := json.Marshal(e.data)
		if err != nil {
			return p, fmt.Errorf("encode %s event: %w", e.kind, err)
		}
		p.Kinds, p.Datas = append(p.Kinds, string(e.kind)), append(p.Datas, string(data))
		t.appended[key] = append(t.appended[key], chat.Event{Kind: e.kind, Data: data})
	}
	return p, nil
}
