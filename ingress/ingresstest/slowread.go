package ingresstest

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/httpserver"
)

// speedup is how much faster the time of a write passes on a SlowReadServer.
const speedup = 200

// SlowReadServer is a server for clients that do not read its responses. Write deadlines pass speedup times as fast, and buffers are small. The server
// counts writes without a deadline, which such a client could block without end.
type SlowReadServer struct {
	Addr string

	t         *testing.T
	open      atomic.Int32
	unbounded atomic.Int32
	cut       atomic.Int32
	closing   chan struct{}
	stop      func()
}

// NewSlowReadServer serves h as the program does, until the test ends.
func NewSlowReadServer(t *testing.T, h http.Handler) *SlowReadServer {
	t.Helper()
	l, err := httpserver.Listen("127.0.0.1:0", slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	u := &SlowReadServer{Addr: l.Addr().String(), t: t, closing: make(chan struct{})}
	counted := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u.open.Add(1)
		defer u.open.Add(-1)
		h.ServeHTTP(w, r)
	})
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		_ = httpserver.Serve(ctx, &slowReadListener{l, u}, counted, u.closing, slog.New(slog.DiscardHandler)) // it ends with the test
	})
	u.stop = sync.OnceFunc(func() { cancel(); running.Wait() })
	t.Cleanup(u.stop)
	return u
}

// Open returns the number of requests that are being answered, those of WebSockets included.
func (u *SlowReadServer) Open() int { return int(u.open.Load()) }

// Cut returns the number of connections on which a write has ended at its deadline.
func (u *SlowReadServer) Cut() int { return int(u.cut.Load()) }

// Ends waits until no request is being answered, and fails if a write had no deadline.
func (u *SlowReadServer) Ends() {
	u.t.Helper()
	require.Eventually(u.t, func() bool { return u.Open() == 0 }, Limit, time.Millisecond, "a request is still being answered")
	require.Zero(u.t, u.unbounded.Load(), "writes without a deadline")
}

// slowReadListener is the listener of a SlowReadServer.
type slowReadListener struct {
	net.Listener

	of *SlowReadServer
}

// Accept waits for the next connection.
func (h *slowReadListener) Accept() (net.Conn, error) {
	c, err := h.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(4 << 10) // a larger one takes longer to fill
	}
	return &slowReadConn{Conn: c, of: h.of}, nil
}

// slowReadConn is a connection whose write deadlines pass faster once a write has begun.
type slowReadConn struct {
	net.Conn

	of  *SlowReadServer
	cut sync.Once

	mu    sync.Mutex
	until time.Time // the deadline of writes; zero: there is none
}

// Write counts a write without a deadline, and the first that a deadline ends.
func (c *slowReadConn) Write(b []byte) (int, error) {
	c.mu.Lock()
	until := c.until
	c.mu.Unlock()
	if until.IsZero() {
		c.of.unbounded.Add(1)
	} else {
		until = time.Now().Add(time.Until(until) / speedup)
	}
	if err := c.Conn.SetWriteDeadline(until); err != nil {
		return 0, err
	}
	n, err := c.Conn.Write(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		c.cut.Do(func() { c.of.cut.Add(1) })
	}
	return n, err
}

// SetWriteDeadline sets the deadline of the writes that follow.
func (c *slowReadConn) SetWriteDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.until = t
	return nil
}

// SetDeadline sets the deadlines of reads and writes.
func (c *slowReadConn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// SlowReader is a client that reads only what a test reads.
type SlowReader struct {
	net.Conn

	t *testing.T
}

// Request sends a request on a new connection and reads nothing. Headers are pairs.
func (u *SlowReadServer) Request(method, path, body string, headers ...string) *SlowReader {
	u.t.Helper()
	s := u.Dial()
	s.Send(method, path, body, headers...)
	return s
}

// Dial connects and sends nothing.
func (u *SlowReadServer) Dial() *SlowReader {
	u.t.Helper()
	conn, err := net.Dial("tcp", u.Addr)
	require.NoError(u.t, err)
	if tcp, ok := conn.(*net.TCPConn); ok {
		require.NoError(u.t, tcp.SetReadBuffer(4<<10))
	}
	u.t.Cleanup(func() { _ = conn.Close() })
	return &SlowReader{conn, u.t}
}

// Send sends a request.
func (s *SlowReader) Send(method, path, body string, headers ...string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, "http://localhost"+path, strings.NewReader(body))
	require.NoError(s.t, err)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	require.NoError(s.t, r.Write(s))
}

// Until reads up to a text, and not further.
func (s *SlowReader) Until(text string) (read string) {
	s.t.Helper()
	require.NoError(s.t, s.SetReadDeadline(time.Now().Add(Limit)))
	one := make([]byte, 1)
	for !strings.HasSuffix(read, text) {
		_, err := io.ReadFull(s, one)
		require.NoError(s.t, err, "%.200q", read)
		read += string(one)
	}
	return read
}

// Trickle reads a byte now and then until the connection ends.
func (s *SlowReader) Trickle() {
	var reading sync.WaitGroup
	quit := make(chan struct{})
	reading.Go(func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		one := make([]byte, 1)
		for {
			select {
			case <-quit:
				return
			case <-tick.C:
				if _, err := s.Read(one); err != nil {
					return
				}
			}
		}
	})
	s.t.Cleanup(func() { close(quit); _ = s.Close(); reading.Wait() })
}

// Flood sends a request again and again, and reads no response, until the connection ends.
func (s *SlowReader) Flood(method, path, body string, headers ...string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, "http://localhost"+path, nil)
	require.NoError(s.t, err)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	var one strings.Builder
	r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	require.NoError(s.t, r.Write(&one))
	var sending sync.WaitGroup
	sending.Go(func() {
		for {
			if _, err := io.WriteString(s, one.String()); err != nil {
				return
			}
		}
	})
	s.t.Cleanup(func() { _ = s.Close(); sending.Wait() })
}
