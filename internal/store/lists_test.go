package store_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/store"
	"xbot/internal/turn/inspect"
)

// reads returns how many rows of all tables a function makes Postgres read.
func (b *bundle) reads(do func(*store.Store)) int {
	b.t.Helper()
	config := b.pool.Config()
	config.MaxConns = 1 // counts become visible when the connection that made them says so
	pool, err := pgxpool.NewWithConfig(b.t.Context(), config)
	require.NoError(b.t, err)
	defer pool.Close()
	count := func() (rows int) {
		_, err := pool.Exec(b.t.Context(), "SELECT pg_stat_force_next_flush()")
		require.NoError(b.t, err)
		require.NoError(b.t, pool.QueryRow(b.t.Context(),
			"SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) FROM pg_stat_user_tables").Scan(&rows))
		return rows
	}
	before := count()
	do(store.New(pool, store.Options{}))
	return count() - before
}

// crowd makes many conversations of the bundle's user, the first used last, each with tokens.
func (b *bundle) crowd(n int) {
	b.t.Helper()
	for _, statement := range []string{
		`INSERT INTO sessions (key, user_id, channel, last_interaction_at)
		 SELECT 'agent:main:web:thread:' || i, $1, 'web', now() - i * interval '1 minute' FROM generate_series(1, $2::int) i`,
		`INSERT INTO user_token_usage (user_id, day, model, session_key, calls)
		 SELECT $1, current_date, 'm', 'agent:main:web:thread:' || i, 1 FROM generate_series(1, $2::int) i`,
	} {
		_, err := b.pool.Exec(b.t.Context(), statement, b.user.ID, n)
		require.NoError(b.t, err)
	}
	_, err := b.pool.Exec(b.t.Context(), "ANALYZE")
	require.NoError(b.t, err)
}

func TestLists_ReadWhatTheyShow(t *testing.T) {
	b := setup(t)
	b.crowd(3000)
	for name, list := range map[string]func(*store.Store) ([]chat.SessionKey, error){
		"all conversations": func(s *store.Store) (keys []chat.SessionKey, err error) {
			found, err := s.Inspection.InspectSessions(t.Context(), inspect.SessionFilter{Limit: 10})
			for _, f := range found {
				keys = append(keys, f.Key)
			}
			return keys, err
		},
		"one's own conversations": func(s *store.Store) (keys []chat.SessionKey, err error) {
			found, err := s.Conversations.Sessions(t.Context(), b.user.ID, "", 10)
			for _, f := range found {
				keys = append(keys, f.Key)
			}
			return keys, err
		},
	} {
		rows := b.reads(func(s *store.Store) {
			keys, err := list(s)
			require.NoError(t, err, name)
			require.Len(t, keys, 10, name)
			require.Equal(t, []chat.SessionKey{key, "agent:main:web:thread:1", "agent:main:web:thread:2"}, keys[:3], name)
		})
		require.Less(t, rows, 500, name)
	}
}

func TestList_PinnedConversationsComeFirst(t *testing.T) {
	b := setup(t)
	b.crowd(20)
	_, err := b.pool.Exec(t.Context(), "UPDATE sessions SET pinned = true WHERE key IN ('agent:main:web:thread:7', 'agent:main:web:thread:15')")
	require.NoError(t, err)
	found, err := b.Conversations.Sessions(t.Context(), b.user.ID, "", 4)
	require.NoError(t, err)
	var keys []chat.SessionKey
	for _, f := range found {
		keys = append(keys, f.Key)
	}
	require.Equal(t, []chat.SessionKey{"agent:main:web:thread:7", "agent:main:web:thread:15", key, "agent:main:web:thread:1"}, keys)
}

func TestToCheck_LooksLessOftenAtATurnThatRunsForLongUnlessItIsToStop(t *testing.T) {
	b := setup(t)
	b.send("1", "hello")
	b.claim("t1")
	age := func(started, checked time.Duration) {
		_, err := b.pool.Exec(t.Context(), "UPDATE turns SET started_at = now() - $1::interval, checked_at = now() - $2::interval", started, checked)
		require.NoError(t, err)
	}
	due := func() int {
		turns, err := b.ToCheck(t.Context(), 5*time.Second)
		require.NoError(t, err)
		return len(turns)
	}
	age(12*time.Second, 6*time.Second)
	require.Equal(t, 1, due(), "a young turn")
	require.Zero(t, due(), "it was looked at just now")
	age(5*time.Minute+20*time.Second, 20*time.Second)
	require.Zero(t, due(), "after a tenth of its age")
	age(time.Hour, 61*time.Second)
	require.Equal(t, 1, due(), "at most a minute")

	age(time.Hour, 20*time.Second)
	require.Zero(t, due())
	_, err := b.pool.Exec(t.Context(), `INSERT INTO inbox (session_key, user_id, kind, channel, platform_id, target_turn) VALUES ($1, $2, 'stop', 'web', 's', 't1')`, key, b.user.ID)
	require.NoError(t, err)
	require.Equal(t, 1, due(), "a stop waits")
}
