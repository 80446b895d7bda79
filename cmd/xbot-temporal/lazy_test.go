package main

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// notes makes each row of a table say whether the transaction that writes it waits for the disk.
func notes(t *testing.T, conn *pgx.Conn, table string) {
	t.Helper()
	_, err := conn.Exec(t.Context(), "ALTER TABLE "+table+" ADD COLUMN waits text DEFAULT current_setting('synchronous_commit')")
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), "UPDATE "+table+" SET waits = NULL") // of rows that are there already
	require.NoError(t, err)
}

// noted returns what rows written since say, each value once.
func noted(t *testing.T, conn *pgx.Conn, table string) []string {
	t.Helper()
	rows, err := conn.Query(t.Context(), "SELECT DISTINCT waits FROM "+table+" WHERE waits IS NOT NULL ORDER BY 1")
	require.NoError(t, err)
	values, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return values
}

func TestServe_WaitsForTheDiskWithWhatMovesAWorkflowOnAndNotWithItsEvents(t *testing.T) {
	t.Parallel()
	flags, _ := setup(t)
	p := launch(t, flags...)
	e := p.ready(t)
	conn := open(t, flags)
	found := conn.Config().Copy()
	found.Database += "_v"
	visibility, err := pgx.ConnectConfig(t.Context(), found)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, visibility.Close(context.Background())) })
	waiting := []string{"executions", "current_executions", "transfer_tasks", "timer_tasks", "visibility_tasks"}
	for _, table := range append(waiting, "history_node") {
		notes(t, conn, table)
	}
	notes(t, visibility, "executions_visibility")

	c, err := connect(t, e, "")
	require.NoError(t, err)
	greeting(t, c)

	require.Contains(t, noted(t, conn, "history_node"), "off")
	require.Equal(t, []string{"off"}, noted(t, visibility, "executions_visibility"))
	for _, table := range waiting {
		require.NotContains(t, noted(t, conn, table), "off", table)
	}
	require.Equal(t, []string{"on"}, noted(t, conn, "executions"))
}

func TestLazyConn_DoesNotWaitWithAnEventAloneAndWaitsAgainAfterIt(t *testing.T) {
	t.Parallel()
	flags, _ := setup(t)
	opts, _, err := parse(flags, io.Discard, io.Discard)
	require.NoError(t, err)
	require.NoError(t, prepareDatabases(t.Context(), opts.Postgres))
	pool, err := opts.Postgres.openPool(opts.Postgres.Database, 1, false)
	require.NoError(t, err)
	defer pool.Close()
	_, err = pool.ExecContext(t.Context(), "CREATE TABLE history_node (n int PRIMARY KEY, waits text DEFAULT current_setting('synchronous_commit'))")
	require.NoError(t, err)
	const add = "INSERT INTO history_node (n) VALUES ($1)"
	waits := func(n int) (value string) {
		require.NoError(t, pool.GetContext(t.Context(), &value, "SELECT waits FROM history_node WHERE n = $1", n))
		return value
	}

	done, err := pool.ExecContext(t.Context(), add, 1)
	require.NoError(t, err)
	added, err := done.RowsAffected()
	require.NoError(t, err)
	require.EqualValues(t, 1, added)
	require.Equal(t, "off", waits(1))

	_, err = pool.ExecContext(t.Context(), strings.Replace(add, "INSERT", "insert", 1), 2) // any other statement
	require.NoError(t, err)
	require.Equal(t, "on", waits(2))

	tx, err := pool.BeginTxx(t.Context(), nil)
	require.NoError(t, err)
	_, err = tx.ExecContext(t.Context(), add, 3)
	require.NoError(t, err)
	require.NoError(t, tx.Commit())
	require.Equal(t, "on", waits(3), "it stands in a transaction with others")

	_, err = pool.ExecContext(t.Context(), add, 1)
	require.Equal(t, "23505", sqlState(err), "a second row with the key")
	var after string
	require.NoError(t, pool.GetContext(t.Context(), &after, "SELECT current_setting('synchronous_commit')"))
	require.Equal(t, "on", after)
}
