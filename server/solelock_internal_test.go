package server

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"xbot/internal/pgtest"
)

func TestSoleLock_IsExclusiveForTheOnlyServerOfADatabase(t *testing.T) {
	t.Parallel()
	s := &servers{dsn: pgtest.NewDatabase(t, "", nil)}
	take := func() *soleLock {
		l, err := takeSoleLock(t.Context(), s, slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		t.Cleanup(l.close)
		return l
	}
	run := func(l *soleLock) {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- l.run(ctx) }()
		t.Cleanup(func() {
			cancel()
			require.NoError(t, <-done)
		})
	}
	first := take()
	require.True(t, first.exclusive)
	first.close() // as a kill does
	second := take()
	require.True(t, second.exclusive)
	run(second)
	third := take()
	require.False(t, third.exclusive)

	third.close()
	db, err := pgx.Connect(t.Context(), s.dsn)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close(context.Background())) })
	held := `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = $1 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
	var before, after int
	require.NoError(t, db.QueryRow(t.Context(), held, soleKey).Scan(&before))
	_, err = db.Exec(t.Context(), "SELECT pg_terminate_backend($1)", before)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		return db.QueryRow(t.Context(), held, soleKey).Scan(&after) == nil && after != before
	}, time.Minute, 10*time.Millisecond, "the lock is taken again after a lost connection")
	require.False(t, take().exclusive)
}
