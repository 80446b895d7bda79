package pgtest

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
)

// clockSchema puts a now() before that of Postgres, for statements and for the defaults of columns, which were bound to
// the other one when their tables were made.
const clockSchema = `
CREATE SCHEMA pgtest_clock;
CREATE FUNCTION pgtest_clock.now() RETURNS timestamptz LANGUAGE sql STABLE
    AS $$ SELECT pg_catalog.current_setting('pgtest.now')::timestamptz $$;
DO $$
DECLARE c record;
BEGIN
    FOR c IN SELECT table_schema, table_name, column_name FROM information_schema.columns
             WHERE column_default = 'now()' AND table_schema = 'public' LOOP
        EXECUTE format('ALTER TABLE %I.%I ALTER COLUMN %I SET DEFAULT pgtest_clock.now()', c.table_schema, c.table_name, c.column_name);
    END LOOP;
END $$;`

// NewPoolAt is NewPool where now() in statements and in defaults of columns is what now returns when a connection is taken
// from the pool, so that a test can skip days. now must be safe for concurrent use. Triggers and functions of the schema
// that were compiled with a search path of their own keep the time of the machine.
func NewPoolAt(t testing.TB, hash string, migrate Migrate, now func() time.Time) *pgxpool.Pool {
	t.Helper()
	dsn := NewDatabase(t, hash, migrate)
	conn, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), clockSchema)
	require.NoError(t, err)
	require.NoError(t, conn.Close(t.Context()))

	config, err := pgxpool.ParseConfig(dsn)
	require.NoError(t, err)
	config.ConnConfig.RuntimeParams["search_path"] = "pgtest_clock, pg_catalog, public"
	config.PrepareConn = func(ctx context.Context, conn *pgx.Conn) (bool, error) {
		_, err := conn.Exec(ctx, "SELECT set_config('pgtest.now', $1, false)", now().Format(time.RFC3339Nano))
		return err == nil, err
	}
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	return pool
}
