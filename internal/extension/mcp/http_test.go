package mcp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/extension/mcp"
	"xbot/internal/host/safehttp"
)

// web serves a handler until the test ends.
func web(t *testing.T, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

// handler serves the test server over HTTP until the test ends.
func handler(t *testing.T, opts *sdk.StreamableHTTPOptions) http.Handler {
	t.Helper()
	s := testServer()
	t.Cleanup(func() {
		for session := range s.Sessions() {
			_ = session.Close() // those whose client went without a word
		}
	})
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, opts)
}

// streamable is the test server over HTTP; requests go through watch first.
func streamable(t *testing.T, opts *sdk.StreamableHTTPOptions, watch func(w http.ResponseWriter, r *http.Request) (done bool)) string {
	t.Helper()
	h := handler(t, opts)
	return web(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if watch == nil || !watch(w, r) {
			h.ServeHTTP(w, r)
		}
	}))
}

func address(url string, transport chat.MCPTransport) mcp.Draft {
	return mcp.Draft{Headers: map[string]string{"Authorization": "Bearer hers-alone"}, MCPConfig: chat.MCPConfig{Name: "web", Transport: transport, URL: url}}
}

func TestHTTP_EachTransportCarriesCallsWithTheHeaders(t *testing.T) {
	t.Parallel()
	sse := func(t *testing.T, watch func(http.ResponseWriter, *http.Request) bool) string {
		s := testServer()
		h := sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return s }, nil)
		return web(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !watch(w, r) {
				h.ServeHTTP(w, r)
			}
		}))
	}
	for name, c := range map[string]struct {
		transport chat.MCPTransport
		serve     func(t *testing.T, watch func(http.ResponseWriter, *http.Request) bool) string
	}{
		"events": {chat.MCPHTTP, func(t *testing.T, watch func(http.ResponseWriter, *http.Request) bool) string {
			return streamable(t, nil, watch)
		}},
		"JSON": {chat.MCPHTTP, func(t *testing.T, watch func(http.ResponseWriter, *http.Request) bool) string {
			return streamable(t, &sdk.StreamableHTTPOptions{JSONResponse: true}, watch)
		}},
		"without sessions": {chat.MCPHTTP, func(t *testing.T, watch func(http.ResponseWriter, *http.Request) bool) string {
			return streamable(t, &sdk.StreamableHTTPOptions{Stateless: true}, watch)
		}},
		"SSE": {chat.MCPSSE, sse},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setup(t)
			var bare atomic.Int32
			url := c.serve(t, func(_ http.ResponseWriter, r *http.Request) bool {
				if r.Header.Get("Authorization") != "Bearer hers-alone" {
					bare.Add(1)
				}
				return false
			})
			at := f.add(address(url, c.transport))
			at.Box = nil
			s, err := f.Refresh(t.Context(), at)
			require.NoError(t, err)
			require.Equal(t, 9, s.Tools)
			require.Equal(t, "you said hello", f.call(at, "echo", chat.ClassOnce, `{"text":"hello"}`).Content)
			require.Len(t, f.call(at, "mixed", chat.ClassOnce, "").Pictures, 1)
			if name == "events" {
				got := f.call(at, "big", chat.ClassOnce, "")
				require.True(t, strings.HasSuffix(got.Content, "end"), "20 MB came")
				require.LessOrEqual(t, len(got.Content), 1<<20+100)
			}
			require.Zero(t, bare.Load())
		})
	}
}

func TestHTTP_HeadersGoNowhereElse(t *testing.T) {
	t.Parallel()
	f := setup(t)
	var reached atomic.Int32
	elsewhere := web(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	url := web(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/redirect"):
			http.Redirect(w, r, elsewhere, http.StatusTemporaryRedirect)
		case r.Method == http.MethodGet:
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "event: endpoint\ndata: %s/messages\n\n", elsewhere)
			if http.NewResponseController(w).Flush() != nil {
				return
			}
			<-r.Context().Done()
		}
	}))
	for _, d := range []mcp.Draft{address(url+"/redirect", chat.MCPHTTP), address(url+"/redirect", chat.MCPSSE), address(url+"/endpoint", chat.MCPSSE)} {
		d.Name = fmt.Sprint("s", len(f.rows.list))
		_, err := f.Refresh(t.Context(), f.add(d))
		require.ErrorContains(t, err, "which is not where it is")
	}
	require.Zero(t, reached.Load())
}

