package pgtest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"xbot/internal/host/localstack/pgserver"
	"xbot/internal/host/localstack/process"
)

// watchdogVariable makes a test program the watchdog of the folder it names.
const watchdogVariable = "XBOT_PGTEST_WATCHDOG"

const (
	// linger is how long the server waits for another test program after the last; go test may be compiling one.
	linger = 2 * time.Second
	look   = 100 * time.Millisecond
)

const (
	adminRole = "pgtest_admin"
	userRole  = "pgtest"
)

// Before any test: the watchdog is a test program that runs none. It is a program of its own, because tests may be
// killed, and nothing in a killed one could clear away.
func init() {
	dir := os.Getenv(watchdogVariable)
	if dir == "" {
		return
	}
	if err := watch(dir); err != nil {
		// Only the program that waits for the state can be notified.
		_ = writeState(dir, state{Error: err.Error()})
		os.Exit(1)
	}
	os.Exit(0)
}

// watch runs a server in dir until no program has used it for a while, then removes the folder.
func watch(dir string) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	s, running, err := launch(ctx, dir)
	if err != nil {
		return err
	}
	if err := writeState(dir, state{server: s}); err != nil {
		return errors.Join(err, pgserver.Stop(ctx, running))
	}
	users, err := os.OpenFile(filepath.Join(dir, "users"), os.O_RDWR, 0)
	if err != nil {
		return errors.Join(err, pgserver.Stop(ctx, running))
	}
	awaitNoUsers(users, running)
	// The lock is held from here on, so a new user waits, and then begins with a new folder.
	stopCtx, cancelStop := context.WithTimeout(context.Background(), limit)
	defer cancelStop()
	return errors.Join(pgserver.Stop(stopCtx, running), removeAtOnce(dir), users.Close())
}

// removeAtOnce takes a folder out of the way before it empties it: a program that starts during the removal makes a new one, and
// never locks a file of a folder that is half gone.
func removeAtOnce(dir string) error {
	gone := fmt.Sprintf("%s.gone-%d", dir, os.Getpid())
	if err := os.Rename(dir, gone); err != nil {
		return err
	}
	return os.RemoveAll(gone)
}

// awaitNoUsers returns with the lock on users once no other process has held it for linger, or the server has died.
func awaitNoUsers(users *os.File, running *process.Process) {
	var unused time.Time // since when; zero while used
	for {
		select {
		case <-running.Done():
			// Its users notice by themselves; wait for them, so that none joins a folder that disappears.
			if unix.Flock(int(users.Fd()), unix.LOCK_EX) == nil {
				return
			}
		case <-time.After(look):
		}
		if unix.Flock(int(users.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
			unused = time.Time{}
			continue
		}
		if unused.IsZero() {
			unused = time.Now()
		}
		if time.Since(unused) >= linger {
			return
		}
		// Unlocking what is locked cannot fail in a way that matters: the file is closed with the program.
		_ = unix.Flock(int(users.Fd()), unix.LOCK_UN)
	}
}

// launch makes data, replacing what a killed watchdog left, and starts a server on it.
func launch(ctx context.Context, dir string) (server, *process.Process, error) {
	data := filepath.Join(dir, "postgres")
	if !pgserver.SocketFits(data) {
		return server{}, nil, fmt.Errorf("the path %s is too long for a socket; set TMPDIR to a shorter one", data)
	}
	if err := clearAway(ctx, data); err != nil {
		return server{}, nil, err
	}
	cluster, _, err := pgserver.Open(ctx, data, "")
	if err != nil {
		return server{}, nil, err
	}
	cluster.Socket = data
	adminPassword, userPassword := password(), password()
	err = cluster.Create(ctx, pgserver.Recipe{
		Superuser: adminRole,
		Statements: []string{
			fmt.Sprintf("ALTER ROLE %s PASSWORD '%s';", adminRole, adminPassword),
			// Like the product's role, tests have no superuser's rights to lean on.
			fmt.Sprintf("CREATE ROLE %s LOGIN CREATEDB PASSWORD '%s';", userRole, userPassword),
		},
		Throwaway: true,
	})
	if err != nil {
		return server{}, nil, err
	}
	if _, err := cluster.Configure(settings, "local all all scram-sha-256\n"); err != nil {
		return server{}, nil, err
	}
	logFile := filepath.Join(dir, "log")
	running, err := cluster.Start(logFile, true)
	if err != nil {
		return server{}, nil, err
	}
	s := server{Admin: dsn(adminRole, adminPassword, data), User: dsn(userRole, userPassword, data)}
	if err := pgserver.Await(ctx, running, s.Admin, logFile); err != nil {
		return server{}, nil, errors.Join(err, pgserver.Stop(context.WithoutCancel(ctx), running))
	}
	return s, running, nil
}

// clearAway stops a server that lost its watchdog and removes its data.
func clearAway(ctx context.Context, data string) error {
	cluster, exists, err := pgserver.Open(ctx, data, "")
	if err != nil || !exists {
		return err
	}
	cluster.Socket = data
	left, err := cluster.Running(ctx)
	if err == nil && left != nil {
		err = pgserver.Stop(ctx, left)
	}
	return errors.Join(err, os.RemoveAll(data))
}

// settings give up all safety for speed: the data does not outlive the tests.
const settings = `listen_addresses = ''
unix_socket_directories = '.'
fsync = off
synchronous_commit = off
full_page_writes = off
wal_level = minimal
max_wal_senders = 0
max_connections = 300
shared_buffers = '64MB'
max_wal_size = '128MB'
jit = off
timezone = '` + timezone + `'
`

func password() string {
	bits := make([]byte, 16)
	rand.Read(bits) // never fails
	return hex.EncodeToString(bits)
}

func dsn(role, password, socket string) string {
	query := url.Values{"host": {socket}, "port": {strconv.Itoa(pgserver.Port)}, "sslmode": {"disable"}}
	u := url.URL{Scheme: "postgres", User: url.UserPassword(role, password), Path: "/postgres", RawQuery: query.Encode()}
	return u.String()
}
