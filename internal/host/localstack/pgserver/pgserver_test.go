package pgserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"xbot/internal/host/localstack/process"
	"xbot/internal/testing/dirtest"
)

const within = time.Minute

// fakeServer makes a folder with an initdb and a postgres that answers as the given version.
func fakeServer(t *testing.T, version string) string {
	t.Helper()
	dir := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\necho 'postgres (PostgreSQL) %s'\n", version)
	for _, name := range []string{"initdb", "postgres"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755))
	}
	return dir
}

func TestFind_TakesTheNewestOrTheOneThatFits(t *testing.T) {
	old, recent := fakeServer(t, "15.18 (Debian 15.18-0+deb12u1)"), fakeServer(t, "17beta2")
	usual := folders
	t.Cleanup(func() { folders = usual })
	folders = nil
	t.Setenv("PATH", strings.Join([]string{t.TempDir(), old, recent}, string(filepath.ListSeparator)))

	found, err := Find(t.Context(), "", 0)
	require.NoError(t, err)
	require.Equal(t, Binaries{Dir: recent, Major: 17}, found)
	found, err = Find(t.Context(), "", 15)
	require.NoError(t, err)
	require.Equal(t, Binaries{Dir: old, Major: 15}, found)
	_, err = Find(t.Context(), "", 18)
	require.ErrorContains(t, err, "made by PostgreSQL 18, but the newest server found is 17")
	_, err = Find(t.Context(), "", 16)
	require.ErrorContains(t, err, "made by PostgreSQL 16, but the server found is 17")

	t.Setenv(BinariesVariable, old)
	found, err = Find(t.Context(), "", 0)
	require.NoError(t, err)
	require.Equal(t, old, found.Dir, "the variable goes before PATH")
}

func TestFind_SaysWhatToInstall(t *testing.T) {
	usual := folders
	t.Cleanup(func() { folders = usual })
	folders = nil
	t.Setenv("PATH", t.TempDir())
	_, err := Find(t.Context(), "", 0)
	require.ErrorContains(t, err, "no PostgreSQL server was found; install one")
	require.ErrorContains(t, err, BinariesVariable)

	t.Setenv("PATH", fakeServer(t, "9.6.24"))
	_, err = Find(t.Context(), "", 0)
	require.ErrorContains(t, err, "is too old; install version 15 or newer")

	_, err = Find(t.Context(), fakeServer(t, "something else"), 0)
	require.ErrorContains(t, err, "holds no PostgreSQL server")
}

// newCluster makes a throw-away cluster whose superuser may log in with the password "secret".
func newCluster(t *testing.T) Cluster {
	t.Helper()
	c, exists, err := Open(t.Context(), filepath.Join(dirtest.New(t), "data"), "")
	require.NoError(t, err)
	require.False(t, exists)
	c.Socket = c.Data
	require.NoError(t, c.Create(t.Context(), Recipe{
		Superuser: "boss", Statements: []string{"ALTER ROLE boss PASSWORD 'secret';"}, Throwaway: true,
	}))
	changed, err := c.Configure("listen_addresses = ''\nunix_socket_directories = '.'\nfsync = off\n", "local all all scram-sha-256\n")
	require.NoError(t, err)
	require.True(t, changed)
	return c
}

func (c Cluster) dsn() string {
	return fmt.Sprintf("host=%s user=boss password=secret dbname=postgres", c.Data)
}

func (c Cluster) logFile() string { return c.Data + ".log" }

// run starts the server and stops it when the test ends.
func (c Cluster) launch(t *testing.T) *process.Process {
	t.Helper()
	server, err := c.Start(c.logFile(), false)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, Stop(context.Background(), server)) })
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	require.NoError(t, Await(ctx, server, c.dsn(), c.logFile()))
	return server
}

func TestCluster_ServesWhatItCreated(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	server := c.launch(t)
	require.Equal(t, "ready", c.State())
	found, err := c.Running(t.Context())
	require.NoError(t, err)
	require.Equal(t, server.PID, found.PID)

	changed, err := c.Configure("listen_addresses = ''\nunix_socket_directories = '.'\nfsync = off\n", "local all all scram-sha-256\n")
	require.NoError(t, err)
	require.False(t, changed)

	again, exists, err := Open(t.Context(), c.Data, "")
	require.NoError(t, err)
	require.True(t, exists)
	require.Equal(t, c.Account, again.Account)
	require.NoError(t, Stop(t.Context(), server))
	found, err = c.Running(t.Context())
	require.NoError(t, err)
	require.Nil(t, found)
}

