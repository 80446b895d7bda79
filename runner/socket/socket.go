// Package socket carries frames of package wire over a WebSocket, for both of its ends: one writer at a time, bounded
// frames, and silence noticed. It knows nothing of what the frames mean.
package socket

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"xbot/runner/wire"
)

// Times of one socket.
const (
	writeWait   = 60 * time.Second // for one frame: the largest on a line of 1.5 Mbit/s
	controlWait = 10 * time.Second // for a ping, a pong or a close message
	closeWait   = time.Second      // for the close message to get out
)

// maxPings bounds the pings of the peer that are answered within wire.PongWait; each peer sends two.
const maxPings = 100

// Close codes of this protocol; 4000 to 4999 are for applications (RFC 6455 §7.4.2).
const (
	CodeGoingAway  = websocket.CloseGoingAway
	CodeRefused    = 4000 // the handshake failed; an error frame had the reason
	CodeSuperseded = 4001 // a newer connection of the same runner took over
)

// Socket is one connection. Send is safe for use by many goroutines; Receive by one.
type Socket struct {
	conn  *websocket.Conn
	write sync.Mutex
	once  sync.Once

	// Used by the receiving goroutine only:
	bounded bool // the next frame has a deadline that pings and pongs do not extend
	pings   int  // pings since the time below
	since   time.Time
}

// New takes over an established connection and begins to watch for silence of the other end. Limit bounds the frames
// that come in, until SetLimit.
func New(conn *websocket.Conn, limit int64) *Socket {
	s := &Socket{conn: conn}
	s.SetLimit(limit)
	s.extendDeadline()
	conn.SetPongHandler(func(string) error {
		s.alive()
		return nil
	})
	conn.SetPingHandler(func(text string) error {
		s.alive()
		if time.Since(s.since) > wire.PongWait {
			s.pings, s.since = 0, time.Now()
		}
		if s.pings++; s.pings > maxPings {
			return wire.Errorf(wire.Invalid, "more than %d pings came in %s", maxPings, wire.PongWait)
		}
		// A pong that cannot be written shows as a failed frame or as silence.
		_ = conn.WriteControl(websocket.PongMessage, []byte(text), time.Now().Add(controlWait))
		return nil
	})
	return s
}

// SetLimit bounds the frames that come in, in bytes.
func (s *Socket) SetLimit(limit int64) { s.conn.SetReadLimit(limit) }

// alive records a pong or ping of the peer.
func (s *Socket) alive() {
	if !s.bounded {
		s.extendDeadline()
	}
}

// extendDeadline puts off the moment at which the other end is given up.
func (s *Socket) extendDeadline() {
	_ = s.conn.SetReadDeadline(time.Now().Add(wire.PongWait)) // fails only on a closed connection, which Receive reports
}

// Send writes one frame. After an error other than TooLarge the socket is of no further use.
func (s *Socket) Send(f wire.Frame) error {
	data, err := f.Encode()
	if err != nil {
		return err
	}
	s.write.Lock()
	defer s.write.Unlock()
	if err := s.conn.SetWriteDeadline(time.Now().Add(writeWait)); err != nil {
		return fmt.Errorf("send %s: %w", f.Type, err)
	}
	if err := s.conn.WriteMessage(websocket.TextMessage, data); err != nil {
		return fmt.Errorf("send %s: %w", f.Type, err)
	}
	return nil
}

// Receive waits for the next frame. After an error the socket is of no further use.
func (s *Socket) Receive() (wire.Frame, error) {
	kind, data, err := s.conn.ReadMessage()
	if err != nil {
		return wire.Frame{}, err
	}
	if kind != websocket.TextMessage {
		return wire.Frame{}, wire.Errorf(wire.Invalid, "a binary message came; the protocol uses text")
	}
	s.bounded = false
	s.extendDeadline()
	return wire.DecodeFrame(data)
}

// SetDeadline bounds the wait for the next frame. Pings and pongs do not extend it; after the frame the usual timeout applies. Only the receiving
// goroutine may call it.
func (s *Socket) SetDeadline(t time.Time) error {
	s.bounded = true
	return s.conn.SetReadDeadline(t)
}

// KeepAlive pings until ctx ends or the socket fails.
func (s *Socket) KeepAlive(ctx context.Context) {
	tick := time.NewTicker(wire.PingEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			// A late ping is no failure: a large frame may be under way. Silence of the other end is noticed by Receive.
			err := s.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(controlWait))
			if errors.Is(err, websocket.ErrCloseSent) {
				return
			}
		}
	}
}

// Close sends the other end the reason, if it can, and closes the connection. It may be called more than once and at any time.
func (s *Socket) Close(code int, reason string) {
	s.once.Do(func() {
		reason = reason[:min(len(reason), 120)] // a close message holds 123 bytes
		message := websocket.FormatCloseMessage(code, reason)
		_ = s.conn.WriteControl(websocket.CloseMessage, message, time.Now().Add(closeWait)) // a courtesy
		_ = s.conn.Close()                                                                  // it is being given up
	})
}

// IsSuperseded reports whether Receive failed because a newer connection took over.
func IsSuperseded(err error) bool { return websocket.IsCloseError(err, CodeSuperseded) }
