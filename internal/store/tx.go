package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/store/dbsqlc"
)

// tx is a transaction that collects the durable events of sessions: nearly always of one, of two where a subagent and its
// parent are concerned.
type tx struct {
	pgx.Tx
	q      *dbsqlc.Queries
	events []event
	above  []chat.SessionKey // conversations below which something went on
	ended  []endedTurn
	// endedTasks are the calls of background tasks that have ended
	endedTasks []endedTask
	touch      bool // a person wrote

	alone   bool      // nobody else takes or hands out turns meanwhile
	freed   bool      // a turn ended or waits for its provider, so that another may begin
	waited  bool      // the turn of the step waits for its provider
	granted []Waiting // who was handed a turn, or has to be woken for another reason
	late    int       // how many did not use theirs in time
	far     bool      // there is much room for more turns

	zones     []string // timezones of people who say none, the first that is known
	outbound  bool     // something is to be delivered on a platform
	committed func()   // called after the commit; may be nil
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

// emit adds a durable event of the session, written by flush in the order of emission.
func (t *tx) emit(key chat.SessionKey, kind chat.EventKind, data any) {
	t.events = append(t.events, event{key, kind, data})
}

// stir has who watches a conversation told that its subagents, or their chats, went on.
func (t *tx) stir(key chat.SessionKey) {
	if !slices.Contains(t.above, key) {
		t.above = append(t.above, key)
	}
}

// sessions are those of the events, in the order in which everybody locks them.
func (t *tx) sessions() []chat.SessionKey {
	var keys []chat.SessionKey
	for _, e := range t.events {
		if !slices.Contains(keys, e.session) {
			keys = append(keys, e.session)
		}
	}
	slices.Sort(keys)
	return keys
}

func (t *tx) flush(ctx context.Context) error {
	for _, key := range t.sessions() {
		if err := t.flushOf(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) flushOf(ctx context.Context, key chat.SessionKey) error {
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
	root, err := t.q.EventAppend(ctx, t, dbsqlc.EventAppendParams{SessionKey: key, Kinds: kinds, Datas: datas, Touch: t.touch})
	if err != nil {
		return fmt.Errorf("append events of %s: %w", key, err)
	}
	if root != "" {
		t.stir(chat.SessionKey(root))
	}
	return nil
}