func TestCreate_LeavesNothingHalfMade(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c, _, err := Open(t.Context(), filepath.Join(dir, "data"), "")
	require.NoError(t, err)
	err = c.Create(t.Context(), Recipe{Superuser: "boss", Statements: []string{"ALTER ROLE nobody_there PASSWORD 'hush';"}, Throwaway: true})
	require.ErrorContains(t, err, "nobody_there")
	require.NotContains(t, err.Error(), "hush", "the message shows a password")
	require.NoDirExists(t, c.Data)

	require.NoError(t, c.Create(t.Context(), Recipe{Superuser: "boss", Throwaway: true}), "what failed is in the way")
	require.DirExists(t, c.Data)
	require.NoDirExists(t, c.Data+".new")
}

func TestAwait_TellsWhyTheServerDidNotStart(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	_, err := c.Configure("listen_addresses = ''\nunix_socket_directories = '.'\nno_such_setting = 1\n", "local all all scram-sha-256\n")
	require.NoError(t, err)
	server, err := c.Start(c.logFile(), false)
	require.NoError(t, err)
	err = Await(t.Context(), server, c.dsn(), c.logFile())
	require.ErrorContains(t, err, "the Postgres server did not start: configuration file")
}

func TestAwait_ReturnsAtOnceWhenRefused(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	server := c.launch(t)
	err := Await(t.Context(), server, strings.Replace(c.dsn(), "secret", "guess", 1), c.logFile())
	require.ErrorContains(t, err, "the Postgres server refuses xbot (28P01)")
}

func TestRunning_ClearsTheWayAfterAKill(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	server := c.launch(t)
	// A statement of an hour keeps its process from noticing.
	conn, err := pgx.Connect(t.Context(), c.dsn())
	require.NoError(t, err)
	busy := make(chan error, 1)
	go func() {
		_, err := conn.Exec(t.Context(), "DO $$ BEGIN LOOP END LOOP; END $$")
		busy <- errors.Join(err, conn.Close(context.Background()))
	}()
	if runtime.GOOS == "linux" {
		require.Eventually(t, func() bool { return len(c.orphans()) > 1 }, within, readyPoll)
	}
	require.NoError(t, server.Signal(syscall.SIGKILL))
	<-server.Done()
	found, err := c.Running(t.Context())
	require.NoError(t, err)
	require.Nil(t, found)
	c.launch(t)
	require.Error(t, <-busy)
}

func TestRunning_IsNotFooledByOtherProcesses(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	server := c.launch(t)
	require.NoError(t, server.Signal(syscall.SIGKILL))
	<-server.Done()

	foreign := exec.Command("sleep", "600")
	require.NoError(t, foreign.Start())
	t.Cleanup(func() {
		require.NoError(t, foreign.Process.Kill())
		_ = foreign.Wait() // reports the kill
	})
	for _, file := range []string{c.pidFile(), c.socketLock()} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		_, rest, _ := strings.Cut(string(text), "\n")
		require.NoError(t, os.WriteFile(file, []byte(strconv.Itoa(foreign.Process.Pid)+"\n"+rest), 0o600))
	}
	found, err := c.Running(t.Context())
	require.NoError(t, err)
	require.Nil(t, found)
	c.launch(t)
}

func TestPrivateDir_RefusesWhatOthersMayEnter(t *testing.T) {
	t.Parallel()
	account := Account{UID: os.Geteuid(), GID: os.Getegid()}
	dir := filepath.Join(t.TempDir(), "dir")
	require.NoError(t, account.PrivateDir(dir))
	require.NoError(t, account.PrivateDir(dir), "it is fine the second time")
	require.NoError(t, os.Chmod(dir, 0o750))
	require.ErrorContains(t, account.PrivateDir(dir), "is not a private folder")

	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Chmod(dir, 0o700))
	require.NoError(t, os.Symlink(dir, link))
	require.ErrorContains(t, account.PrivateDir(link), "is not a private folder", "a link may lead anywhere")
}

func TestSocketFits(t *testing.T) {
	t.Parallel()
	require.True(t, SocketFits("/root/.xbot/postgres"))
	require.True(t, SocketFits("/"+strings.Repeat("x", 88)))
	require.False(t, SocketFits("/"+strings.Repeat("x", 89)))
	require.False(t, SocketFits("/with,comma"))
}

func FuzzRecordedPID(f *testing.F) {
	for _, seed := range []string{"", "1\n", "123\n/data\n1\n5432\n", "-5\n", "x", "99999999999999999999\n", " 7 \n", "\x00"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		file := filepath.Join(t.TempDir(), "postmaster.pid")
		require.NoError(t, os.WriteFile(file, text, 0o600))
		pid, err := recordedPID(file)
		require.NoError(t, err)
		require.GreaterOrEqual(t, pid, 0)
	})
}

func FuzzErrorLine(f *testing.F) {
	f.Add([]byte("initdb: error: no\ninitdb: hint: yes\n"), "no")
	f.Add([]byte("2026 FATAL:  lock file\n2026 LOG:  bye"), "lock file")
	f.Add([]byte("just\nthis"), "this")
	f.Add([]byte(""), "")
	f.Fuzz(func(t *testing.T, text []byte, _ string) {
		require.NotContains(t, errorLine(text), "\n")
	})
}
