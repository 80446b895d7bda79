package llmtest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Limits of what the server takes and keeps.
const (
	maxBodyBytes = 32 << 20
	maxKept      = 5000 // recorded requests; older ones are forgotten
)

// Handler decides what to answer. It is called from one goroutine per request and may block.
type Handler func(Request) Reply

// TB is the part of testing.TB that New needs; the package itself must not import testing, since it is also a program.
type TB interface {
	Helper()
	Cleanup(func())
	Fatalf(format string, args ...any)
}

// Server is a running server. All its methods may be called from any goroutine.
type Server struct {
	addr string

	mu       sync.Mutex
	handler  Handler
	counter  *counter // nil: tokens are not counted
	requests []Request
	count    int
	attempts map[string]int
	arrived  chan struct{} // closed and replaced with each request
	live     *live         // nil while stopped
	strict   bool
	key      string   // "": none is required
	models   []string // nil: every model is there
	answered time.Time
}

// live is one period of listening.
type live struct {
	http   *http.Server
	served chan struct{} // closed when Serve returned
	stop   chan struct{} // closed by Stop; hanging handlers wait for it
	busy   sync.WaitGroup
}

// New starts a server on a free port of 127.0.0.1 that closes with the test.
func New(tb TB) *Server {
	tb.Helper()
	s, err := Start("127.0.0.1:0")
	if err != nil {
		tb.Fatalf("start the scripted model: %v", err)
	}
	tb.Cleanup(s.Stop)
	return s
}

// Start listens on addr, whose port may be 0.
func Start(addr string) (*Server, error) {
	s := &Server{addr: addr, attempts: map[string]int{}, arrived: make(chan struct{})}
	return s, s.Restart()
}

// URL returns the address without a path: the base URL of an Anthropic client.
func (s *Server) URL() string { return "http://" + s.Addr() }

// BaseURL returns the base URL of an OpenAI client.
func (s *Server) BaseURL() string { return s.URL() + "/v1" }

// Addr returns host and port.
func (s *Server) Addr() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addr
}

// Handle sets what decides the answers; nil goes back to programs.
func (s *Server) Handle(h Handler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handler = h
}

// Strict makes the server refuse what one real provider or another would refuse. It stays so until the server is thrown
// away.
func (s *Server) Strict() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.strict = true
}

// Stop breaks all connections and closes the port. It returns when no handler runs any more. Requests stay recorded.
func (s *Server) Stop() {
	s.mu.Lock()
	running := s.live
	s.live = nil
	s.mu.Unlock()
	if running == nil {
		return
	}
	close(running.stop)
	_ = running.http.Close() // its error is the listener's, which is going anyway
	<-running.served
	running.busy.Wait()
}

// Restart listens again on the address that the server had. It fails when the server runs.
func (s *Server) Restart() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live != nil {
		return errors.New("the scripted model runs already")
	}
	listener, err := net.Listen("tcp", s.addr)
	if err != nil {
		return fmt.Errorf("listen for the scripted model: %w", err)
	}
	s.addr = listener.Addr().String()
	now := &live{served: make(chan struct{}), stop: make(chan struct{})}
	now.http = &http.Server{Handler: s.routes(now), ReadHeaderTimeout: 10 * time.Second}
	s.live = now
	go func() {
		defer close(now.served)
		_ = now.http.Serve(listener) // always an error; http.ErrServerClosed after Stop
	}()
	return nil
}

// Requests returns the recorded requests, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Count returns how many requests arrived since the start or the last Reset.
func (s *Server) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

// Reset forgets the recorded requests and counts attempts from one again.
func (s *Server) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests, s.count, s.attempts = nil, 0, map[string]int{}
}

// Wait returns when at least n requests have arrived since the last Reset, or with the context's cause.
func (s *Server) Wait(ctx context.Context, n int) error {
	for {
		s.mu.Lock()
		enough, arrived := s.count >= n, s.arrived
		s.mu.Unlock()
		if enough {
			return nil
		}
		select {
		case <-arrived:
		case <-ctx.Done():
			return fmt.Errorf("wait for %d requests, %d came: %w", n, s.Count(), context.Cause(ctx))
		}
	}
}

func (s *Server) routes(now *live) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.serve(now, parseOpenAI, writeOpenAI))
	mux.HandleFunc("POST /v1/responses", s.serve(now, parseResponses, writeResponses))
	mux.HandleFunc("POST /v1/messages", s.serve(now, parseAnthropic, writeAnthropic))
	mux.HandleFunc("GET /v1/models", s.listModels)
	mux.HandleFunc("GET /_requests", s.listRequests)
	mux.HandleFunc("DELETE /_requests", func(w http.ResponseWriter, _ *http.Request) { s.Reset(); w.WriteHeader(http.StatusNoContent) })
	return mux
}

// serve answers one request of a dialect.
func (s *Server) serve(now *live, parse func([]byte) (Request, error), write func(*wire, Request, Reply)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !s.enter(now) {
			return
		}
		defer now.busy.Done()
		raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
		if err != nil {
			http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
			return
		}
		req, err := parse(raw)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		req.Raw, req.Header = raw, r.Header.Clone()
		reply := s.answer(&req)
		out := &wire{w: w, done: r.Context().Done(), stop: now.stop, gap: reply.Gap}
		if !out.pause(reply.Delay) {
			return
		}
		for key, values := range reply.Header {
			w.Header()[http.CanonicalHeaderKey(key)] = values
		}
		if reply.Body != "" {
			writeBody(out, reply)
			return
		}
		write(out, req, reply)
		s.mu.Lock()
		s.answered = time.Now()
		s.mu.Unlock()
	}
}

// Answered returns when the newest answer was written to its end.
func (s *Server) Answered() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.answered
}

// enter counts a handler as running, unless its period of listening is over.
func (s *Server) enter(now *live) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live != now {
		return false
	}
	now.busy.Add(1)
	return true
}

// answer decides what a request is answered with.
func (s *Server) answer(req *Request) Reply {
	s.mu.Lock()
	counter, strict := s.counter, s.strict
	s.mu.Unlock()
	if no, refused := s.barred(*req); refused {
		s.record(req)
		return no
	}
	if no, refused := faulty(*req); strict && refused {
		s.record(req)
		return no
	}
	if counter == nil {
		return s.record(req)(*req)
	}
	counter.measure(req)
	handler := s.record(req)
	if no, refused := counter.refuse(*req); refused {
		return no
	}
	reply := handler(*req)
	if reply.Usage == nil && !reply.NoUsage {
		reply.Usage = counter.usage(*req, reply)
	}
	return reply
}

// record numbers the request, keeps it and returns what answers it.
func (s *Server) record(req *Request) Handler {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := fmt.Sprintf("%d %d %s", req.Users, req.Step, programText(req.User))
	s.attempts[key]++
	req.N, req.At, req.Attempt = s.count, time.Now(), s.attempts[key]
	s.count++
	if len(s.requests) >= maxKept {
		s.requests = slices.Delete(s.requests, 0, maxKept/2)
	}
	s.requests = append(s.requests, *req)
	if old := len(s.requests) - 1 - keptWhole; s.counter != nil && old >= 0 {
		s.requests[old].Raw, s.requests[old].Messages, s.requests[old].Tools = nil, nil, nil
	}
	close(s.arrived)
	s.arrived = make(chan struct{})
	if s.handler != nil {
		return s.handler
	}
	return Run
}

func (s *Server) listRequests(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{"count": s.Count(), "requests": s.Requests()})
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(cmp.Or(status, http.StatusOK))
	_ = json.NewEncoder(w).Encode(value) // an error means that the client is gone
}
