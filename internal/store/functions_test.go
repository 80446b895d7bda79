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

// TestSchema_WorkersOfAnEarlierVersionCanRead calls the functions that views have replaced: such workers run on the newer schema until
// their turns have ended.
func TestSchema_WorkersOfAnEarlierVersionCanRead(t *testing.T) {
	b := setup(t)
	var admin int64
	var place, permits bool
	require.NoError(t, b.pool.QueryRow(t.Context(), `
		SELECT admin_of(s.user_id), place_of(s.key) = (SELECT p.place FROM session_places p WHERE p.session_key = s.key),
		       permits_of(s.key) = (SELECT p.permits FROM session_permits p WHERE p.session_key = s.key)
		FROM sessions s WHERE s.key = $1`, key).Scan(&admin, &place, &permits))
	require.EqualValues(t, b.user.ID, admin)
	require.True(t, place)
	require.True(t, permits)
}
