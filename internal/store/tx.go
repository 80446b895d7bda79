package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/store/dbsqlc"
)

// tx is a transaction that collects the durable events of one session.
type tx struct {
	pgx.Tx
	q       *dbsqlc.Queries
	session chat.SessionKey
	events  []event
	ended   []chat.TurnID
	// endedTasks are the calls of background tasks that have ended
	endedTasks []chat.CallID
	touch      bool // a person wrote

	alone   bool      // nobody else takes or hands out turns meanwhile
	freed   bool      // a turn ended, so that another may begin
	granted []Waiting // who was handed a turn
	late    int       // how many did not use theirs in time
	far     bool      // there is much room for more turns

	outbound  bool   // something is to be delivered on a platform
	committed func() // called after the commit; may be nil
}

type event struct {
	kind chat.EventKind
	data any
}

// emit adds a durable event of the session, written by flush in the order of emission.
func (t *tx) emit(key chat.SessionKey, kind chat.EventKind, data any) {
	t.session = key
	t.events = append(t.events, event{kind, data})
}

func (t *tx) flush(ctx context.Context) error {
	if len(t.events) == 0 {
		return nil
	}
	kinds, datas := make([]string, len(t.events)), make([]string, len(t.events))
	for i, e := range t.events {
		data, err := json.Marshal(e.data)
		if err != nil {
			return fmt.Errorf("encode %s event: %w", e.kind, err)
		}
		kinds[i], datas[i] = string(e.kind), string(data)
	}
	_, err := t.q.EventAppend(ctx, t, dbsqlc.EventAppendParams{SessionKey: t.session, Kinds: kinds, Datas: datas, Touch: t.touch})
	if err != nil {
		return fmt.Errorf("append events of %s: %w", t.session, err)
	}
	return nil
}
