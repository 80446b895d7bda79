package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
)

// kept are the indexes that a program leaves in a visibility store it made.
var kept = []string{
	"by_keyword_01", "by_keyword_03", "by_keyword_06", // XbotSession, XbotUser, XbotOutcome
	"by_status", "by_workflow_id", "by_workflow_type", "default_idx", "executions_visibility_pkey",
}

// openVisibility connects to the visibility database of a program with these flags.
func openVisibility(t *testing.T, flags []string) *pgx.Conn {
	t.Helper()
	config := open(t, flags).Config().Copy()
	config.Database += "_v"
	conn, err := pgx.ConnectConfig(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close(context.Background())) })
	return conn
}

// indexes returns the indexes of the visibility store by name, each as it was made.
func indexes(t *testing.T, conn *pgx.Conn) map[string]string {
	t.Helper()
	rows, err := conn.Query(t.Context(), "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'executions_visibility'")
	require.NoError(t, err)
	found := map[string]string{}
	var name, definition string
	_, err = pgx.ForEachRow(rows, []any{&name, &definition}, func() error {
		found[name] = definition
		return nil
	})
	require.NoError(t, err)
	return found
}

func names(indexes map[string]string) []string { return slices.Sorted(maps.Keys(indexes)) }

func TestServe_KeepsOnlyTheIndexesOfTheVisibilityStoreThatListsNeed(t *testing.T) {
	t.Parallel()
	flags, _ := setup(t)
	p := launch(t, flags...)
	c, err := connect(t, p.ready(t), "")
	require.NoError(t, err)
	conn := openVisibility(t, flags)
	require.Equal(t, kept, names(indexes(t, conn)))
	greeting(t, c)
	for _, query := range []string{
		"", "WorkflowType = 'greet'", "ExecutionStatus = 'Completed'", "XbotSession = 's1'", "TaskQueue = 'queue'",
		"StartTime > '2020-01-01T00:00:00Z' AND XbotOutcome IS NULL", "CloseTime > '2020-01-01T00:00:00Z'", "XbotKind IS NULL",
	} {
		found, err := c.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{Query: query})
		require.NoError(t, err, query)
		require.Len(t, found.GetExecutions(), 1, query)
	}
	c.Close()
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	p.ends(t, 0)

	// As after an upgrade of Temporal's schema from the version before, which leaves an index of its own.
	_, err = conn.Exec(t.Context(), "UPDATE schema_version SET curr_version = '1.13'")
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), "CREATE INDEX by_task_queue ON executions_visibility (task_queue)")
	require.NoError(t, err)
	p = launch(t, flags...)
	c, err = connect(t, p.ready(t), "")
	require.NoError(t, err)
	require.Equal(t, kept, names(indexes(t, conn)))
	requireFound(t, c)
}

func TestIndexes_AreMadeAgainAsTemporalMadeThemBeforeAnUpgrade(t *testing.T) {
	t.Parallel()
	setup(t)
	name := fmt.Sprintf("t%d", time.Now().UnixNano())
	opts := postgresOptions{
		Host: testServer.dir, Port: 5432, User: "maker", SSLMode: "disable",
		Database: name, Visibility: name + "_v", password: testPassword, Wait: within,
	}
	require.NoError(t, prepareDatabases(t.Context(), opts))
	require.NoError(t, migrate(t.Context(), opts, newLogger(io.Discard, slog.LevelError)))
	conn := openVisibility(t, []string{"--postgres-database=" + name})
	all := indexes(t, conn)
	require.Greater(t, len(all), 70)

	require.NoError(t, opts.trimIndexes(t.Context(), keptIndexes(map[string]string{"Keyword04": "XbotUser", "Keyword05": "Mine"})))
	require.Equal(t, []string{"by_keyword_04", "by_status", "by_workflow_id", "by_workflow_type", "default_idx", "executions_visibility_pkey"},
		names(indexes(t, conn)))
	// Another version keeps another attribute: what it needs is there again.
	require.NoError(t, opts.trimIndexes(t.Context(), keptIndexes(map[string]string{"Keyword07": "XbotUser"})))
	require.Equal(t, []string{"by_keyword_07", "by_status", "by_workflow_id", "by_workflow_type", "default_idx", "executions_visibility_pkey"},
		names(indexes(t, conn)))

	require.NoError(t, opts.restoreIndexes(t.Context()))
	require.Equal(t, all, indexes(t, conn))
	require.NoError(t, opts.restoreIndexes(t.Context()))
}