func TestHTTP_APersonsServerIsOnThePublicInternetAndTheInstallationsAnywhere(t *testing.T) {
	t.Parallel()
	base := &http.Transport{}
	t.Cleanup(base.CloseIdleConnections)
	f := setup(t, func(c *mcp.Config) { c.Own, c.Shared = safehttp.NewTransport(safehttp.Allow{}), base })
	url := streamable(t, nil, nil)
	_, err := f.Refresh(t.Context(), f.add(address(url, chat.MCPHTTP)))
	require.ErrorContains(t, err, "127.0.0.1 is not an address on the public internet")
	_, err = f.Refresh(t.Context(), f.addFor(0, address(url, chat.MCPHTTP)))
	require.NoError(t, err)
}

func TestHTTP_ARefusalIsToldWithoutTheSecret(t *testing.T) {
	t.Parallel()
	f := setup(t)
	url := web(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, r.Header.Get("Authorization"), http.StatusUnauthorized)
	}))
	for _, transport := range []chat.MCPTransport{chat.MCPHTTP, chat.MCPSSE} {
		d := address(url, transport)
		d.Name = string(transport)
		at := f.add(d)
		_, err := f.Refresh(t.Context(), at)
		require.ErrorContains(t, err, "Unauthorized")
		require.NotContains(t, err.Error(), "hers-alone")
	}
}

func TestHTTP_AServerThatIsStartedAnewIsConnectedToAnewForEveryCall(t *testing.T) {
	t.Parallel()
	f := setup(t)
	var mu sync.Mutex
	now := handler(t, nil)
	url := web(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		serving := now
		mu.Unlock()
		serving.ServeHTTP(w, r)
	}))
	at := f.add(address(url, chat.MCPHTTP))
	require.Equal(t, "you said a", f.call(at, "echo", chat.ClassOnce, `{"text":"a"}`).Content)
	mu.Lock()
	now = handler(t, nil) // which does not know the session
	mu.Unlock()
	require.Equal(t, "you said b", f.call(at, "echo", chat.ClassOnce, `{"text":"b"}`).Content)
}

func TestHTTP_ReconnectsToAServerThatDoesNotKnowTheSession(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		body   string
	}{
		"404 with an id":     {http.StatusNotFound, `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Session not found"}}`},
		"200 with an error":  {http.StatusOK, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32600,"message":"Unknown session id 'x' for 'tools/call'; client should reinitialize"}}`},
		"400 with id null":   {http.StatusBadRequest, `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}`},
		"400 in plain words": {http.StatusBadRequest, "Invalid session ID"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setup(t)
			var calls atomic.Int32
			url := streamable(t, nil, func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method == http.MethodGet {
					w.WriteHeader(http.StatusMethodNotAllowed)
					return true
				}
				body, err := io.ReadAll(r.Body)
				if r.Body = io.NopCloser(bytes.NewReader(body)); err != nil || !bytes.Contains(body, []byte(`"tools/call"`)) || calls.Add(1) != 2 {
					return false
				}
				var request struct {
					ID json.RawMessage `json:"id"`
				}
				_ = json.Unmarshal(body, &request) // the SDK's own
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, strings.ReplaceAll(c.body, "%s", string(request.ID)))
				return true
			})
			at := f.add(address(url, chat.MCPHTTP))
			require.Equal(t, "you said a", f.call(at, "echo", chat.ClassOnce, `{"text":"a"}`).Content)
			require.Equal(t, "you said b", f.call(at, "echo", chat.ClassOnce, `{"text":"b"}`).Content)
			require.EqualValues(t, 3, calls.Load(), "the refused call is repeated once")
		})
	}
}

func TestHTTP_DoesNotRepeatACallWhoseToolReportsAnExpiredSession(t *testing.T) {
	t.Parallel()
	f := setup(t)
	var calls atomic.Int32
	url := streamable(t, nil, func(w http.ResponseWriter, r *http.Request) bool {
		body, err := io.ReadAll(r.Body)
		if r.Body = io.NopCloser(bytes.NewReader(body)); err != nil || !bytes.Contains(body, []byte(`"tools/call"`)) {
			return false
		}
		calls.Add(1)
		var request struct {
			ID json.RawMessage `json:"id"`
		}
		_ = json.Unmarshal(body, &request) // the SDK's own
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"browser session expired"}}`, request.ID)
		return true
	})
	got := f.call(f.add(address(url, chat.MCPHTTP)), "echo", chat.ClassOnce, `{"text":"a"}`)
	require.Contains(t, got.Content, "browser session expired")
	require.EqualValues(t, 1, calls.Load(), "the tool may have done something")
}

