package pgtest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"xbot/internal/testing/pgtest"
)

// migrations counts how often it is applied.
func migrations(applied *atomic.Int32) pgtest.Migrate {
	return func(ctx context.Context, dsn string) error {
		applied.Add(1)
		return execute(ctx, dsn, "CREATE TABLE notes (word text)")
	}
}

func execute(ctx context.Context, dsn, statement string) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, statement)
	return errors.Join(err, conn.Close(ctx))
}

func TestNewDatabase_MigratesOnceAndCopies(t *testing.T) {
	t.Parallel()
	var applied atomic.Int32
	hash := t.Name() + time.Now().String()
	first := pgtest.NewDatabase(t, hash, migrations(&applied))
	second := pgtest.NewDatabase(t, hash, migrations(&applied))
	require.EqualValues(t, 1, applied.Load())

	require.NoError(t, execute(t.Context(), first, "INSERT INTO notes VALUES ('mine')"))
	var count int
	pool := pgtest.NewPool(t, hash, migrations(&applied))
	require.NoError(t, pool.QueryRow(t.Context(), "SELECT count(*) FROM notes").Scan(&count))
	require.Zero(t, count, "databases share their rows")
	require.NoError(t, execute(t.Context(), second, "DROP TABLE notes"), "the test does not own its tables")
}

func TestNewDatabase_MakesATemplateAnewForOtherMigrations(t *testing.T) {
	t.Parallel()
	var applied atomic.Int32
	for i := range 2 {
		pgtest.NewDatabase(t, fmt.Sprint(t.Name(), time.Now(), i), migrations(&applied))
	}
	require.EqualValues(t, 2, applied.Load())
}

func TestNewDatabase_HasAnOddTimezoneAndNoSuperuser(t *testing.T) {
	t.Parallel()
	pool := pgtest.NewPool(t, "", nil)
	var zone, superuser string
	require.NoError(t, pool.QueryRow(t.Context(), "SELECT current_setting('timezone'), current_setting('is_superuser')").Scan(&zone, &superuser))
	require.Equal(t, "America/St_Johns", zone)
	if os.Getenv("TEST_DATABASE_URL") == "" {
		require.Equal(t, "off", superuser)
	}
}

func TestNewDatabase_IsDroppedEvenWhileInUse(t *testing.T) {
	t.Parallel()
	var dsn string
	var open *pgx.Conn
	t.Run("a test that leaves a connection open", func(t *testing.T) {
		dsn = pgtest.NewDatabase(t, "", nil)
		var err error
		open, err = pgx.Connect(context.Background(), dsn)
		require.NoError(t, err)
	})
	_, err := pgx.Connect(t.Context(), dsn)
	require.ErrorContains(t, err, "does not exist")
	require.Error(t, open.Ping(t.Context()), "the connection outlived the database")
	require.NoError(t, open.Close(context.Background()))
}

func TestHash_ChangesWithNamesAndContents(t *testing.T) {
	t.Parallel()
	hash := func(files fstest.MapFS) string {
		sum, err := pgtest.Hash(files)
		require.NoError(t, err)
		return sum
	}
	base := hash(fstest.MapFS{"1.sql": {Data: []byte("a")}})
	require.Equal(t, base, hash(fstest.MapFS{"1.sql": {Data: []byte("a")}}))
	require.NotEqual(t, base, hash(fstest.MapFS{"2.sql": {Data: []byte("a")}}))
	require.NotEqual(t, base, hash(fstest.MapFS{"1.sql": {Data: []byte("b")}}))
}

// TestMain lets the test program play another one that takes a database and is killed.
func TestMain(m *testing.M) {
	if os.Getenv("PGTEST_TEST_PLAY") == "" {
		os.Exit(m.Run())
	}
	var t player
	fmt.Println(pgtest.NewDatabase(&t, "", nil))
	select {}
}

// player is as much of a test as NewDatabase needs.
type player struct{ testing.TB }

func (*player) Helper()                   {}
func (*player) Cleanup(func())            {}
func (*player) Errorf(f string, a ...any) { fmt.Fprintf(os.Stderr, f, a...) }
func (*player) FailNow()                  { os.Exit(1) }

func TestServer_IsSharedAndClearedAwayAfterAKilledUser(t *testing.T) {
	t.Parallel()
	if os.Getenv("TEST_DATABASE_URL") != "" {
		t.Log("not checked: the server is not ours")
		return
	}
	// A folder of its own: other test programs use the usual one.
	temp, err := os.MkdirTemp("/tmp", "pgt")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(temp)) })
	first, firstDSN := play(t, temp)
	second, secondDSN := play(t, temp)
	folders, err := filepath.Glob(filepath.Join(temp, "xbot-pgtest-*"))
	require.NoError(t, err)
	require.Len(t, folders, 1)

	require.NoError(t, first.Process.Kill())
	require.NoError(t, execute(t.Context(), firstDSN, "SELECT 1"), "the server left its other user")
	require.NoError(t, execute(t.Context(), secondDSN, "SELECT 1"))
	require.NoError(t, second.Process.Kill())
	require.Eventually(t, func() bool {
		_, err := os.Stat(folders[0])
		return os.IsNotExist(err)
	}, 30*time.Second, 20*time.Millisecond, "the server or its folder stayed")
	require.Error(t, execute(t.Context(), secondDSN, "SELECT 1"))
}

// play starts another test program and returns it with the database it took.
func play(t *testing.T, temp string) (*exec.Cmd, string) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "PGTEST_TEST_PLAY=1", "TMPDIR="+temp)
	cmd.Stderr = t.Output()
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // mostly done already
		_ = cmd.Wait()
	})
	var dsn string
	_, err = fmt.Fscanln(stdout, &dsn)
	require.NoError(t, err)
	return cmd, dsn
}

func BenchmarkNewDatabase(b *testing.B) {
	var applied atomic.Int32
	for b.Loop() {
		pgtest.NewDatabase(b, b.Name(), migrations(&applied))
	}
}
