package pg

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/store/dbsqlc"
)

// Tx is a transaction that collects the durable events of sessions, nearly always of one, and what is to be done after the
// commit.
type Tx struct {
	pgx.Tx
	Q *dbsqlc.Queries

	events  []event
	touched bool // a person wrote
	After   After
}

// After is what a transaction made possible, which the dispatcher does after the commit.
type After struct {
	Granted   []Waiting // who was given a turn, or has to be woken for another reason
	SlotFreed bool      // a turn ended or waits for its provider, so that another may begin
	Outbound  bool      // something is to be delivered on a platform

	parents []chat.SessionKey // conversations below which something went on
	turns   []endedTurn
	tasks   []endedTask
	calls   []func()
}

// Waiting is an inbox row that waits for a turn.
type Waiting struct {
	Inbox   chat.InboxID
	Session chat.SessionKey
	User    chat.UserID
	Channel string
	Text    string
	Group   chat.GroupID // a group chat that goes on, and no session; empty otherwise
	// Agent is the subagent that a session was which is gone; nil: the receiver looks.
	Agent *chat.SubagentRef
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

// Touch notes that a person wrote.
func (t *Tx) Touch() { t.touched = true }

// Wake has the workflow of a session or of a group chat woken after the commit.
func (t *Tx) Wake(w Waiting) { t.After.Granted = append(t.After.Granted, w) }

// EndTurn has the readers of a session told after the commit that the turn was closed. Its slot is free.
func (t *Tx) EndTurn(key chat.SessionKey, turn chat.TurnID) {
	t.After.turns, t.After.SlotFreed = append(t.After.turns, endedTurn{key, turn}), true
}

// EndTask has the readers of a session told after the commit that the background task of the call has ended.
func (t *Tx) EndTask(key chat.SessionKey, call chat.CallID) {
	t.After.tasks = append(t.After.tasks, endedTask{key, call})
}

// NotifyParent has the readers of a conversation told after the commit that its subagents, or their chats, went on.
func (t *Tx) NotifyParent(key chat.SessionKey) {
	if !slices.Contains(t.After.parents, key) {
		t.After.parents = append(t.After.parents, key)
	}
}

// AfterCommit has fn called after the commit, before anybody is told.
func (t *Tx) AfterCommit(fn func()) { t.After.calls = append(t.After.calls, fn) }

// Sessions are those of the events, in the order in which every transaction locks them.
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

func (t *Tx) flush(ctx context.Context) error {
	for _, key := range t.Sessions() {
		if err := t.flushOf(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tx) flushOf(ctx context.Context, key chat.SessionKey) error {
	var kinds, datas []string
	for _, e := range t.events {
		if e.session != key {
			continue
		}
		data, err := json.Marshal(e.data)
		if err != nil {
			return fmt.Errorf("encode %s event: %w", e.kind, err)
		}
		kinds, datas = append(kinds, string(e.kind)), append(datas, string(data))
	}
	root, err := t.Q.EventAppend(ctx, t, dbsqlc.EventAppendParams{SessionKey: key, Kinds: kinds, Datas: datas, Touch: t.touched})
	if err != nil {
		return fmt.Errorf("append events of %s: %w", key, err)
	}
	if root != "" {
		t.NotifyParent(chat.SessionKey(root))
	}
	return nil
}
