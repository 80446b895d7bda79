package onebot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"xbot/internal/channel"
	"xbot/internal/channel/onebot/wire"
	"xbot/internal/fault"
	"xbot/internal/host/jsonlimit"
)

// Times and bounds of one connection.
const (
	pingEvery   = 30 * time.Second
	quiet       = 90 * time.Second // without heartbeats, and without answers to pings, a connection is dead
	missed      = 3                // heartbeats, after which a connection is dead
	writeWait   = 60 * time.Second
	controlWait = 5 * time.Second
	maxFrame    = 72 << 20 // bytes: a file of 50 MB in base64
	maxQueued   = 4096     // events that wait to be processed
)

// conn is one connection to NapCat, dialled by either side. Calls are safe for use by many goroutines. Its events are read by one.
type conn struct {
	ws    *websocket.Conn
	write sync.Mutex

	mu      sync.Mutex
	waiting map[string]*call
	err     error

	events chan *event   // never closed; done marks the end of events
	done   chan struct{} // closed when the connection has ended
	once   sync.Once
	loops  sync.WaitGroup
}

// call is an action under way.
type call struct {
	answers chan wire.Answer
	gone    chan struct{} // closed by the caller when it stops waiting
}

// newConn takes over a connection and begins to read it. The caller closes it.
func newConn(ws *websocket.Conn) *conn {
	c := &conn{ws: ws, waiting: map[string]*call{}, events: make(chan *event, maxQueued), done: make(chan struct{})}
	ws.SetReadLimit(maxFrame)
	c.loops.Go(c.read)
	c.loops.Go(c.ping)
	return c
}

// close ends the connection and waits for its goroutines.
func (c *conn) close() {
	c.end(errClosed)
	c.loops.Wait()
}

var errClosed = errors.New("the connection was closed here")

// end records why the connection ended, the first time.
func (c *conn) end(err error) {
	c.once.Do(func() {
		c.mu.Lock()
		c.err = err
		c.mu.Unlock()
		close(c.done)
		message := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
		_ = c.ws.WriteControl(websocket.CloseMessage, message, time.Now().Add(time.Second)) // a courtesy
		_ = c.ws.Close()                                                                    // it is being given up
	})
}

func (c *conn) reason() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

func (c *conn) read() {
	limit, beats := quiet, false
	heard := func(pong bool) {
		if !pong || !beats { // a pong proves that the process runs; only heartbeats prove that its client does
			_ = c.ws.SetReadDeadline(time.Now().Add(limit)) // fails only on a closed connection, which the next read reports
		}
	}
	heard(false)
	c.ws.SetPongHandler(func(string) error {
		heard(true)
		return nil
	})
	for {
		kind, data, err := c.ws.ReadMessage()
		if err != nil {
			c.end(c.ended(err, limit))
			return
		}
		if kind == websocket.TextMessage {
			if beat := c.take(data); beat > 0 {
				limit, beats = missed*beat, true
			}
		}
		heard(false)
	}
}

// ended describes why reading ended.
func (c *conn) ended(err error, limit time.Duration) error {
	var silent interface{ Timeout() bool }
	if errors.As(err, &silent) && silent.Timeout() {
		return fault.Errorf(fault.Unavailable, "NapCat was silent for %v", limit)
	}
	return fault.Errorf(fault.Unavailable, "the connection to NapCat ended: %w", err)
}

// minBeat bounds the interval that heartbeats announce, so that a strange one does not end every connection.
const minBeat = 10 * time.Millisecond

// take routes one frame to its receiver. It returns the interval of a heartbeat. Frames outside the protocol are dropped:
// they cannot be reported, and the connection is good.
func (c *conn) take(data []byte) time.Duration {
	var h wire.Head
	if jsonlimit.Default.Check(data) != nil || channel.Decode(data, &h) != nil {
		return 0
	}
	if h.PostType == "" {
		if h.Retcode != nil {
			c.answered(data)
		}
		return 0
	}
	e, ok := parseEvent(data)
	if !ok {
		return 0
	}
	select {
	case c.events <- e:
	case <-c.done:
	default:
		// The history has the events that this loses.
		c.end(fault.Errorf(fault.Unavailable, "more than %d events of NapCat wait to be taken in", maxQueued))
	}
	if e.MetaType == "heartbeat" && e.Interval > 0 {
		return max(minBeat, time.Duration(min(e.Interval, int64(time.Hour/time.Millisecond)))*time.Millisecond)
	}
	return 0
}

