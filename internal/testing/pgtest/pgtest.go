// Package pgtest gives each test a separate database on a real Postgres.
//
// The server is TEST_DATABASE_URL's, whose role has to be able to create databases; otherwise one is started from the
// binaries on this machine, shared by all test programs of the user that run at about the same time, and removed with
// everything it wrote two seconds after the last of them. A test database is a copy of a template that the migrations
// were applied to once, so it costs milliseconds.
package pgtest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
)

// timezone is one that no developer lives in and whose offset is not a whole hour, so that code which takes the
// session's time zone for UTC or its own shows it.
const timezone = "America/St_Johns"

// limit bounds each step that involves the server; the longest is its first start.
const limit = time.Minute

// Migrate brings an empty database to the schema under test and closes what it opened.
type Migrate func(ctx context.Context, dsn string) error

// NewDatabase returns the connection string of a database made by migrate. It is the test's alone and is dropped
// when the test ends, even if clients are still connected. hash names the migrations: migrate runs only once for each hash.
// An empty database takes an empty hash and a nil migrate.
func NewDatabase(t testing.TB, hash string, migrate Migrate) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	s, err := shared()
	require.NoError(t, err)
	template, err := s.template(ctx, hash, migrate)
	require.NoError(t, err)

	suffix := make([]byte, 8)
	rand.Read(suffix) // never fails
	name := "pgtest_" + hex.EncodeToString(suffix)
	require.NoError(t, s.copyDatabase(ctx, template, name))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		require.NoError(t, s.execute(ctx, "DROP DATABASE IF EXISTS "+quote(name)+" WITH (FORCE)"))
	})
	return s.dsn(name)
}

// NewPool is NewDatabase with a pool of connections to it, closed when the test ends.
func NewPool(t testing.TB, hash string, migrate Migrate) *pgxpool.Pool {
	t.Helper()
	dsn := NewDatabase(t, hash, migrate)
	pool, err := pgxpool.New(context.Background(), dsn)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	return pool
}

// Hash names a set of migration files by their paths and contents.
func Hash(files fs.FS) (string, error) {
	sum := sha256.New()
	err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		file, err := files.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		if _, err := fmt.Fprintf(sum, "%d:%s\n", len(path), path); err != nil {
			return err
		}
		_, err = io.Copy(sum, file)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("hash the migrations: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }
