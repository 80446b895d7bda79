package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPrune_TakesOldEventsAndLeavesWhatIsNewOrRuns(t *testing.T) {
	b := setup(t)
	_, err := b.pool.Exec(t.Context(), `
		INSERT INTO sessions (key, user_id, channel, feed_seq) SELECT k, $1, 'web', 2 FROM unnest(ARRAY['old', 'busy']) k;`, b.user.ID)
	require.NoError(t, err)
	_, err = b.pool.Exec(t.Context(), `
		INSERT INTO turns (id, session_key, state, run_id, started_at, ended_at)
		SELECT 't-old', 'old', 'done', 'r', now() - interval '50 days', now() - interval '50 days'
		UNION ALL SELECT 't-busy', 'busy', 'running', 'r', now() - interval '60 days', NULL;
		INSERT INTO feed_events (session_key, seq, kind, data, created_at)
		SELECT k, n, 'message', '{}', now() - make_interval(days => 50 * (2 - n)) FROM unnest(ARRAY['old', 'busy']) k, generate_series(1, 2) n;
		INSERT INTO prompts (hash, body, created_at) SELECT decode(h, 'hex'), h, now() - interval '50 days' FROM unnest(ARRAY['aa', 'bb', 'cc']) h;
		UPDATE turns SET system_hash = decode(CASE id WHEN 't-old' THEN 'aa' ELSE 'bb' END, 'hex')`)
	require.NoError(t, err)
	left := func(query string) (out []string) {
		t.Helper()
		rows, err := b.pool.Query(t.Context(), query)
		require.NoError(t, err)
		for rows.Next() {
			var one string
			require.NoError(t, rows.Scan(&one))
			out = append(out, one)
		}
		require.NoError(t, rows.Err())
		return out
	}
	_, err = b.Turns.Prune(t.Context(), 30*24*time.Hour)
	require.NoError(t, err)
	require.Equal(t, []string{"busy/1", "busy/2", "old/2"}, left("SELECT session_key || '/' || seq FROM feed_events ORDER BY 1"), "what belongs to a turn that runs stays")
	require.Equal(t, []string{"bb"}, left("SELECT body FROM prompts ORDER BY 1"))
	again, err := b.Turns.Prune(t.Context(), 30*24*time.Hour)
	require.NoError(t, err)
	require.Zero(t, again)
}