func TestHTTP_AnAnswerThatBreaksOffLeavesTheOutcomeUnknown(t *testing.T) {
	t.Parallel()
	f := setup(t)
	var calls atomic.Int32
	url := streamable(t, nil, func(w http.ResponseWriter, r *http.Request) bool {
		body, err := io.ReadAll(r.Body)
		if r.Body = io.NopCloser(bytes.NewReader(body)); err != nil || !bytes.Contains(body, []byte(`"tools/call"`)) {
			return false
		}
		calls.Add(1)
		panic(http.ErrAbortHandler)
	})
	at := f.add(address(url, chat.MCPHTTP))
	_, err := f.Refresh(t.Context(), at)
	require.NoError(t, err)
	got := f.call(at, "echo", chat.ClassOnce, `{"text":"a"}`)
	require.True(t, got.IsError)
	require.Contains(t, got.Content, "outcome unknown")
	require.EqualValues(t, 1, calls.Load())
	got = f.call(at, "echo", chat.ClassRead, `{"text":"a"}`)
	require.True(t, got.IsError)
	require.EqualValues(t, 3, calls.Load(), "what only reads is tried once more")
}

func TestHTTP_NobodyAtTheAddressMeansThatNothingWasDone(t *testing.T) {
	t.Parallel()
	f := setup(t)
	s := httptest.NewServer(nil)
	s.Close()
	got := f.call(f.add(address(s.URL, chat.MCPHTTP)), "echo", chat.ClassOnce, `{"text":"a"}`)
	require.True(t, got.IsError)
	require.Contains(t, got.Content, "connection refused; nothing was done")
}

func TestHTTP_AnEndlessAnswerIsCutOff(t *testing.T) {
	t.Parallel()
	f := setup(t, func(c *mcp.Config) { c.Connect = 20 * time.Second })
	url := web(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		piece := []byte(strings.Repeat(" ", 1<<20))
		for {
			if _, err := w.Write(piece); err != nil {
				return
			}
		}
	}))
	_, err := f.Refresh(t.Context(), f.add(address(url, chat.MCPHTTP)))
	require.ErrorContains(t, err, "more than 32 MB")
}

// TestHTTP_ErrorsNameNoAddress uses a transport that names them.
func TestHTTP_ErrorsNameNoAddress(t *testing.T) {
	t.Parallel()
	base := &http.Transport{}
	t.Cleanup(base.CloseIdleConnections)
	f := setup(t, func(c *mcp.Config) { c.Shared = base })
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	_, port, err := net.SplitHostPort(closed.Addr().String())
	require.NoError(t, err)
	reset := web(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		_ = conn.(*net.TCPConn).SetLinger(0)
		_ = conn.Close() // so that it is reset
	}))
	for i, where := range []string{"http://localhost:" + port, "http://nowhere.invalid", strings.Replace(reset, "127.0.0.1", "localhost", 1)} {
		for _, transport := range []chat.MCPTransport{chat.MCPHTTP, chat.MCPSSE} {
			d := address(where+"/secret-path", transport)
			d.Name = fmt.Sprintf("s%d%s", i, transport)
			_, err := f.Refresh(t.Context(), f.addFor(0, d))
			require.Error(t, err)
			for _, hidden := range []string{`\d+\.\d+\.\d+\.\d+`, `::1`, `dial tcp`, `lookup`, `secret-path`} {
				require.NotRegexp(t, hidden, err.Error(), d.Name)
			}
		}
	}
}

// TestCall_EventsThatAreNoMessagesAreLeftOut has a server write comments, pings and a byte order mark between its messages.
func TestCall_EventsThatAreNoMessagesAreLeftOut(t *testing.T) {
	t.Parallel()
	answers := map[string]string{
		"initialize": handshake, "tools/list": `{"tools":[{"name":"one"}]}`,
		"tools/call": `{"content":[{"type":"text","text":"said"},{"type":"image","data":"%"}]}`,
	}
	url := web(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&in) != nil || in.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		result, known := answers[in.Method]
		if !known {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, "\ufeff{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":\"no such method\"}\r\n", in.ID)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "\ufeff: hello\nready\n\nevent: ping\ndata: now\n\ndata: [DONE]\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n\n", in.ID, result)
	}))
	f := setup(t)
	at := f.add(address(url, chat.MCPHTTP))
	s, err := f.Refresh(t.Context(), at)
	require.NoError(t, err)
	require.Equal(t, 1, s.Tools)
	got := f.call(at, "one", chat.ClassOnce, "")
	require.Equal(t, "said\n[image: unknown · left out: its data cannot be decoded]", got.Content)
}
