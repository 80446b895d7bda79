package opencode

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBridge_SaysThatItFindsNoOpencode(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var out bytes.Buffer
	require.Equal(t, 1, Main(nil, strings.NewReader(""), &out))
	require.Contains(t, out.String(), `"type":"end"`)
	require.Contains(t, out.String(), "start opencode")
}

func TestBridge_SaysThatOpencodeEndedBeforeItListened(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "opencode"), []byte("#!/bin/sh\nexit 1\n"), 0o700))
	t.Setenv("PATH", dir)
	var out bytes.Buffer
	require.Equal(t, 1, Main(nil, strings.NewReader(""), &out))
	require.Contains(t, out.String(), "before it told its address")
}

func TestBridge_RefusesPermissionsThatAreNoJSON(t *testing.T) {
	var out bytes.Buffer
	require.Equal(t, 1, Main([]string{"--permission", `{"a":1},"x":`}, strings.NewReader(""), &out))
	require.Contains(t, out.String(), "no JSON")
}

func TestBridge_CarriesOnlyWhatATurnNeeds(t *testing.T) {
	for path, carried := range map[string]bool{
		"/session": true, "/session/s/abort": true, "/question/q/reply": true, "/permission/p/reply": true, "/api/session/s/permission/p/reply": true,
		"/config": false, "/session/../config": false, "@evil.example/": false, "/global/dispose": false, "/sessions": false,
		"/session/%2e%2e/config": false, "/api/session/../config": false, "/api/config": false,
	} {
		require.Equal(t, carried, allowed(asked{Method: "POST", Path: path}), path)
	}
	require.False(t, allowed(asked{Method: "DELETE", Path: "/session/s"}))
	for path, read := range map[string]bool{
		"/permission": true, "/question": true, "/session/status": true, "/session/s/message?limit=100": true, "/permission?x": false, "/config": false,
	} {
		require.Equal(t, read, allowed(asked{Method: "GET", Path: path}), path)
	}
	require.False(t, allowed(asked{Method: "POST", Path: "/permission"}))
}

func TestFollow_SubscribesAgainWhileTheServerAnswers(t *testing.T) {
	streams := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if streams++; streams == 3 || r.URL.Path != "/event" {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = fmt.Fprintf(w, "data: {\"stream\":%d}\n\n", streams)
	}))
	t.Cleanup(server.Close)
	var out bytes.Buffer
	b := &bridge{base: server.URL, client: server.Client(), out: &out}
	events, err := b.subscribe(t.Context())
	require.NoError(t, err)
	require.ErrorContains(t, b.follow(t.Context(), events), "503")
	require.Equal(t, `{"event":{"stream":1},"type":"event"}
{"type":"resubscribed"}
{"event":{"stream":2},"type":"event"}
`, out.String())
}

func TestForward_WritesEachWholeEventAndNothingElse(t *testing.T) {
	var out bytes.Buffer
	b := &bridge{out: &out}
	require.Error(t, b.forward(strings.NewReader("event: x\ndata: {\"type\":\ndata: \"a\"}\n\ndata: junk\n\n: ping\n\ndata: {\"half\"")))
	require.JSONEq(t, `{"type":"event","event":{"type":"a"}}`, out.String())
}

func FuzzForward_NeverWritesABrokenLine(f *testing.F) {
	f.Add("data: {}\n\n")
	f.Add("data: [\ndata: ]\n\n")
	f.Fuzz(func(t *testing.T, events string) {
		var out bytes.Buffer
		b := &bridge{out: &out}
		_ = b.forward(strings.NewReader(events)) // how it ends does not matter
		for line := range strings.Lines(out.String()) {
			require.True(t, strings.HasPrefix(line, `{"event":`) && strings.HasSuffix(line, "}\n"), line)
		}
	})
}
