package pg

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
	"xbot/internal/testing/pgtest"
)

// restored returns the connection string of a database of schema version 171, the last before the baseline, with a few rows. The file was written by
// pg_dump --inserts --no-owner --no-privileges, without what only psql reads, of a database that xbot had migrated to that version.
func restored(t *testing.T) string {
	t.Helper()
	packed, err := os.ReadFile("testdata/version171.sql.gz")
	require.NoError(t, err)
	hash := sha256.Sum256(packed)
	return pgtest.NewDatabase(t, hex.EncodeToString(hash[:]), func(ctx context.Context, dsn string) error {
		reader, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			return err
		}
		dump, err := io.ReadAll(reader)
		if err != nil {
			return err
		}
		return execute(ctx, dsn, string(dump))
	})
}

// execute runs statements on a connection of their own, whose settings go with it.
func execute(ctx context.Context, dsn, statements string) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	_, err = conn.PgConn().Exec(ctx, statements).ReadAll()
	return errors.Join(err, conn.Close(ctx))
}

// lines returns the structure of the schema, one object a line.
func lines(t *testing.T, dsn string) []string {
	t.Helper()
	_, db, _, err := migrations(dsn)
	require.NoError(t, err)
	defer db.Close()
	tx, err := db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	defer func() { _ = tx.Rollback() }()
	lines, err := schemaLines(t.Context(), tx)
	require.NoError(t, err)
	return lines
}

// same fails with the objects that only one of two schemas has.
func same(t *testing.T, want, got []string) {
	t.Helper()
	missing := func(from, in []string) []string {
		return slices.DeleteFunc(slices.Clone(from), func(line string) bool { return slices.Contains(in, line) })
	}
	require.Empty(t, missing(want, got), "missing objects")
	require.Empty(t, missing(got, want), "unexpected objects")
}

func digest(t *testing.T, dsn string) string {
	t.Helper()
	_, db, _, err := migrations(dsn)
	require.NoError(t, err)
	defer db.Close()
	tx, err := db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	defer func() { _ = tx.Rollback() }()
	digest, err := schemaDigest(t.Context(), tx)
	require.NoError(t, err)
	return digest
}

// rows returns what a query finds, as one text.
func rows(t *testing.T, dsn, query string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(context.Background())) }()
	return asText(t, conn, query)
}

func asText(t *testing.T, conn *pgx.Conn, query string) string {
	t.Helper()
	var text string
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT coalesce(string_agg(r::text, E'\\n' ORDER BY r::text), '') FROM ("+query+") r").Scan(&text))
	return text
}

// contents lists the tables of a database with their columns: later migrations may add others.
func contents(t *testing.T, dsn string) map[string]string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(context.Background())) }()
	found, err := conn.Query(t.Context(), `SELECT c.relname, string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
		WHERE c.relkind = 'r' AND c.relnamespace = quote_ident(current_schema())::regnamespace AND c.relname <> 'goose_db_version' AND a.attnum > 0 AND NOT a.attisdropped GROUP BY c.relname`)
	require.NoError(t, err)
	defer found.Close()
	out := map[string]string{}
	for found.Next() {
		var table, columns string
		require.NoError(t, found.Scan(&table, &columns))
		out[table] = columns
	}
	require.NoError(t, found.Err())
	return out
}

// everything returns the rows of some tables, without columns that were added to them.
func everything(t *testing.T, dsn string, of map[string]string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(context.Background())) }()
	var all []string
	for _, table := range slices.Sorted(maps.Keys(of)) {
		all = append(all, table, asText(t, conn, "SELECT "+of[table]+" FROM "+table))
	}
	return strings.Join(all, "\n")
}

const versions = "SELECT version_id, is_applied FROM goose_db_version"

func TestBaseline_MakesTheSchemaOfThePrecedingVersion(t *testing.T) {
	t.Parallel()
	before, after := restored(t), pgtest.NewDatabase(t, "", nil)
	provider, db, _, err := migrations(after)
	require.NoError(t, err)
	defer db.Close()
	_, err = provider.UpTo(t.Context(), baselineVersion)
	require.NoError(t, err)
	same(t, lines(t, before), lines(t, after))
	require.Equal(t, precedingDigest, digest(t, before))
	require.Equal(t, precedingDigest, digest(t, after))
}

func TestBaseline_DownRemovesEverything(t *testing.T) {
	t.Parallel()
	dsn := pgtest.NewDatabase(t, MigrationsHash(), Migrate)
	want := lines(t, dsn)
	provider, db, _, err := migrations(dsn)
	require.NoError(t, err)
	defer db.Close()
	_, err = provider.DownTo(t.Context(), 0)
	require.NoError(t, err)
	require.Empty(t, lines(t, dsn))
	require.NoError(t, Migrate(t.Context(), dsn))
	same(t, want, lines(t, dsn))
}

