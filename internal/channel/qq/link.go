package qq

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"xbot/internal/channel"
	"xbot/internal/fault"
	"xbot/internal/host/jsonlimit"
	"xbot/internal/host/safehttp"
)

const (
	handshakeTimeout = 15 * time.Second
	helloTimeout     = 20 * time.Second
	writeTimeout     = 10 * time.Second
	maxFrame         = 16 << 20 // bytes
	// maxWaiting bounds the events that were read and wait for their turn. A full queue stops the reading, and if that
	// lasts, the heartbeat ends the connection; uncommitted events come again after Resume.
	maxWaiting = 256
	// minHeartbeat and maxHeartbeat bound the interval that a Hello asks for.
	minHeartbeat = 10 * time.Millisecond
	maxHeartbeat = 10 * time.Minute
)

// Ends of a connection.
var (
	errReconnect = fault.Errorf(fault.Unavailable, "QQ asked for a new connection")
	errInvalid   = fault.Errorf(fault.Unavailable, "QQ does not know the session")
	errSilent    = fault.Errorf(fault.Unavailable, "QQ did not answer a heartbeat")
	errTooMuch   = fault.Errorf(fault.Unavailable, "QQ sent an event of more than %d MiB, which was passed over", maxFrame>>20)
	errNoHello   = fault.Errorf(fault.Unavailable, "QQ's gateway did not begin with Hello")
)

// closing is a close frame.
type closing struct {
	code  int
	text  string
	token string // that the connection was opened with; never shown
}

// Error returns the code and the text of the frame.
func (c closing) Error() string { return fmt.Sprintf("code %d: %s", c.code, c.text) }

func dial(ctx context.Context, url string) (*websocket.Conn, error) {
	d := websocket.Dialer{Proxy: websocket.DefaultDialer.Proxy, HandshakeTimeout: handshakeTimeout, NetDialContext: safehttp.HideAddresses((&net.Dialer{}).DialContext)}
	socket, res, err := d.DialContext(ctx, url, nil)
	if res != nil && res.Body != nil {
		_ = res.Body.Close() // gorilla has read what there is
	}
	if err != nil {
		return nil, err
	}
	socket.SetReadLimit(maxFrame)
	return socket, nil
}

// link is one connection.
type link struct {
	*gateway

	socket *websocket.Conn
	opened time.Time
	token  string

	writing  sync.Mutex
	answered atomic.Bool // the last heartbeat
}

