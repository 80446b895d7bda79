// Package httpserver puts the parts of the HTTP server together: the routes, the headers that every answer has, and how
// long a request may take.
package httpserver

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strings"
	"time"

	"xbot/ingress/temporalui"
	"xbot/internal/fault"
	"xbot/internal/host/filelink"
)

// Timeouts of the HTTP server. Event streams, which have no end, set a write deadline for each event.
const (
	readHeaderTimeout = 10 * time.Second
	readTimeout       = time.Minute
	writeTimeout      = 2 * time.Minute // for a page's largest file on a slow line
	idleTimeout       = 2 * time.Minute
	shutdownTimeout   = 3 * time.Second
)

// unreadMost is how much of a request is read that its handler left unread, in bytes: as much as net/http reads before it uses a connection again.
const unreadMost = 256 << 10

// Routes are the parts of the server, put together by the program.
type Routes struct {
	API      http.Handler // /api/
	OpenAPI  http.Handler // /api/openapi.json
	Runners  http.Handler // /api/runners/connect, which authenticates runners
	Internal http.Handler // /internal/: workers of other processes
	Temporal http.Handler // /temporal/, behind the login; nil if there is none
	Files    http.Handler // /files/: signed links, without a login
	Metrics  http.Handler // /metrics, behind the login
	Channels http.Handler // /channels/: webhooks of platforms, which sign their requests
	Hooks    http.Handler // /hooks/: calls of triggers, which sign their requests
	MCP      http.Handler // /mcp: tools for programs that speak the Model Context Protocol
	Page     http.Handler // everything else

	// Others are handlers that authenticate requests or need no login, by the beginnings of their paths: the OpenAI-compatible API (/v1/),
	// which takes tokens alone, the sign-in at providers (/oidc/, where there is such a provider, and /oauth/ to connect accounts), and the
	// files of plugins' panels (/plugin-files/), whose addresses are signed.
	Others map[string]http.Handler

	Ready   Readiness // /readyz
	Hosts   Hosts     // refuses foreign host names
	Refuser Refuser   // answers what Hosts refuses
}

// Readiness reports why a process cannot work now.
type Readiness interface {
	Ready(ctx context.Context) error
}

// Hosts rejects requests to a host name that is not this server's.
type Hosts interface {
	Check(r *http.Request) error
}

// Refuser answers a request that is refused.
type Refuser interface {
	Refuse(w http.ResponseWriter, r *http.Request, err error)
}

// Handler puts the routes together.
func (r Routes) Handler() http.Handler {
	mux := http.NewServeMux()
	HandleHealth(mux, r.Ready)
	mux.Handle("/api/", r.API)
	mux.Handle("GET /api/openapi.json", r.OpenAPI)
	mux.Handle("GET /metrics", r.Metrics)
	if r.Runners != nil {
		mux.Handle("GET /api/runners/connect", r.Runners)
	}
	if r.Internal != nil {
		mux.Handle("/internal/", r.Internal)
	}
	if r.Temporal != nil {
		mux.Handle(temporalui.Root, r.Temporal)
	}
	if r.Files != nil {
		mux.Handle("GET "+filelink.Prefix, r.Files)
	}
	if r.Channels != nil {
		mux.Handle("/channels/", r.Channels)
	}
	if r.Hooks != nil {
		mux.Handle("/hooks/", r.Hooks)
	}
	if r.MCP != nil {
		mux.Handle("/mcp", r.MCP)
	}
	for path, handler := range r.Others {
		mux.Handle(path, handler)
	}
	mux.Handle("/", r.Page)
	return r.guard(mux)
}

// readyTimeout bounds one probe of readiness.
const readyTimeout = 3 * time.Second

// HandleHealth registers /healthz, which answers while the process runs, and /readyz, which answers whether it can do its work.
func HandleHealth(mux *http.ServeMux, ready Readiness) {
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { answer(w, nil) })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, q *http.Request) {
		ctx, cancel := context.WithTimeout(q.Context(), readyTimeout)
		defer cancel()
		answer(w, ready.Ready(ctx))
	})
}

// guard checks the host and sets the headers that every answer has.
func (r Routes) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("X-Frame-Options", "DENY")
		if !strings.HasPrefix(q.URL.Path, "/internal/") && q.URL.Path != "/healthz" && q.URL.Path != "/readyz" {
			if err := r.Hosts.Check(q); err != nil {
				r.Refuser.Refuse(w, q, err)
				return
			}
		}
		next.ServeHTTP(w, q)
	})
}

func answer(w http.ResponseWriter, err error) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if err != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte("not ready: " + err.Error() + "\n")) // the client is gone if this fails
		return
	}
	_, _ = w.Write([]byte("ok\n")) // the client is gone if this fails
}

// protect logs a request that broke.
func protect(next http.Handler, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if p != http.ErrAbortHandler { //nolint:errorlint // handlers panic with exactly this value
				log.Error("request broke", "method", q.Method, "route", q.Pattern, "panic", p, "stack", string(debug.Stack()))
			}
			panic(http.ErrAbortHandler) // the server closes the connection and sends nothing more
		}()
		next.ServeHTTP(w, q)
	})
}

// unreadBody keeps the body of a request open for drain. The server closes it.
type unreadBody struct{ io.ReadCloser }

// Close does nothing.
func (unreadBody) Close() error { return nil }

// drain reads what a handler left of the body of a request whose connection is closed after it, which net/http does not. A client that is still
// writing when the connection is closed sees a reset instead of the response, such as "request too large".
func drain(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if !q.Close {
			next.ServeHTTP(w, q)
			return
		}
		body := q.Body
		q.Body = unreadBody{body}
		next.ServeHTTP(w, q)
		_, _ = io.CopyN(io.Discard, body, unreadMost) // the client is gone, or sends too slowly
	})
}

// Listen listens on the address of the server, and limits the connections of one address, except trusted proxies. If the port is in use, the error is
// a sentence for the operator.
func Listen(addr string, log *slog.Logger, proxies ...netip.Prefix) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fault.Errorf(fault.Invalid, "cannot listen on %s (%w): stop what uses the port, or set XBOT_HTTP_ADDR to another address", addr, err)
	}
	return &connections{Listener: l, proxies: proxies, most: connectionsOfOne, log: log}, nil
}

// Serve answers requests until ctx ends. It closes closing first, so that event streams end.
func Serve(ctx context.Context, l net.Listener, h http.Handler, closing chan<- struct{}, log *slog.Logger) error {
	server := &http.Server{
		Handler: protect(drain(h), log), ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug), MaxHeaderBytes: 64 << 10,
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	close(closing)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return server.Close()
}
