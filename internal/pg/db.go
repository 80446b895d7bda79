// Package pg is the kernel of the stores: the pool, transactions with durable events, what is done after a commit, and the
// kinds of errors. It knows no table but that of the events. The stores of the modules run on it.
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

// Feed is told after a commit what has changed.
type Feed interface {
	// Append adds the durable events that a commit has added to a session.
	Append(key chat.SessionKey, events []chat.Event)
	// End says that a turn was closed: it has no live events any more.
	End(key chat.SessionKey, turn chat.TurnID)
	// EndTask says the same of a background task, by the call that started it.
	EndTask(key chat.SessionKey, call chat.CallID)
	// Below says that subagents of a conversation, or chats among them, have changed.
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

// OnCommit has the DB call fn after each commit, after the feed was told. It must be called before the DB is used.
func (d *DB) OnCommit(fn func(ctx context.Context, tx *Tx)) { d.committed = fn }

// Ping reports whether Postgres answers.
func (d *DB) Ping(ctx context.Context) error {
	if err := d.Pool.Ping(ctx); err != nil {
		return Classify(fmt.Errorf("reach Postgres: %w", err))
	}
	return nil
}

// InTx runs fn in one transaction. Events that fn emits get their sequence last, just before the commit, so that a
// reader never sees a larger sequence before a smaller one; readers are woken after the commit. The transaction begins with the
// first statement of fn and the events go with the commit, so that it takes two round trips beside what fn asks in between.
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

// transact runs fn on a connection of its own, and commits what it did. A connection that is not out of its transaction by the end,
// because fn panicked or the rollback failed, is closed by its release.
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

// leaveReadOnly closes a connection on which a write was refused as read only. The pool opens another one, which finds the new primary; kept, the
// connection would refuse all later writes, too.
func leaveReadOnly(ctx context.Context, c *pgxpool.Conn, err error) {
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Code == readOnly {
		_ = c.Conn().Close(ctx) // its release finds it closed
	}
}

// notify tells the feed.
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

// Interval is a duration as Postgres takes it.
func Interval(d time.Duration) pgtype.Interval {
	return pgtype.Interval{Microseconds: d.Microseconds(), Valid: true}
}

// DBTX runs statements: a pool, a connection or a transaction.
type DBTX = dbsqlc.DBTX
