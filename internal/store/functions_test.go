package store_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// TestSchema_NoFunctionIsPlannedAtEachCall looks for functions in SQL that read tables: Postgres cannot inline them, and plans them anew in
// each statement that calls them. A view, or a function in PL/pgSQL, is planned once for a connection.
func TestSchema_NoFunctionIsPlannedAtEachCall(t *testing.T) {
	b := setup(t)
	rows, err := b.pool.Query(t.Context(), `
		SELECT p.proname::text FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
		WHERE p.pronamespace = 'public'::regnamespace AND l.lanname = 'sql' AND p.prosrc ~* '\mfrom\M'
		  AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')`)
	require.NoError(t, err)
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Empty(t, found)
}