// serve opens or resumes a session, and passes on events until the connection ends. It returns why.
func (l *link) serve(ctx context.Context) error {
	parent := ctx
	ctx, end := context.WithCancelCause(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer end(nil)
	wg.Go(func() {
		<-ctx.Done()
		_ = l.socket.Close() // it ends the reading; that it was closed before is no news
	})
	interval, err := l.greeted()
	if err != nil {
		return err
	}
	if err := l.introduce(ctx); err != nil {
		return err
	}
	events := make(chan frame, maxWaiting) // closed by read
	wg.Go(func() { l.beat(ctx, end, interval) })
	wg.Go(func() { l.read(ctx, end, events) })
	for f := range events { // also those read before the connection ended: a new session would not bring them again
		if err := l.take(parent, ctx.Done(), f); err != nil {
			end(err)
			break
		}
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

// greeted waits for Hello and returns the interval of heartbeats.
func (l *link) greeted() (time.Duration, error) {
	if err := l.socket.SetReadDeadline(time.Now().Add(helloTimeout)); err != nil {
		return 0, err
	}
	_, raw, err := l.socket.ReadMessage()
	if err != nil {
		return 0, l.cause(err)
	}
	every, err := readHello(raw)
	if err != nil {
		return 0, err
	}
	return every, l.socket.SetReadDeadline(time.Time{})
}

func readHello(raw []byte) (time.Duration, error) {
	var f frame
	var h hello
	if json.Unmarshal(raw, &f) != nil || f.Op != opHello || json.Unmarshal(f.Data, &h) != nil || h.Interval <= 0 {
		return 0, errNoHello
	}
	every := min(h.Interval, maxHeartbeat.Milliseconds())
	return max(time.Duration(every)*time.Millisecond, minHeartbeat), nil
}

// introduce asks for the rest of the old session, or for a new one.
func (l *link) introduce(ctx context.Context) error {
	token, err := l.tokens.Get(ctx)
	if err != nil {
		return err
	}
	l.token = token
	s := l.keeper.get()
	if s.ID != "" {
		return l.write(opResume, resume{Token: "QQBot " + token, Session: s.ID, Seq: s.Seq})
	}
	l.keeper.change(func(s *session) { s.begin(time.Now()) })
	s = l.keeper.get()
	return l.write(opIdentify, identify{
		Token: "QQBot " + token, Intents: l.set.levels()[s.Level].intents, Shard: [2]int{0, 1},
		Properties: map[string]string{"$os": runtime.GOOS, "$browser": "xbot", "$device": "xbot"},
	})
}

func (l *link) write(op int, data any) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	if err := l.socket.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return err
	}
	return l.socket.WriteJSON(map[string]any{"op": op, "d": data})
}

// beat sends heartbeats, and ends the connection when one was not answered before the next.
func (l *link) beat(ctx context.Context, end context.CancelCauseFunc, every time.Duration) {
	l.answered.Store(true)
	for channel.Rest(ctx, every) {
		if !l.answered.Swap(false) {
			end(errSilent)
			return
		}
		if err := l.pulse(); err != nil {
			end(fault.Errorf(fault.Unavailable, "send a heartbeat to QQ: %w", err))
			return
		}
	}
}

// pulse sends one heartbeat with the sequence of the last event; null when there was none.
func (l *link) pulse() error {
	var last any
	if s := l.keeper.get(); s.Seq > 0 {
		last = s.Seq
	}
	return l.write(opHeartbeat, last)
}

// read takes frames until the connection ends. Malformed frames are passed over.
func (l *link) read(ctx context.Context, end context.CancelCauseFunc, events chan<- frame) {
	defer close(events)
	for {
		_, raw, err := l.socket.ReadMessage()
		if err != nil {
			end(l.cause(err))
			return
		}
		if err := l.handleFrame(ctx, raw, events); err != nil {
			end(err)
			return
		}
	}
}

// handleFrame processes one frame. Its error is why the connection ends.
func (l *link) handleFrame(ctx context.Context, raw []byte, events chan<- frame) error {
	var f frame
	if jsonlimit.Default.Unmarshal(raw, &f) != nil {
		return nil
	}
	switch f.Op {
	case opDispatch:
		l.seen = max(l.seen, f.Seq)
		select {
		case events <- f:
		case <-ctx.Done():
			return ctx.Err()
		}
	case opHeartbeat:
		if err := l.pulse(); err != nil {
			return fault.Errorf(fault.Unavailable, "answer a heartbeat of QQ: %w", err)
		}
	case opAck:
		l.answered.Store(true)
	case opReconnect:
		return errReconnect
	case opInvalid:
		return errInvalid
	}
	return nil
}

// cause names why reading ended.
func (l *link) cause(err error) error {
	if c, ok := errors.AsType[*websocket.CloseError](err); ok {
		return closing{code: c.Code, text: c.Text, token: l.token}
	}
	if errors.Is(err, websocket.ErrReadLimit) {
		return errTooMuch
	}
	return fault.Errorf(fault.Unavailable, "the connection to QQ broke: %w", err)
}

// take passes on one event and moves the position in the stream behind it.
func (l *link) take(ctx context.Context, gone <-chan struct{}, f frame) error {
	switch f.Type {
	case "READY":
		var r ready
		if err := json.Unmarshal(f.Data, &r); err != nil || r.Session == "" {
			return fault.Errorf(fault.Unavailable, "QQ opened a session that has no name")
		}
		l.begun(ctx, r, f.Seq)
		return nil
	case "RESUMED":
		l.invalid, l.denied, l.signed = 0, 0, true
		if s := l.keeper.get(); s.Bot.ID != "" {
			l.self.Store(&s.Bot)
		}
		l.report.Report(channel.Status{Connected: true})
	default:
		if s := l.keeper.get(); s.Bot.ID != "" && l.self.Load() == nil {
			l.self.Store(&s.Bot) // missed events come before RESUMED
		}
		if err := l.deliver(ctx, gone, f); err != nil {
			return err
		}
	}
	l.keeper.change(func(s *session) { s.Seq = max(s.Seq, f.Seq) })
	return nil
}

// begun records a new session, before it is reported as connected.
func (l *link) begun(ctx context.Context, r ready, seq int64) {
	l.invalid, l.denied, l.signed = 0, 0, true
	l.self.Store(&r.User)
	l.keeper.change(func(s *session) { s.ID, s.Seq, s.Bot = r.Session, seq, r.User })
	_ = l.keeper.save(ctx) // the keeper tries again
	l.report.Report(channel.Status{Connected: true})
}
