package main

import (
	"context"
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

func TestServe_WaitsForTheDiskWithWorkflowsAndNotWithWhatListsThem(t *testing.T) {
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
	waiting := []string{"history_node", "executions", "current_executions", "transfer_tasks", "timer_tasks", "visibility_tasks"}
	for _, table := range waiting {
		notes(t, conn, table)
	}
	notes(t, visibility, "executions_visibility")

	c, err := connect(t, e, "")
	require.NoError(t, err)
	greeting(t, c)

	require.Equal(t, []string{"off"}, noted(t, visibility, "executions_visibility"))
	for _, table := range waiting {
		require.NotContains(t, noted(t, conn, table), "off", table)
	}
	require.Equal(t, []string{"on"}, noted(t, conn, "executions"))
	require.Equal(t, []string{"on"}, noted(t, conn, "history_node"))
}
