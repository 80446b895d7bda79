package main

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// Postgres writes what a transaction commits in the order of the commits: whoever waits for the disk waits for everything
// that was committed before. So a write needs no wait of its own if it matters only together with a later one that waits.
// Each wait is a flush of the disk, and these are more than half of those of a turn. Two kinds of writes are such:
//
//   - Events of a workflow. The server appends them first, in a transaction of their own, and then moves the workflow on to
//     them. Until then nobody reads them, and after a crash between the two they are appended anew.
//   - Rows of the visibility store. The task that wrote one is kept in the main store, of the same Postgres, until a later
//     write there says that it is done. After a crash before that it is done anew.
const (
	lazily      = "SELECT set_config('synchronous_commit', 'off', true)"
	appendEvent = "INSERT INTO history_node "
	idle        = 'I' // status of a connection without an open transaction
)

// lazyConnector makes connections that append events without waiting for the disk, and wait for everything else.
type lazyConnector struct{ driver.Connector }

// Connect implements driver.Connector.
func (c lazyConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	own, ok := conn.(*stdlib.Conn)
	if !ok {
		return nil, fmt.Errorf("a connection of pgx is a %T", conn)
	}
	return lazyConn{own}, nil
}

type lazyConn struct{ *stdlib.Conn }

// ExecContext implements driver.ExecerContext. Inside a transaction it changes nothing: what else that writes may matter.
func (c lazyConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	conn := c.Conn.Conn()
	if !strings.HasPrefix(query, appendEvent) || conn.IsClosed() || conn.PgConn().TxStatus() != idle {
		return c.Conn.ExecContext(ctx, query, args)
	}
	values := make([]any, len(args))
	for i, arg := range args {
		values[i] = arg.Value
	}
	both := &pgx.Batch{} // one trip, and one transaction
	both.Queue(lazily)
	both.Queue(query, values...)
	sent := conn.SendBatch(ctx, both)
	_, err := sent.Exec()
	var done pgconn.CommandTag
	if err == nil {
		done, err = sent.Exec()
	}
	if closed := sent.Close(); err == nil {
		err = closed
	}
	if err != nil && pgconn.SafeToRetry(err) {
		return nil, driver.ErrBadConn // nothing was sent; the pool takes another connection
	}
	return driver.RowsAffected(done.RowsAffected()), err
}
