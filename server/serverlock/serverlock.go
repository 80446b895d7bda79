// Package serverlock implements the lock by which an "xbot serve" on a given database learns whether another one runs on it.
package serverlock

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// Key is the advisory lock in the database.
	Key = 714_028
	// endWait bounds the wait of a server that starts for one that is ending.
	endWait = "1s"
	// retryDelay is the pause before a lost connection is opened again.
	retryDelay = time.Second
	// closeTimeout bounds the end of the connection.
	closeTimeout = time.Second
	// lockNotAvailable is the error code of Postgres after lock_timeout.
	lockNotAvailable = "55P03"
)

// Lock is an advisory lock on a database. Each server holds it while it runs, shared with the others. One that gets it exclusively
// at its start is the only server: activities and connections of another one belong to one that was killed. Postgres releases the
// lock of a process that is killed.
//
// The zero value with Exclusive set is the lock of a server with a local Postgres, whose data folder is locked.
type Lock struct {
	// Exclusive reports whether no other server ran at the start of this one.
	Exclusive bool

	dsn  string
	log  *slog.Logger
	conn *pgx.Conn
}

// Take takes the lock exclusively, or shares it with the servers that hold it. Other servers wait in Take until Run shares it.
func Take(ctx context.Context, dsn string, log *slog.Logger) (*Lock, error) {
	l := &Lock{dsn: dsn, log: log}
	var err error
	if l.conn, err = pgx.Connect(ctx, dsn); err == nil {
		l.Exclusive, err = l.tryExclusive(ctx)
	}
	if err == nil && !l.Exclusive {
		err = l.share(ctx)
	}
	if err != nil {
		l.Close()
		return nil, fmt.Errorf("take the lock of servers: %w", err)
	}
	return l, nil
}

func (l *Lock) tryExclusive(ctx context.Context) (bool, error) {
	if _, err := l.conn.Exec(ctx, "SET lock_timeout = '"+endWait+"'"); err != nil {
		return false, err
	}
	_, err := l.conn.Exec(ctx, "SELECT pg_advisory_lock($1)", Key)
	if failed, ok := errors.AsType[*pgconn.PgError](err); ok && failed.Code == lockNotAvailable {
		return false, nil
	}
	return err == nil, err
}

func (l *Lock) share(ctx context.Context) error {
	if _, err := l.conn.Exec(ctx, "SET lock_timeout = 0"); err != nil {
		return err
	}
	if _, err := l.conn.Exec(ctx, "SELECT pg_advisory_lock_shared($1)", Key); err != nil || !l.Exclusive {
		return err
	}
	_, err := l.conn.Exec(ctx, "SELECT pg_advisory_unlock($1)", Key) // after a lost connection there is nothing to unlock
	return err
}

// Run shares the lock until ctx ends, and again after a lost connection. The server has given up the activities of the killed one
// before.
func (l *Lock) Run(ctx context.Context) error {
	if l.conn == nil {
		return nil
	}
	err := l.share(ctx)
	for ctx.Err() == nil {
		if err == nil {
			_, err = l.conn.WaitForNotification(ctx) // there is none: it returns when the connection is lost
			continue
		}
		l.log.Debug("lock of servers lost", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(retryDelay):
			err = l.reopen(ctx)
		}
	}
	return nil
}

func (l *Lock) reopen(ctx context.Context) error {
	l.Close()
	conn, err := pgx.Connect(ctx, l.dsn)
	if err != nil {
		return err
	}
	l.conn = conn
	return l.share(ctx)
}

// Close releases the lock.
func (l *Lock) Close() {
	if l.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	_ = l.conn.Close(ctx) // nothing is pending on it
}
