package pg

import (
	"context"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"xbot/internal/chat"
	"xbot/internal/pg/dbsqlc"
)

// conn is the connection of a transaction, which begins with its first statement: both go in one round trip.
type conn struct {
	pool  *pgxpool.Conn
	by    chat.UserID // the acting user; 0: not known
	begun bool
}

// Exec runs a statement without rows.
func (c *conn) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if c.begun {
		return c.pool.Exec(ctx, sql, args...)
	}
	results, err := c.begin(ctx, sql, args)
	if err != nil {
		return pgconn.CommandTag{}, err
	}
	tag, err := results.Exec()
	if closed := results.Close(); err == nil {
		err = closed
	}
	return tag, err
}

// Query runs a statement with rows. They are to be closed before the next statement.
func (c *conn) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if c.begun {
		return c.pool.Query(ctx, sql, args...)
	}
	results, err := c.begin(ctx, sql, args)
	if err != nil {
		return nil, err
	}
	rows, err := results.Query()
	return firstRows{rows, results}, err
}

// QueryRow runs a statement with at most one row.
func (c *conn) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	if c.begun {
		return c.pool.QueryRow(ctx, sql, args...)
	}
	results, err := c.begin(ctx, sql, args)
	if err != nil {
		return failedRow{err}
	}
	return firstRow{results}
}

// begin sends the first statement together with the one that begins the transaction, and reads the result of the latter.
func (c *conn) begin(ctx context.Context, sql string, args []any) (pgx.BatchResults, error) {
	c.begun = true
	batch := &pgx.Batch{}
	batch.Queue("begin")
	if c.by != 0 && !strings.HasPrefix(sql, "SET TRANSACTION") { // which must precede any query; such a transaction changes no settings
		batch.Queue("select set_config('xbot.by', $1, true)", strconv.FormatInt(int64(c.by), 10))
	}
	ahead := batch.Len()
	batch.Queue(sql, args...)
	results := c.pool.SendBatch(ctx, batch)
	for range ahead {
		if _, err := results.Exec(); err != nil {
			_ = results.Close() // it is the same error
			return nil, err
		}
	}
	return results, nil
}

// rollback ends the transaction, if one is open. If that fails, the connection is closed by its release.
func (c *conn) rollback(ctx context.Context) {
	if c.pool.Conn().PgConn().TxStatus() != 'I' {
		_, _ = c.pool.Exec(ctx, "rollback")
	}
}

// firstRows is the rows of the first statement.
type firstRows struct {
	pgx.Rows
	results pgx.BatchResults
}

// Close ends the round trip.
func (r firstRows) Close() {
	r.Rows.Close()
	_ = r.results.Close() // an error of the rows is reported there; one of the connection fails the next statement
}

// firstRow is the row of the first statement.
type firstRow struct{ results pgx.BatchResults }

// Scan reads the row and ends the round trip.
func (r firstRow) Scan(dest ...any) error {
	err := r.results.QueryRow().Scan(dest...)
	if closed := r.results.Close(); err == nil {
		err = closed
	}
	return err
}

// failedRow is the row of a statement that was not run.
type failedRow struct{ err error }

// Scan returns the error.
func (r failedRow) Scan(...any) error { return r.err }

// queue adds a generated query to a batch. Ignore the result of the query: the results of the batch are read instead.
func queue(to *pgx.Batch, query func(db dbsqlc.DBTX)) { query(queuing{to}) }

// queuing is a DBTX that collects statements instead of sending them.
type queuing struct{ to *pgx.Batch }

func (q queuing) Exec(_ context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	q.to.Queue(sql, args...)
	return pgconn.CommandTag{}, nil
}

func (q queuing) Query(_ context.Context, sql string, args ...any) (pgx.Rows, error) {
	q.to.Queue(sql, args...)
	return nil, pgx.ErrNoRows
}

func (q queuing) QueryRow(_ context.Context, sql string, args ...any) pgx.Row {
	q.to.Queue(sql, args...)
	return failedRow{pgx.ErrNoRows}
}
