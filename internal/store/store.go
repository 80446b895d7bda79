// Package store keeps what people wrote and read in Postgres. It owns the transactions that make the product's
// promises: accept, claim, step, call, finish. Queries are compiled by sqlc into dbsqlc, which only this package imports.
package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm/limits"
	"xbot/internal/store/dbsqlc"
)

// Feed is told, after a commit, what it made true.
type Feed interface {
	// Wake says that a session has new durable events.
	Wake(key chat.SessionKey)
	// End says that a turn was closed: nothing of it is live any more.
	End(key chat.SessionKey, turn chat.TurnID)
	// EndTask says the same of a background task, by the call that started it.
	EndTask(key chat.SessionKey, call chat.CallID)
	// Below says that subagents of a conversation, or chats among them, went on.
	Below(key chat.SessionKey)
}

// Store is the repositories over one pool. It is safe for concurrent use.
type Store struct {
	pool *pgxpool.Pool
	q    *dbsqlc.Queries
	feed Feed

	// Limits says how much the models take that sessions are shown with; set it before the store is used. The zero value
	// is what is known of models by their names.
	Limits limits.Table

	// Policies says how much may run at once; nil is the defaults. Line is told who was handed a turn; nil where nobody is
	// to be woken. Set them before the store is used.
	Policies Policies
	Line     Line
	// ServerZone is the timezone in which people read times whose profile, and the policy, name none; empty is UTC. Set it before
	// the store is used.
	ServerZone string
	// Courier is told that something is to be delivered; nil where the relay is soon enough.
	Courier interface{ Outbound(key chat.SessionKey) }

	// HooksKeep is how long what hooks said is kept once its turn has ended; 0: as long as the conversation. Set it before
	// hooks are asked.
	HooksKeep time.Duration

	zone       atomic.Pointer[string] // timezone that the policy names, as it was read last
	lastPrompt atomic.Value           // [sha256.Size]byte of the prompt that was committed last
	lately     lately                 // prompts that a crash of Postgres may forget
	crowded    atomic.Bool            // the last claim found nearly as many turns as there may be
}

// New returns a store. The caller owns the pool. feed may be nil where nobody listens.
func New(pool *pgxpool.Pool, feed Feed) *Store {
	return &Store{pool: pool, q: dbsqlc.New(), feed: feed}
}

// Ping reports whether Postgres answers.
func (s *Store) Ping(ctx context.Context) error {
	if err := s.pool.Ping(ctx); err != nil {
		return classify(fmt.Errorf("reach Postgres: %w", err))
	}
	return nil
}

// inTx runs fn in one transaction. Events that fn emits get their sequence last, just before the commit, so that a
// reader never sees a larger sequence before a smaller one; readers are woken after the commit.
func (s *Store) inTx(ctx context.Context, fn func(tx *tx) error) error {
	t := &tx{q: s.q, zones: s.zones()}
	err := pgx.BeginFunc(ctx, s.pool, func(db pgx.Tx) error {
		t.Tx = db
		if err := fn(t); err != nil {
			return err
		}
		return t.flush(ctx)
	})
	if err != nil {
		return classify(err)
	}
	if t.committed != nil {
		t.committed()
	}
	s.tell(t)
	if t.outbound && s.Courier != nil {
		for _, key := range t.sessions() {
			s.Courier.Outbound(key)
		}
	}
	s.passOn(ctx, t)
	return nil
}

func (s *Store) tell(t *tx) {
	if s.feed == nil {
		return
	}
	for _, key := range t.sessions() {
		s.feed.Wake(key)
	}
	for _, key := range t.above {
		s.feed.Below(key)
	}
	for _, e := range t.ended {
		s.feed.End(e.session, e.turn)
	}
	for _, e := range t.endedTasks {
		s.feed.EndTask(e.session, e.call)
	}
}

// classify gives an error of the driver its kind: what Postgres refuses because of our data is a bug or bad input,
// all else is Postgres being away.
func classify(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return fault.Errorf(fault.NotFound, "%w", err)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch pg.Code[:2] {
		case "22": // data exception
			return fault.Errorf(fault.Invalid, "%w", err)
		case "23", "42", "0A": // constraint, syntax, unsupported
			return fault.Errorf(fault.Internal, "%w", err)
		}
	}
	return fault.Errorf(fault.Unavailable, "%w", err)
}

// Clean makes text storable: valid UTF-8 without NUL, which Postgres cannot hold.
func Clean(text string) string {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	return strings.ReplaceAll(text, "\x00", "")
}
