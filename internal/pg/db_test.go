package pg_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/testing/pgtest"
)

func setup(t *testing.T) *pg.DB {
	t.Helper()
	db := pg.New(pgtest.NewPool(t, pg.MigrationsHash(), pg.Migrate), nil)
	_, err := db.Pool.Exec(t.Context(), "CREATE TABLE notes (text text PRIMARY KEY CHECK (text <> 'bad'))")
	require.NoError(t, err)
	return db
}

func notes(t *testing.T, db *pg.DB) int {
	t.Helper()
	n := 0
	require.NoError(t, db.Pool.QueryRow(t.Context(), "SELECT count(*) FROM notes").Scan(&n))
	return n
}

func note(tx *pg.Tx, t *testing.T, text string) error {
	t.Helper()
	_, err := tx.Exec(t.Context(), "INSERT INTO notes VALUES ($1)", text)
	return err
}

func TestInTx_CommitsWhatItDid(t *testing.T) {
	db := setup(t)
	require.NoError(t, db.InTx(t.Context(), func(tx *pg.Tx) error {
		require.NoError(t, note(tx, t, "one"))
		return note(tx, t, "two")
	}))
	require.Equal(t, 2, notes(t, db))
	require.NoError(t, db.InTx(t.Context(), func(*pg.Tx) error { return nil }), "nothing to do")
}

func TestInTx_LeavesNothingBehindAfterAnError(t *testing.T) {
	for name, fn := range map[string]func(t *testing.T) func(tx *pg.Tx) error{
		"of its own": func(t *testing.T) func(tx *pg.Tx) error {
			return func(tx *pg.Tx) error {
				require.NoError(t, note(tx, t, "one"))
				return errors.New("no")
			}
		},
		"of the first statement": func(t *testing.T) func(tx *pg.Tx) error {
			return func(tx *pg.Tx) error { return note(tx, t, "bad") }
		},
		"of a later statement": func(t *testing.T) func(tx *pg.Tx) error {
			return func(tx *pg.Tx) error {
				require.NoError(t, note(tx, t, "one"))
				return note(tx, t, "bad")
			}
		},
		"of a statement that it passes over": func(t *testing.T) func(tx *pg.Tx) error {
			return func(tx *pg.Tx) error {
				require.NoError(t, note(tx, t, "one"))
				require.Error(t, note(tx, t, "bad"))
				return nil
			}
		},
		"of the event of a session that is gone": func(t *testing.T) func(tx *pg.Tx) error {
			return func(tx *pg.Tx) error {
				tx.Emit("gone", chat.EventTurn, struct{}{})
				return note(tx, t, "one")
			}
		},
		"of such an event alone": func(*testing.T) func(tx *pg.Tx) error {
			return func(tx *pg.Tx) error {
				tx.Emit("gone", chat.EventTurn, struct{}{})
				return nil
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			db := setup(t)
			require.Error(t, db.InTx(t.Context(), fn(t)))
			require.Zero(t, notes(t, db))
			require.Zero(t, db.Pool.Stat().AcquiredConns())
			require.NoError(t, db.InTx(t.Context(), func(tx *pg.Tx) error { return note(tx, t, "one") }), "the connection is of use again")
		})
	}
}

func TestInTx_SaysThatTheSessionOfAnEventIsGone(t *testing.T) {
	db := setup(t)
	err := db.InTx(t.Context(), func(tx *pg.Tx) error {
		tx.Emit("gone", chat.EventTurn, struct{}{})
		return note(tx, t, "one")
	})
	require.Equal(t, fault.NotFound, fault.KindOf(err))
}

func TestInTx_APanicLeavesNoTransaction(t *testing.T) {
	db := setup(t)
	require.Panics(t, func() {
		_ = db.InTx(t.Context(), func(tx *pg.Tx) error {
			require.NoError(t, note(tx, t, "one"))
			panic("odd")
		})
	})
	require.Zero(t, notes(t, db))
}

// After a failover a connection may lead to a server that takes no writes (https://github.com/gpustack/gpustack/issues/6105,
// https://github.com/goldsky-io/streamling/pull/65). A session that is read only refuses them in the same words.
func TestInTx_LeavesAConnectionToAServerThatTakesNoWrites(t *testing.T) {
	db := setup(t)
	idle := db.Pool.AcquireAllIdle(t.Context())
	require.NotEmpty(t, idle)
	for _, c := range idle {
		_, err := c.Exec(t.Context(), "SET default_transaction_read_only = on")
		require.NoError(t, err)
		c.Release()
	}
	for range idle {
		err := db.InTx(t.Context(), func(tx *pg.Tx) error { return note(tx, t, "one") })
		require.Equal(t, fault.Unavailable, fault.KindOf(err), "%v", err)
	}
	require.NoError(t, db.InTx(t.Context(), func(tx *pg.Tx) error { return note(tx, t, "one") }))
	require.Equal(t, 1, notes(t, db))
}

func TestInTx_ReadsRowsWithItsFirstStatement(t *testing.T) {
	db := setup(t)
	require.NoError(t, db.InTx(t.Context(), func(tx *pg.Tx) error {
		rows, err := tx.Query(t.Context(), "SELECT generate_series(1, 3)")
		require.NoError(t, err)
		n := 0
		for rows.Next() {
			n++
		}
		require.NoError(t, rows.Err())
		rows.Close()
		require.Equal(t, 3, n)
		return note(tx, t, "one")
	}))
	require.NoError(t, db.InTx(t.Context(), func(tx *pg.Tx) error {
		n := 0
		require.NoError(t, tx.QueryRow(t.Context(), "SELECT count(*) FROM notes").Scan(&n))
		require.Equal(t, 1, n)
		return note(tx, t, "two")
	}))
	require.Equal(t, 2, notes(t, db))
}
