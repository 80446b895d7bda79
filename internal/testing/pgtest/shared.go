package pgtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sys/unix"

	"xbot/internal/testing/dirtest"
)

// shared returns the server for this program, looking for it once.
var shared = sync.OnceValues(func() (*server, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if dsn := os.Getenv("TEST_DATABASE_URL"); dsn != "" {
		if u, err := url.Parse(dsn); err != nil || u.User == nil {
			return nil, errors.New("TEST_DATABASE_URL is not a connection string of the form postgres://role:password@host/database")
		}
		return &server{Admin: dsn, User: dsn}, nil
	}
	s, err := join(ctx, folder())
	if err != nil {
		return nil, fmt.Errorf("start a Postgres for the tests, or name one in TEST_DATABASE_URL: %w", err)
	}
	return s, nil
})

// folder returns what the test programs of this user share:
//
//	users     locked, shared, by each program that uses the server, for its life
//	start     locked by the program that starts the server
//	state     how to reach the server, or why it did not start; written by the watchdog
//	postgres  the data
//
// The last character counts the layouts, for programs built from other versions of this package.
func folder() string {
	return filepath.Join(dirtest.Fast(), fmt.Sprintf("xbot-pgtest-%d-2", os.Geteuid()))
}

// join makes this program a user of the server in dir, starting it if it does not run.
func join(ctx context.Context, dir string) (*server, error) {
	for {
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		// Blocks while the watchdog clears away. The kernel gives the lock back when this program ends.
		users, err := openLocked(filepath.Join(dir, "users"), unix.LOCK_SH)
		if err == nil {
			s, err := serverIn(ctx, dir)
			if err != nil {
				return nil, errors.Join(err, users.Close())
			}
			s.users = users
			return s, nil
		}
		// It was removed in between: start over.
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errReplaced) {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
}

// errReplaced means that a file was removed while waiting for the lock on it, so the lock is worth nothing.
var errReplaced = errors.New("the lock file was removed")

// openLocked opens or makes a file and waits for the lock on it.
func openLocked(path string, how int) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = unix.Flock(int(file.Fd()), how)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err == nil && !stillThere(file, path) {
		err = errReplaced
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

func stillThere(file *os.File, path string) bool {
	ours, err := file.Stat()
	if err != nil {
		return false
	}
	theirs, err := os.Stat(path)
	return err == nil && os.SameFile(ours, theirs)
}

// serverIn returns the server in dir, starting it when it does not answer. The caller holds users.
func serverIn(ctx context.Context, dir string) (*server, error) {
	if s, err := answering(ctx, dir); err == nil {
		return s, nil
	}
	start, err := openLocked(filepath.Join(dir, "start"), unix.LOCK_EX)
	if err != nil {
		return nil, err
	}
	defer start.Close()
	if s, err := answering(ctx, dir); err == nil {
		return s, nil // another program was faster
	}
	if err := os.Remove(statePath(dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	watchdog, err := startWatchdog(dir)
	if err != nil {
		return nil, err
	}
	for {
		state, err := readState(dir)
		switch {
		case err == nil && state.Error != "":
			return nil, errors.New(state.Error)
		case err == nil:
			return &state.server, nil
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("the server did not start in time: %w", ctx.Err())
		case err := <-watchdog:
			return nil, fmt.Errorf("the process that starts the server ended: %w", err)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func answering(ctx context.Context, dir string) (*server, error) {
	state, err := readState(dir)
	if err != nil {
		return nil, err
	}
	if state.Error != "" {
		return nil, errors.New(state.Error)
	}
	conn, err := pgx.Connect(ctx, state.Admin)
	if err != nil {
		return nil, err
	}
	return &state.server, conn.Close(ctx)
}

// state is what the watchdog tells.
type state struct {
	server
	Error string `json:"error,omitempty"`
}

func statePath(dir string) string { return filepath.Join(dir, "state") }

func readState(dir string) (state, error) {
	var s state
	text, err := os.ReadFile(statePath(dir))
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(text, &s)
}

// writeState shows the state to others at once and completely.
func writeState(dir string, s state) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	draft := statePath(dir) + ".new"
	if err := os.WriteFile(draft, text, 0o600); err != nil {
		return err
	}
	return os.Rename(draft, statePath(dir))
}

// startWatchdog runs this program once more, in the watchdog's part. It outlives this one, so it has neither its
// terminal nor its output, whose end go test waits for. The channel receives its result when it has ended.
func startWatchdog(dir string) (<-chan error, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self)
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), watchdogVariable+"="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	return ended, nil
}
