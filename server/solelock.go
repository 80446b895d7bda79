package server

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
	// soleKey is the advisory lock of the servers that do everything.
	soleKey = 714_028
	// soleWait is how long a server that starts waits for one that is ending.
	soleWait = "1s"
	// soleRetry is the pause before a lost connection is opened again.
	soleRetry = time.Second
	// soleClose bounds the end of the connection.
	soleClose = time.Second
	// lockNotAvailable is the error of Postgres after lock_timeout.
	lockNotAvailable = "55P03"
)

// soleLock is an advisory lock in the database. Each "xbot serve" holds it while it runs, together with others. One that gets
// it exclusively at its start knows that no other one runs: open activities and connections belong to one that was killed.
type soleLock struct {
	exclusive bool // at the start

	dsn  string
	log  *slog.Logger
	conn *pgx.Conn // nil where Postgres is this server's own: then its home is locked
}

// takeSoleLock takes the lock exclusively, or else together with the servers that hold it.
func takeSoleLock(ctx context.Context, s *servers, log *slog.Logger) (*soleLock, error) {
	l := &soleLock{exclusive: s.stack != nil, dsn: s.dsn, log: log}
	if l.exclusive {
		return l, nil
	}
	var err error
	if l.conn, err = pgx.Connect(ctx, l.dsn); err == nil {
		l.exclusive, err = l.tryExclusive(ctx)
	}
	if err == nil && !l.exclusive {
		err = l.share(ctx)
	}
	if err != nil {
		l.close()
		return nil, fmt.Errorf("take the lock of servers: %w", err)
	}
	return l, nil
}

func (l *soleLock) tryExclusive(ctx context.Context) (bool, error) {
	if _, err := l.conn.Exec(ctx, "SET lock_timeout = '"+soleWait+"'"); err != nil {
		return false, err
	}
	_, err := l.conn.Exec(ctx, "SELECT pg_advisory_lock($1)", soleKey)
	if failed, ok := errors.AsType[*pgconn.PgError](err); ok && failed.Code == lockNotAvailable {
		return false, nil
	}
	return err == nil, err
}

// share lets other servers start.
func (l *soleLock) share(ctx context.Context) error {
	if _, err := l.conn.Exec(ctx, "SET lock_timeout = 0"); err != nil {
		return err
	}
	if _, err := l.conn.Exec(ctx, "SELECT pg_advisory_lock_shared($1)", soleKey); err != nil || !l.exclusive {
		return err
	}
	_, err := l.conn.Exec(ctx, "SELECT pg_advisory_unlock($1)", soleKey) // after a lost connection there is nothing to unlock
	return err
}

// run holds the lock together with others until ctx ends, also after Postgres was away.
func (l *soleLock) run(ctx context.Context) error {
	if l.conn == nil {
		return nil
	}
	err := l.share(ctx)
	for ctx.Err() == nil {
		if err == nil {
			_, err = l.conn.WaitForNotification(ctx) // none comes: it returns when the connection is lost
			continue
		}
		l.log.Debug("the lock of servers is lost, taking it again", "error", err)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(soleRetry):
			err = l.reopen(ctx)
		}
	}
	return nil
}

func (l *soleLock) reopen(ctx context.Context) error {
	l.close()
	conn, err := pgx.Connect(ctx, l.dsn)
	if err != nil {
		return err
	}
	l.conn = conn
	return l.share(ctx)
}

func (l *soleLock) close() {
	if l.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), soleClose)
	defer cancel()
	_ = l.conn.Close(ctx) // nothing is pending on it
}
