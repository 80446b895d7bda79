package memory

import (
	"context"
	"errors"
	"time"

	"xbot/internal/channel"
)

// event is an event from the platform to the bot.
type event struct {
	kind   string // message, edit, recall, press
	id     string // of a press
	post   post
	button string
	values map[string][]string
	answer chan channel.Toast
}

// Errors of calls to the platform.
var (
	errBroken  = errors.New("connection reset by peer")
	errRefused = errors.New("the bot may not write here")
	errDown    = errors.New("the platform is down")
	errLarge   = errors.New("too large")
	errSecret  = errors.New("wrong secret")
)

// limited is a refusal for too many calls.
type limited struct{ after time.Duration }

func (l *limited) Error() string { return "too many calls" }

// conn is one connection on which events travel. It is guarded by its world.
type conn struct {
	world  *World
	queue  []event
	open   []event       // delivered and not acknowledged
	wake   chan struct{} // holds one token while there may be something new
	closed bool
}

func (w *World) connect(secret string) (*conn, error) {
	if secret != "right" {
		return nil, errSecret
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	c := &conn{world: w, wake: make(chan struct{}, 1), queue: w.waiting}
	w.waiting = nil
	if w.flaws[Forgets] {
		c.queue = nil
	}
	w.conns[c] = true
	c.poke()
	return c, nil
}

// send gives an event to a connection, or keeps it for the next one. The world is locked.
func (w *World) send(e event) {
	if w.holding {
		w.held = append(w.held, e)
		return
	}
	for c := range w.conns {
		c.queue = append(c.queue, e)
		c.poke()
		return
	}
	w.waiting = append(w.waiting, e)
}

func (c *conn) poke() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// next waits for an event; ok is false when the connection is broken or ctx has ended.
func (c *conn) next(ctx context.Context) (e event, ok bool) {
	for {
		c.world.mu.Lock()
		closed := c.closed
		if !closed && len(c.queue) > 0 {
			e, c.queue = c.queue[0], c.queue[1:]
			c.open = append(c.open, e)
			c.world.mu.Unlock()
			return e, true
		}
		c.world.mu.Unlock()
		if closed {
			return event{}, false
		}
		select {
		case <-c.wake:
		case <-ctx.Done():
			return event{}, false
		}
	}
}

// ack acknowledges the newest event: if it failed, it comes again.
func (c *conn) ack(e event, done bool) {
	c.world.mu.Lock()
	defer c.world.mu.Unlock()
	if c.closed {
		return
	}
	c.open = nil
	if done {
		c.world.acked[e.post.id] = true
		return
	}
	c.queue = append(c.queue, e)
	c.poke()
}

// close breaks the connection: unacknowledged events wait for the next one.
func (c *conn) close() {
	c.world.mu.Lock()
	defer c.world.mu.Unlock()
	c.drop()
}

func (c *conn) drop() {
	if c.closed {
		return
	}
	c.closed = true
	delete(c.world.conns, c)
	c.world.waiting = append(c.world.waiting, append(c.open, c.queue...)...)
	c.poke()
}

// Disconnect breaks all connections.
func (w *World) Disconnect() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.conns {
		c.drop()
	}
}

// Connected counts the connections.
func (w *World) Connected() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.conns)
}
