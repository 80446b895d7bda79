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

// hurry is how much faster the time of a write passes on an Unread server.
const hurry = 200

// Unread is a server for clients that do not read what it sends. A write that waits for its client ends hurry times as soon as its deadline says, and
// buffers are small. The server notes writes that have no deadline, which such a client could block without end.
type Unread struct {
	Addr string

	t         *testing.T
	open      atomic.Int32
	unbounded atomic.Int32
	cut       atomic.Int32
	closing   chan struct{}
	stop      func()
}

// NewUnread serves h as the program does, until the test ends.
func NewUnread(t *testing.T, h http.Handler) *Unread {
	t.Helper()
	l, err := httpserver.Listen("127.0.0.1:0", slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	u := &Unread{Addr: l.Addr().String(), t: t, closing: make(chan struct{})}
	counted := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u.open.Add(1)
		defer u.open.Add(-1)
		h.ServeHTTP(w, r)
	})
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		_ = httpserver.Serve(ctx, &hasty{l, u}, counted, u.closing, slog.New(slog.DiscardHandler)) // it ends with the test
	})
	u.stop = sync.OnceFunc(func() { cancel(); running.Wait() })
	t.Cleanup(u.stop)
	return u
}

// Open is the number of requests that are being answered, those of WebSockets included.
func (u *Unread) Open() int { return int(u.open.Load()) }

// Cut is the number of connections on which a write has ended at its deadline.
func (u *Unread) Cut() int { return int(u.cut.Load()) }

// Ends waits until no request is being answered, and fails if a write had no deadline.
func (u *Unread) Ends() {
	u.t.Helper()
	require.Eventually(u.t, func() bool { return u.Open() == 0 }, Limit, time.Millisecond, "a request is still being answered")
	require.Zero(u.t, u.unbounded.Load(), "writes without a deadline")
}

// hasty is the listener of an Unread server.
type hasty struct {
	net.Listener

	of *Unread
}

// Accept waits for the next connection.
func (h *hasty) Accept() (net.Conn, error) {
	c, err := h.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(4 << 10) // a larger one takes longer to fill
	}
	return &hastyConn{Conn: c, of: h.of}, nil
}

// hastyConn is a connection on which the time that a write may take passes faster. The time before it passes as usual.
type hastyConn struct {
	net.Conn

	of  *Unread
	cut sync.Once

	mu    sync.Mutex
	until time.Time // the deadline of writes; zero: there is none
}

// Write notes a write without a deadline, and the first that ends at one.
func (c *hastyConn) Write(b []byte) (int, error) {
	c.mu.Lock()
	until := c.until
	c.mu.Unlock()
	if until.IsZero() {
		c.of.unbounded.Add(1)
	} else {
		until = time.Now().Add(time.Until(until) / hurry)
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
func (c *hastyConn) SetWriteDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.until = t
	return nil
}

// SetDeadline sets the deadlines of reads and writes.
func (c *hastyConn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// Silent is a client that reads only what a test reads.
type Silent struct {
	net.Conn

	t *testing.T
}

// Request sends a request on a new connection and reads nothing. Headers are pairs.
func (u *Unread) Request(method, path, body string, headers ...string) *Silent {
	u.t.Helper()
	s := u.Dial()
	s.Send(method, path, body, headers...)
	return s
}

// Dial connects and sends nothing.
func (u *Unread) Dial() *Silent {
	u.t.Helper()
	conn, err := net.Dial("tcp", u.Addr)
	require.NoError(u.t, err)
	if tcp, ok := conn.(*net.TCPConn); ok {
		require.NoError(u.t, tcp.SetReadBuffer(4<<10))
	}
	u.t.Cleanup(func() { _ = conn.Close() })
	return &Silent{conn, u.t}
}

// Send sends a request.
func (s *Silent) Send(method, path, body string, headers ...string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, "http://localhost"+path, strings.NewReader(body))
	require.NoError(s.t, err)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	require.NoError(s.t, r.Write(s))
}

// Until reads up to a text, and not further.
func (s *Silent) Until(text string) (read string) {
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
func (s *Silent) Trickle() {
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
func (s *Silent) Flood(method, path, body string, headers ...string) {
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
