package local_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/client/cli/local"
	"xbot/internal/fault"
)

// TestMain is also the server that the tests start: a program that serves as the variable says.
func TestMain(m *testing.M) {
	if how := os.Getenv("FAKE_SERVE"); how != "" {
		serve(how)
		return
	}
	os.Exit(m.Run())
}

// serve listens, tells its start to starts.log, and becomes ready.
func serve(how string) {
	home := os.Getenv("XBOT_HOME")
	log, err := os.OpenFile(filepath.Join(home, "starts.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(log, "%d\n", os.Getpid())
	fmt.Println("hello from the server in", mustWd())
	if how == "fail" {
		fmt.Fprintln(os.Stderr, "port 8080 is in use; set XBOT_HTTP_ADDR")
		os.Exit(1)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/api/me", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		fmt.Fprint(w, "{}")
	})
	mux.HandleFunc("/readyz", func(http.ResponseWriter, *http.Request) {})
	told, err := json.Marshal(map[string]any{"url": "http://" + listener.Addr().String(), "pid": os.Getpid(), "token": "secret"})
	if err == nil {
		err = os.WriteFile(filepath.Join(home, "run", "serve.json"), told, 0o600)
	}
	if err != nil {
		panic(err)
	}
	panic(http.Serve(listener, mux))
}

func mustWd() string {
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	return dir
}

// setup returns a server whose program behaves as asked, and kills what it has started.
func setup(t *testing.T, how string) *local.Server {
	t.Helper()
	home := t.TempDir()
	self, err := os.Executable()
	require.NoError(t, err)
	binary := filepath.Join(home, "xbot")
	require.NoError(t, os.WriteFile(binary, fmt.Appendf(nil, "#!/bin/sh\nFAKE_SERVE=%s exec '%s'\n", how, self), 0o700))
	s := &local.Server{Home: filepath.Join(home, "data"), Binary: binary}
	t.Cleanup(func() {
		for _, pid := range starts(t, s) {
			// It may have ended by itself.
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		// One that has not said yet that it started may write while the folder is removed, and cannot once it is gone.
		require.Eventually(t, func() bool { return os.RemoveAll(home) == nil }, 10*time.Second, 10*time.Millisecond)
	})
	return s
}

// starts returns the process ids of the servers that were started.
func starts(t *testing.T, s *local.Server) []int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.Home, "starts.log"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	require.NoError(t, err)
	var pids []int
	for line := range strings.FieldsSeq(string(text)) {
		pid, err := strconv.Atoi(line)
		require.NoError(t, err)
		pids = append(pids, pid)
	}
	return pids
}

func TestEnsure_StartsAServerThatOutlivesTheTerminal(t *testing.T) {
	t.Parallel()
	s := setup(t, "ok")
	_, err := s.Endpoint(t.Context())
	require.Equal(t, fault.Unavailable, fault.KindOf(err))

	var told []string
	require.NoError(t, s.Ensure(t.Context(), func(text string) { told = append(told, text) }))
	require.Equal(t, []string{"Starting the server"}, told)
	endpoint, err := s.Endpoint(t.Context())
	require.NoError(t, err)
	require.Equal(t, "secret", endpoint.Token)

	pid := starts(t, s)[0]
	session, err := getsid(pid)
	require.NoError(t, err)
	require.Equal(t, pid, session, "it leads a session of its own")
	log, err := os.ReadFile(filepath.Join(s.Home, "logs", "serve.log"))
	require.NoError(t, err)
	require.Equal(t, "hello from the server in "+s.Home+"\n", string(log))
	info, err := os.Stat(filepath.Join(s.Home, "logs", "serve.log"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	require.NoError(t, s.Ensure(t.Context(), func(string) { t.Error("there is nothing to wait for") }))
	require.Len(t, starts(t, s), 1)
}

func getsid(pid int) (int, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// pid (comm) state ppid pgrp session
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	return strconv.Atoi(fields[3])
}

func TestEnsure_StartsOneServerForManyTerminals(t *testing.T) {
	t.Parallel()
	s := setup(t, "ok")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			other := *s
			if err := other.Ensure(t.Context(), func(string) {}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	require.Len(t, starts(t, s), 1)
}

func TestEnsure_StartsAnotherServerWhenTheOneOfTheFileIsGone(t *testing.T) {
	t.Parallel()
	s := setup(t, "ok")
	require.NoError(t, s.Ensure(t.Context(), func(string) {}))
	require.NoError(t, syscall.Kill(starts(t, s)[0], syscall.SIGKILL))
	require.Eventually(t, func() bool { return s.Running(t.Context()) != nil }, 10*time.Second, 10*time.Millisecond)
	require.NoError(t, s.Ensure(t.Context(), func(string) {}))
	require.Len(t, starts(t, s), 2)
}

func TestEnsure_RepeatsTheLastWordsOfAServerThatCannotStart(t *testing.T) {
	t.Parallel()
	s := setup(t, "fail")
	err := s.Ensure(t.Context(), func(string) {})
	require.ErrorContains(t, err, "the server ended (exit status 1) instead of starting; its last words in")
	require.ErrorContains(t, err, "port 8080 is in use; set XBOT_HTTP_ADDR")
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
}

func TestEnsure_EndsWithItsContext(t *testing.T) {
	t.Parallel()
	s := setup(t, "fail")
	ctx, cancel := context.WithCancel(t.Context())
	err := s.Ensure(ctx, func(string) { cancel() })
	require.ErrorIs(t, err, context.Canceled)
}

func TestEnsure_PutsALargeLogAside(t *testing.T) {
	t.Parallel()
	s := setup(t, "ok")
	log := filepath.Join(s.Home, "logs", "serve.log")
	require.NoError(t, os.MkdirAll(filepath.Dir(log), 0o700))
	require.NoError(t, os.WriteFile(log, make([]byte, 11<<20), 0o600))
	require.NoError(t, s.Ensure(t.Context(), func(string) {}))
	require.FileExists(t, log+".1")
}

func TestEndpoint_DoesNotSendTheTokenToAStranger(t *testing.T) {
	t.Parallel()
	s := setup(t, "ok")
	require.NoError(t, os.MkdirAll(filepath.Join(s.Home, "run"), 0o700))
	file := filepath.Join(s.Home, "run", "serve.json")
	for content, want := range map[string]string{
		`{"url":"http://127.0.0.1:1","pid":999999999,"token":"x"}`: "no server of this user is running",
		`{"url":`: "cannot be read; remove it and try again",
	} {
		require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
		_, err := s.Endpoint(t.Context())
		require.ErrorContains(t, err, want)
		require.Equal(t, fault.Unavailable, fault.KindOf(err))
	}
}

func TestHome_IsTheVariableOrTheUsersFolder(t *testing.T) {
	t.Parallel()
	home, err := local.Home(func(string) string { return "/data/xbot" })
	require.NoError(t, err)
	require.Equal(t, "/data/xbot", home)
	home, err = local.Home(func(string) string { return "" })
	require.NoError(t, err)
	require.Equal(t, ".xbot", filepath.Base(home))
}

// TestEnsure_WaitsForAServiceThatRestarts has a note of a server that systemd runs, and that is gone.
func TestEnsure_WaitsForAServiceThatRestarts(t *testing.T) {
	t.Parallel()
	note := func(s *local.Server) {
		require.NoError(t, os.MkdirAll(filepath.Join(s.Home, "run"), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(s.Home, "run", "serve.json"), []byte(`{"url":"http://127.0.0.1:1","pid":999999999,"token":"x","service":true}`), 0o600))
	}
	t.Run("it comes back", func(t *testing.T) {
		t.Parallel()
		s := setup(t, "ok")
		note(s)
		err := s.Ensure(t.Context(), func(said string) {
			require.Equal(t, "Waiting for the service that runs the server", said)
			service := exec.Command(s.Binary)
			service.Env, service.Dir = append(os.Environ(), "XBOT_HOME="+s.Home), s.Home
			require.NoError(t, service.Start())
			go func() { _ = service.Wait() }() // killed at the end of the test
		})
		require.NoError(t, err)
		require.Len(t, starts(t, s), 1, "that of the service")
	})
	t.Run("it stays away", func(t *testing.T) {
		t.Parallel()
		s := setup(t, "ok")
		s.ServiceWait = time.Millisecond
		note(s)
		err := s.Ensure(t.Context(), func(string) {})
		require.ErrorContains(t, err, "systemctl start xbot")
		require.Equal(t, fault.Unavailable, fault.KindOf(err))
		require.Empty(t, starts(t, s))
	})
}
