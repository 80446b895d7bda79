package web

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"xbot/internal/chat"
	"xbot/internal/host/safehttp"
	"xbot/internal/tool"
	"xbot/internal/tool/tooltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// site is a server on loopback, a client that may or may not reach it, and a sandbox.
type site struct {
	t   *testing.T
	url string
	box *tooltest.Box
	run tool.Tool

	calls atomic.Int32 // each has an id of its own
}

func setup(t *testing.T, h http.HandlerFunc, allow ...string) *site {
	t.Helper()
	t.Parallel()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	allowed, err := safehttp.ParseAllow(allow)
	require.NoError(t, err)
	client := safehttp.New(allowed)
	t.Cleanup(client.CloseIdleConnections)
	return &site{t: t, url: server.URL, box: tooltest.New(t), run: newDownload(client, "xbot/test", 1<<20, 10*time.Second)}
}

func (s *site) get(url, path string) chat.ToolResult {
	s.t.Helper()
	arguments, err := json.Marshal(map[string]string{"url": url, "output_path": path})
	require.NoError(s.t, err)
	result, err := s.run.Run(s.t.Context(), s.box.Call(chat.NewCallID("t", 1, int(s.calls.Add(1))), string(arguments)))
	require.NoError(s.t, err)
	return result
}

// empty checks that a failed download left no file.
func (s *site) empty() {
	s.t.Helper()
	entries, err := os.ReadDir(s.box.Workspace())
	require.NoError(s.t, err)
	require.Empty(s.t, entries)
}

const loopback = "127.0.0.1"

func TestDownload_WritesTheFileAndSaysWhatItIs(t *testing.T) {
	asked := make(chan http.Header, 8)
	s := setup(t, func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Header
		switch r.URL.Path {
		case "/a.csv":
			w.Header().Set("Content-Type", "text/csv; charset=utf-8")
			_, _ = io.WriteString(w, "a,b\n1,2\n")
		case "/old":
			http.Redirect(w, r, "/a.csv", http.StatusMovedPermanently)
		case "/png":
			w.Header().Set("Content-Type", "application/octet-stream")
			_, _ = io.WriteString(w, "\x89PNG\r\n\x1a\n\x00")
		}
	}, loopback)
	require.Equal(t, chat.ToolResult{Content: "Wrote data/new/a.csv (8 bytes, text/csv)."}, s.get(s.url+"/a.csv", "data/new/a.csv"))
	require.Equal(t, "a,b\n1,2\n", s.box.Get(t, "data/new/a.csv"))
	header := <-asked
	require.Equal(t, "xbot/test", header.Get("User-Agent"))
	require.Equal(t, "identity", header.Get("Accept-Encoding"), "a file keeps the form in which it lies there")
	require.Equal(t, "Wrote x (9 bytes, image/png).", s.get(s.url+"/png", "x").Content)
	require.Equal(t, "Wrote x (8 bytes, text/csv).", s.get(s.url+"/old", "x").Content, "it replaces what was there")
	require.Equal(t, "a,b\n1,2\n", s.box.Get(t, "x"))
}

func TestDownload_ReachesTheServersNetworkOnlyWhereAllowed(t *testing.T) {
	s := setup(t, func(http.ResponseWriter, *http.Request) { t.Error("a request came through") })
	result := s.get(s.url+"/secret?token=abc", "x")
	require.True(t, result.IsError)
	require.Contains(t, result.Content, "127.0.0.1 is not an address on the public internet")
	require.NotContains(t, result.Content, "abc", "what may be secret is not repeated")
	s.empty()
}

func TestDownload_LeavesNothingOfAnAnswerThatIsNoFile(t *testing.T) {
	s := setup(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/gone":
			http.Error(w, "<html>not here</html>", http.StatusNotFound)
		case "/down":
			w.WriteHeader(http.StatusBadGateway)
		case "/large":
			w.Header().Set("Content-Length", "1048577")
		case "/endless":
			for piece := strings.Repeat("x", 64<<10); ; {
				if _, err := io.WriteString(w, piece); err != nil {
					return
				}
			}
		case "/broken":
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, "half")
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		}
	}, loopback)
	for path, want := range map[string]string{
		"/gone?key=abc": "/gone answered 404 Not Found; nothing was written", "/down": "answered 502 Bad Gateway",
		"/large": "has more than 1048576 bytes", "/endless": "has more than 1048576 bytes",
		"/broken": "broke after 4 bytes; nothing was written", "/loop": "redirects more than 5 times",
	} {
		result := s.get(s.url+path, "x")
		require.True(t, result.IsError, path)
		require.Contains(t, result.Content, want)
		s.empty()
	}
}

func TestDownload_RefusesWhatIsNoAddressOrNoFile(t *testing.T) {
	s := setup(t, func(http.ResponseWriter, *http.Request) { t.Error("a request came through") }, loopback)
	for _, url := range []string{"", "example.com/x", "file:///etc/passwd", "ftp://example.com/x", "http://", "http://a b/", "javascript:alert(1)"} {
		require.True(t, s.get(url, "x").IsError, url)
	}
	for _, path := range []string{"", ".", "dir/", "~/x", "a\x00b"} {
		require.True(t, s.get(s.url, path).IsError, path)
	}
	require.Contains(t, s.get(s.url, "dir/").Content, "is a folder")
	s.empty()
}

func TestDownload_GivesUpWhenTimeIsUp(t *testing.T) {
	left := make(chan struct{})
	s := setup(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "begun")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(left)
	}, loopback)
	client := safehttp.New(mustAllow(t))
	t.Cleanup(client.CloseIdleConnections)
	s.run = newDownload(client, "xbot/test", 1<<20, 50*time.Millisecond)
	result := s.get(s.url+"/slow", "x")
	require.Contains(t, result.Content, "did not arrive within 50ms; nothing was written")
	<-left
	s.empty()
}

func TestDownload_StopsWithItsCall(t *testing.T) {
	begun := make(chan struct{})
	s := setup(t, func(_ http.ResponseWriter, r *http.Request) {
		close(begun)
		<-r.Context().Done()
	}, loopback)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-begun; cancel() }()
	_, err := s.run.Run(ctx, s.box.Call("t.1.1", `{"url":"`+s.url+`","output_path":"x"}`))
	require.ErrorIs(t, err, context.Canceled, "an end that the model cannot mend is an error")
	s.empty()
}

func mustAllow(t *testing.T) safehttp.Allow {
	t.Helper()
	allow, err := safehttp.ParseAllow([]string{loopback})
	require.NoError(t, err)
	return allow
}
