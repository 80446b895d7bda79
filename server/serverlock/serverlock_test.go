package serverlock_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"xbot/internal/testing/pgtest"
	"xbot/server/serverlock"
)

func TestLock_IsExclusiveForTheOnlyServerOfADatabase(t *testing.T) {
	t.Parallel()
	dsn := pgtest.NewDatabase(t, "", nil)
	take := func() *serverlock.Lock {
		l, err := serverlock.Take(t.Context(), dsn, slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		t.Cleanup(l.Close)
		return l
	}
	run := func(l *serverlock.Lock) {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- l.Run(ctx) }()
		t.Cleanup(func() {
			cancel()
			require.NoError(t, <-done)
		})
	}
	first := take()
	require.True(t, first.Exclusive)
	first.Close() // as a kill does
	second := take()
	require.True(t, second.Exclusive)
	run(second)
	third := take()
	require.False(t, third.Exclusive)

	third.Close()
	db, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close(context.Background())) })
	held := `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = $1 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
	var before, after int
	require.NoError(t, db.QueryRow(t.Context(), held, serverlock.Key).Scan(&before))
	_, err = db.Exec(t.Context(), "SELECT pg_terminate_backend($1)", before)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		return db.QueryRow(t.Context(), held, serverlock.Key).Scan(&after) == nil && after != before
	}, time.Minute, 10*time.Millisecond, "the lock is taken again after a lost connection")
	require.False(t, take().Exclusive)
}
