package store_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/store"
)

// waiting is a bundle whose Postgres waits for the disk, as it does outside of tests, and whose rows say whether their
// transaction did.
func waiting(t *testing.T, tables ...string) *bundle {
	b := setup(t)
	cfg := b.pool.Config()
	cfg.ConnConfig.RuntimeParams["synchronous_commit"] = "on"
	pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	for _, table := range tables {
		_, err := pool.Exec(t.Context(), "ALTER TABLE "+table+" ADD COLUMN waits text DEFAULT current_setting('synchronous_commit')")
		require.NoError(t, err)
	}
	return &bundle{Store: store.New(pool, store.Options{}), t: t, pool: pool, user: b.user}
}

// onDisk returns what the rows of a table say, each value once.
func (b *bundle) onDisk(table string) []string {
	b.t.Helper()
	rows, err := b.pool.Query(b.t.Context(), "SELECT DISTINCT waits FROM "+table)
	require.NoError(b.t, err)
	values, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(b.t, err)
	return values
}

func TestBeginStep_LeavesTheWaitForTheDiskToWhatEndsTheStep(t *testing.T) {
	b := waiting(t, "inbox", "turns", "steps", "prompts", "messages")
	b.send("m1", "hello")
	b.claim("t1")
	step := b.begin("t1", 0)
	_, err := b.Turns.FreezeSystem(t.Context(), step, "system", nil)
	require.NoError(t, err)
	_, err = b.Turns.CommitStep(t.Context(), step, chat.Answer{Text: "hi", Finish: "stop", Model: "m"})
	require.NoError(t, err)

	require.Equal(t, []string{"off"}, b.onDisk("steps"))
	require.Equal(t, []string{"off"}, b.onDisk("prompts"))
	for _, table := range []string{"inbox", "turns", "messages"} {
		require.Equal(t, []string{"on"}, b.onDisk(table), table)
	}
}