func (c *conn) answered(data []byte) {
	var a wire.Answer
	if json.Unmarshal(data, &a) != nil {
		return
	}
	var echo string
	_ = json.Unmarshal(a.Echo, &echo) // only a string can be an echo of this connection
	c.mu.Lock()
	w := c.waiting[echo]
	c.mu.Unlock()
	if w == nil {
		if echo == "" && a.Retcode == wire.RetcodeToken {
			c.end(errToken())
		}
		return
	}
	select {
	case w.answers <- a:
	case <-w.gone:
	case <-c.done:
	}
}

func errToken() error {
	return fault.Errorf(fault.Denied, "NapCat refuses the token: set the one of its WebSocket server in its network settings")
}

func (c *conn) ping() {
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	for {
		select {
		case <-c.done:
			return
		case <-tick.C:
			// One that cannot be written shows as silence.
			_ = c.ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(controlWait))
		}
	}
}

// echoes makes the echo of every call of this process unique.
var echoes atomic.Int64

// do asks for an action and waits for its answer. Pieces of a streamed answer go to each, which may be nil. An error is
// channel.Uncertain when the request may have arrived.
func (c *conn) do(ctx context.Context, action string, params any, each func(json.RawMessage) error) (wire.Answer, error) {
	if err := c.reason(); err != nil {
		return wire.Answer{}, err
	}
	echo := "xbot-" + strconv.FormatInt(echoes.Add(1), 36) + "-" + strconv.FormatInt(time.Now().UnixNano(), 36)
	data, err := json.Marshal(wire.Request{Action: action, Params: params, Echo: echo})
	if err != nil {
		return wire.Answer{}, fmt.Errorf("encode %s: %w", action, err)
	}
	w := &call{answers: make(chan wire.Answer, 1), gone: make(chan struct{})}
	c.mu.Lock()
	c.waiting[echo] = w
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.waiting, echo)
		c.mu.Unlock()
		close(w.gone)
	}()
	if err := c.send(data); err != nil {
		if told := c.endReason(ctx); fault.Is(told, fault.Denied) {
			return wire.Answer{}, told
		}
		return wire.Answer{}, channel.Uncertain(fault.Errorf(fault.Unavailable, "ask NapCat for %s: %w", action, err))
	}
	return c.await(ctx, action, w, each)
}

// endReason returns why a connection ended that accepts no more writes: earlier messages of NapCat may still be read.
func (c *conn) endReason(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, controlWait)
	defer cancel()
	select {
	case <-c.done:
	case <-ctx.Done():
	}
	return c.reason()
}

func (c *conn) send(data []byte) error {
	c.write.Lock()
	defer c.write.Unlock()
	if err := c.ws.SetWriteDeadline(time.Now().Add(writeWait)); err != nil {
		return err
	}
	return c.ws.WriteMessage(websocket.TextMessage, data)
}

func (c *conn) await(ctx context.Context, action string, w *call, each func(json.RawMessage) error) (wire.Answer, error) {
	for {
		select {
		case a := <-w.answers:
			if each == nil || !a.Partial() {
				return a, nil
			}
			if err := each(a.Data); err != nil {
				return wire.Answer{}, err
			}
		case <-c.done:
			err := c.reason()
			if fault.Is(err, fault.Denied) {
				return wire.Answer{}, err
			}
			return wire.Answer{}, channel.Uncertain(fault.Errorf(fault.Unavailable, "wait for NapCat's answer to %s: %w", action, err))
		case <-ctx.Done():
			return wire.Answer{}, channel.Uncertain(fault.Errorf(fault.Unavailable, "wait for NapCat's answer to %s: %w", action, context.Cause(ctx)))
		}
	}
}