func TestMigrate_UpgradesADatabaseOfThePrecedingVersion(t *testing.T) {
	t.Parallel()
	dsn, fresh := restored(t), pgtest.NewDatabase(t, MigrationsHash(), Migrate)
	of := contents(t, dsn)
	before := everything(t, dsn, of)
	require.Contains(t, before, "What is the tide today?", "the dump has rows")
	for range 2 { // the second time there is nothing left to do
		require.NoError(t, Migrate(t.Context(), dsn))
		same(t, lines(t, fresh), lines(t, dsn))
		require.Equal(t, rows(t, fresh, versions), rows(t, dsn, versions))
		require.Equal(t, before, everything(t, dsn, of))
	}
	require.Empty(t, rows(t, dsn, "SELECT conname FROM pg_constraint WHERE NOT convalidated"), "each constraint holds for all rows")
}

func TestMigrate_UpgradesForTwoProcessesAtOnce(t *testing.T) {
	t.Parallel()
	dsn, fresh := restored(t), pgtest.NewDatabase(t, MigrationsHash(), Migrate)
	var processes sync.WaitGroup
	errs := make([]error, 2)
	for i := range errs {
		processes.Go(func() { errs[i] = Migrate(t.Context(), dsn) })
	}
	processes.Wait()
	require.Equal(t, make([]error, 2), errs)
	require.Equal(t, rows(t, fresh, versions), rows(t, dsn, versions))
}

func TestMigrate_RefusesOtherVersionsAndSchemas(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ change, says string }{
		"an older version":  {"DELETE FROM goose_db_version WHERE version_id = 171", "schema version 169, and this xbot upgrades only from version 171"},
		"a version between": {"INSERT INTO goose_db_version (version_id, is_applied) VALUES (172, true)", "schema version 172, and this xbot upgrades only from version 171"},
		"a dropped index":   {"DROP INDEX inbox_pending", "schema version 171, but not its schema"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn := restored(t)
			require.NoError(t, execute(t.Context(), dsn, c.change))
			schema, had := lines(t, dsn), rows(t, dsn, versions)
			err := Migrate(t.Context(), dsn)
			require.ErrorContains(t, err, c.says)
			require.ErrorContains(t, err, "nothing was changed")
			require.Equal(t, fault.Conflict, fault.KindOf(err))
			same(t, schema, lines(t, dsn))
			require.Equal(t, had, rows(t, dsn, versions))
		})
	}
}

func TestSchemaDigest_DiffersWithTheSchemaAlone(t *testing.T) {
	t.Parallel()
	_, db, _, err := migrations(restored(t))
	require.NoError(t, err)
	defer db.Close()
	for change, differs := range map[string]bool{
		"DROP INDEX kills_open": true,
		"DROP INDEX kills_open; CREATE INDEX kills_open ON kills (runner)":                          true,
		"ALTER TABLE users ADD COLUMN shoe_size int":                                                true,
		"ALTER TABLE kills DROP COLUMN runner":                                                      true,
		"ALTER TABLE turns ALTER COLUMN steps TYPE bigint":                                          true,
		"ALTER TABLE turns ALTER COLUMN steps SET DEFAULT 1":                                        true,
		"ALTER TABLE turns ALTER COLUMN steps DROP NOT NULL":                                        true,
		"ALTER TABLE pictures ALTER COLUMN data SET STORAGE EXTENDED":                               true,
		"ALTER TABLE kills ADD CHECK (runner <> '')":                                                true,
		"ALTER TABLE sessions DROP CONSTRAINT sessions_reset_id_fkey":                               true,
		"ALTER TABLE kills RENAME CONSTRAINT kills_pkey TO kills_key":                               true,
		"CREATE OR REPLACE FUNCTION admin_of(id bigint) RETURNS bigint LANGUAGE sql AS 'SELECT $1'": true,
		"ALTER FUNCTION admin_of VOLATILE":                                                          true,
		"DROP TRIGGER note_made ON users":                                                           true,
		"ALTER TABLE users DISABLE TRIGGER note_made":                                               true,
		"CREATE OR REPLACE VIEW turn_slots AS SELECT key AS session_key FROM sessions":              true,
		"ALTER SEQUENCE plugin_revisions INCREMENT 2":                                               true,
		"CREATE TABLE mine (id int)":                                                                true,
		"COMMENT ON TABLE users IS 'people'":                                                        false,
		"ALTER TABLE messages ALTER COLUMN content SET STATISTICS 500":                              false,
		"ALTER TABLE turns VALIDATE CONSTRAINT turns_plan_check":                                    false,
		"UPDATE users SET name = 'eve' WHERE name = 'ben'":                                          false,
		"CREATE SCHEMA other; CREATE TABLE other.users (id int)":                                    false,
		"SET timezone TO 'Asia/Shanghai'; SET datestyle TO 'SQL, DMY'":                              false,
		"ALTER SCHEMA public RENAME TO \"Own one\"; SET search_path TO \"Own one\"":                 false,
	} {
		t.Run(change, func(t *testing.T) {
			tx, err := db.BeginTx(t.Context(), nil)
			require.NoError(t, err)
			defer func() { _ = tx.Rollback() }()
			for statement := range strings.SplitSeq(change, "; ") {
				_, err := tx.ExecContext(t.Context(), statement)
				require.NoError(t, err)
			}
			digest, err := schemaDigest(t.Context(), tx)
			require.NoError(t, err)
			require.Equal(t, differs, digest != precedingDigest)
		})
	}
}
