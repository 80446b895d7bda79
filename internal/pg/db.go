// Package pg is the base of the stores: the pool, transactions with durable events, actions after a commit, and the kinds of errors. It
// accesses only the table of the events. The stores of the modules build on it.
package pg

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"xbot/internal/chat"
	"xbot/internal/pg/dbsqlc"
)

// Feed receives the changes of each commit.
type Feed interface {
	// Append adds the durable events that a commit has added to a session.
	Append(key chat.SessionKey, events []chat.Event)
	// End reports that a turn was closed: it has no live events any more.
	End(key chat.SessionKey, turn chat.TurnID)
	// EndTask reports that a background task has ended, by the call that started it.
	EndTask(key chat.SessionKey, call chat.CallID)
	// Below reports that subagents of a conversation, or chats among them, have changed.
	Below(key chat.SessionKey)
}

// DB is the pool and the queries over it. It is safe for concurrent use.
type DB struct {
	Pool *pgxpool.Pool

	feed      Feed
	committed func(ctx context.Context, tx *Tx)
}

// New returns a DB. The caller owns the pool. feed may be nil.
func New(pool *pgxpool.Pool, feed Feed) *DB {
	return &DB{Pool: pool, feed: feed, committed: func(context.Context, *Tx) {}}
}

// OnCommit makes the DB call fn after each commit, after the feed was notified. It must be called before the DB is used.
func (d *DB) OnCommit(fn func(ctx context.Context, tx *Tx)) { d.committed = fn }

// Ping reports whether Postgres answers.
func (d *DB) Ping(ctx context.Context) error {
	if err := d.Pool.Ping(ctx); err != nil {
		return Classify(fmt.Errorf("reach Postgres: %w", err))
	}
	return nil
}

// InTx runs fn in one transaction. Events that fn emits get their sequence last, just before the commit, so that a reader never sees a larger
// sequence before a smaller one; readers are woken after the commit. The transaction begins with the first statement of fn and the events go
// with the commit, so that it takes two round trips in addition to those of fn in between.
func (d *DB) InTx(ctx context.Context, fn func(tx *Tx) error) error {
	t := &Tx{}
	if err := d.transact(ctx, t, fn); err != nil {
		return Classify(err)
	}
	for _, call := range t.After.calls {
		call()
	}
	d.notify(t)
	d.committed(ctx, t)
	return nil
}

// transact runs fn on a separate connection, and commits its changes. A connection that is still in its transaction at the end, because fn
// panicked or the rollback failed, is closed by its release.
func (d *DB) transact(ctx context.Context, t *Tx, fn func(tx *Tx) error) error {
	c, err := d.Pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	t.conn = &conn{pool: c, by: acting(ctx)}
	if err = fn(t); err == nil {
		err = t.commit(ctx)
	}
	if err != nil {
		t.rollback(ctx)
		leaveReadOnly(ctx, c, err)
	}
	return err
}

// readOnly is the code of a write that the server or its session refuses: the server is a standby, since another one is the primary now.
const readOnly = "25006"

// leaveReadOnly closes a connection on which a write was refused as read only. The pool opens another one, which finds the new primary;
// otherwise the connection would refuse all later writes, too.
func leaveReadOnly(ctx context.Context, c *pgxpool.Conn, err error) {
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Code == readOnly {
		_ = c.Conn().Close(ctx) // its release finds it closed
	}
}

// notify notifies the feed.
func (d *DB) notify(t *Tx) {
	if d.feed == nil {
		return
	}
	for key, events := range t.appended {
		d.feed.Append(key, events)
	}
	for _, key := range t.After.parents {
		d.feed.Below(key)
	}
	for _, e := range t.After.turns {
		d.feed.End(e.session, e.turn)
	}
	for _, e := range t.After.tasks {
		d.feed.EndTask(e.session, e.call)
	}
}

// Interval returns a duration as a Postgres interval.
func Interval(d time.Duration) pgtype.Interval {
	return pgtype.Interval{Microseconds: d.Microseconds(), Valid: true}
}

// DBTX runs statements: a pool, a connection or a transaction.
type DBTX = dbsqlc.DBTX
