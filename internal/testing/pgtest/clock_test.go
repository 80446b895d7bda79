package pgtest_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/testing/pgtest"
)

func TestNewPoolAt_StatementsAndDefaultsFollowTheClockOfTheTest(t *testing.T) {
	t.Parallel()
	migrate := func(ctx context.Context, dsn string) error {
		return execute(ctx, dsn, "CREATE TABLE seen (what text, at timestamptz NOT NULL DEFAULT now())")
	}
	at := time.Date(2031, 5, 4, 3, 2, 1, 0, time.UTC)
	pool := pgtest.NewPoolAt(t, t.Name(), migrate, func() time.Time { return at })
	for day := range 3 {
		at = at.Add(24 * time.Hour)
		_, err := pool.Exec(t.Context(), "INSERT INTO seen (what) VALUES ('x')")
		require.NoError(t, err)
		var said, kept time.Time
		require.NoError(t, pool.QueryRow(t.Context(), "SELECT now(), max(at) FROM seen").Scan(&said, &kept))
		require.True(t, at.Equal(said), "day %d: a statement says %s", day, said)
		require.True(t, at.Equal(kept), "day %d: a default says %s", day, kept)
	}
}
