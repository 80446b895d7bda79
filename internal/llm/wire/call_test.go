package wire_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"xbot/internal/fault"
	"xbot/internal/llm"
	"xbot/internal/llm/wire"
)

// proxied is what the proxy of the environment saw; net/http reads the variables once per process.
var proxied = make(chan string, 1)

func TestMain(m *testing.M) {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		proxied <- r.URL.String()
		w.Header().Set("Connection", "close")
	}))
	for _, key := range []string{"HTTP_PROXY", "http_proxy"} {
		if err := os.Setenv(key, proxy.URL); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) { proxy.Close(); os.Exit(code) }), goleak.IgnoreCurrent())
}

// provider starts a server and returns an endpoint for it with connections of its own.
func provider(t *testing.T, idle time.Duration, handler http.HandlerFunc) *wire.Endpoint {
	t.Helper()
	server := httptest.NewServer(handler)
	transport := &http.Transport{DisableKeepAlives: true}
	t.Cleanup(server.Close)
	e, err := wire.NewEndpoint(server.URL, "k", idle, transport)
	require.NoError(t, err)
	return e
}

// fetch makes one call and reads its answer.
func fetch(ctx context.Context, e *wire.Endpoint, sink llm.Sink) (string, error) {
	call := e.Begin(ctx, sink)
	defer call.End()
	request, err := http.NewRequestWithContext(call.Context(), http.MethodGet, "http://"+e.Host, nil)
	if err != nil {
		return "", err
	}
	response, err := call.Do(request)
	if err != nil {
		return "", call.Fail(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	return string(body), call.Fail(err)
}

func TestCall_EndsWithoutProgress(t *testing.T) {
	t.Parallel()
	e := provider(t, 50*time.Millisecond, func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("begun"))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	text, err := fetch(t.Context(), e, nil)
	require.Equal(t, "begun", text)
	require.ErrorIs(t, err, llm.ErrTimeout)
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	require.Contains(t, err.Error(), "sent nothing for 50ms (timeout)")
}

func TestCall_GoesOnWhileBytesArrive(t *testing.T) {
	t.Parallel()
	e := provider(t, time.Second, trickle(14, 100*time.Millisecond))
	text, err := fetch(t.Context(), e, nil)
	require.Equal(t, strings.Repeat(".", 14), text)
	require.ErrorIs(t, err, llm.ErrTruncated) // it ended in order, and no adapter said that this is the end
}

func TestCall_DoesNotWaitForeverOnKeepAlivesAlone(t *testing.T) {
	t.Parallel()
	e := provider(t, 500*time.Millisecond, trickle(1000, 50*time.Millisecond))
	start := time.Now()
	_, err := fetch(t.Context(), e, nil)
	require.ErrorIs(t, err, llm.ErrTimeout)
	require.GreaterOrEqual(t, time.Since(start), 2400*time.Millisecond)
}

// trickle sends n points at a pace.
func trickle(n int, pace time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ticker := time.NewTicker(pace)
		defer ticker.Stop()
		for range n {
			_, _ = w.Write([]byte("."))
			_ = http.NewResponseController(w).Flush()
			select {
			case <-ticker.C:
			case <-r.Context().Done():
				return
			}
		}
	}
}

func TestCall_ReturnsTheCauseOfTheCallersContext(t *testing.T) {
	t.Parallel()
	stopped := errors.New("a person stopped it")
	ctx, cancel := context.WithCancelCause(t.Context())
	e := provider(t, 0, func(_ http.ResponseWriter, r *http.Request) {
		cancel(stopped)
		<-r.Context().Done()
	})
	_, err := fetch(ctx, e, nil)
	require.Equal(t, stopped, err)
}

// counter counts progress.
type counter struct {
	llm.Sink
	n int
}

func (c *counter) Progress() { c.n++ }

func TestCall_TellsProgress(t *testing.T) {
	t.Parallel()
	e := provider(t, 0, trickle(3, time.Millisecond))
	sink := &counter{Sink: llm.Discard}
	_, err := fetch(t.Context(), e, sink)
	require.Error(t, err)
	require.GreaterOrEqual(t, sink.n, 2) // the headers, then at least one read
}

func TestCall_StopsAnEndlessAnswer(t *testing.T) { // not parallel: it would starve the tests that measure time
	e := provider(t, 0, func(w http.ResponseWriter, r *http.Request) {
		block := make([]byte, 1<<20)
		for r.Context().Err() == nil {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	})
	_, err := fetch(t.Context(), e, nil)
	require.ErrorIs(t, err, llm.ErrServer)
	require.Contains(t, err.Error(), "more than 64 MB")
}

func TestCall_NamesNetworkTrouble(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close()) // nobody listens there now
	e, err := wire.NewEndpoint("http://"+listener.Addr().String(), "", 0, &http.Transport{DisableKeepAlives: true})
	require.NoError(t, err)
	_, err = fetch(t.Context(), e, nil)
	require.ErrorIs(t, err, llm.ErrNetwork)
	require.EqualError(t, err, "the connection to "+e.Host+" failed: connect: connection refused (network)")
}

func TestCall_FollowsNoRedirect(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 10)
	e := provider(t, 0, func(w http.ResponseWriter, r *http.Request) {
		asked <- r.URL.Path
		http.Redirect(w, r, "/elsewhere", http.StatusFound)
	})
	_, err := fetch(t.Context(), e, nil)
	require.Equal(t, "/", <-asked)
	require.Empty(t, asked, "the redirect was followed")
	require.Equal(t, fault.Invalid, fault.KindOf(err))
	require.Contains(t, err.Error(), "check the model's name and the base URL")
}

func TestCall_ReadsABoundedPartOfARefusal(t *testing.T) {
	t.Parallel()
	e := provider(t, 0, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadGateway)
		block := make([]byte, 1<<20)
		for r.Context().Err() == nil {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	})
	_, err := fetch(t.Context(), e, nil)
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
}

func TestEndpoint_UsesTheProxyOfTheEnvironment(t *testing.T) {
	e, err := wire.NewEndpoint("http://model.invalid", "", 0, nil)
	require.NoError(t, err)
	_, err = fetch(t.Context(), e, nil)
	require.ErrorIs(t, err, llm.ErrTruncated)
	require.Equal(t, "http://model.invalid/", <-proxied)
}

func TestNewEndpoint_RefusesWhatCannotWork(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ url, key string }{
		"no scheme":            {"api.example.com/v1", ""},
		"another scheme":       {"ftp://api.example.com", ""},
		"no host":              {"https:///v1", ""},
		"a password in it":     {"https://user:secretpass@api.example.com", ""},
		"a query":              {"https://api.example.com/v1?key=secretpass", ""},
		"a key of two lines":   {"https://api.example.com", "secretpass\nx"},
		"a key with a quote ”": {"https://api.example.com", "secretpass”"},
		"nonsense":             {"http://[::1", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := wire.NewEndpoint(c.url, c.key, 0, nil)
			require.Equal(t, fault.Invalid, fault.KindOf(err))
			require.NotContains(t, err.Error(), "secretpass")
		})
	}
	e, err := wire.NewEndpoint("https://api.example.com", " secretkey \n", 0, nil)
	require.NoError(t, err)
	require.Equal(t, "secretkey", e.Key)
	require.NotContains(t, e.String(), "secretkey")
}
