package runner

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"xbot/runner/socket"
	"xbot/runner/wire"
)

// maxCalls bounds the requests of one connection that are under way.
const maxCalls = 1024

// session serves the requests of one connection.
type session struct {
	daemon *daemon
	sock   Transport

	mu    sync.Mutex
	calls map[uint64]*call
}

// call is a request under way.
type call struct {
	cancel context.CancelFunc
	credit chan struct{} // one token for each push that may be sent; full at the start
}

func newSession(d *daemon, sock Transport) *session {
	return &session{daemon: d, sock: sock, calls: map[uint64]*call{}}
}

// serve reads frames until the connection ends, then waits for the requests under way to let go.
func (s *session) serve(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	for {
		frame, err := s.sock.Receive()
		if err != nil {
			return fmt.Errorf("the connection ended: %w", err)
		}
		switch frame.Type {
		case wire.TypeAck:
			s.acknowledge(frame)
		case wire.TypeCancel:
			s.cancel(frame.ID)
		default:
			if err := s.begin(ctx, &running, frame); err != nil {
				return err
			}
		}
	}
}

// begin answers a request in a separate goroutine.
func (s *session) begin(ctx context.Context, running *sync.WaitGroup, frame wire.Frame) error {
	ctx, cancel := context.WithCancel(ctx)
	c := &call{cancel: cancel, credit: make(chan struct{}, wire.Window)}
	for range wire.Window {
		c.credit <- struct{}{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls[frame.ID] != nil {
		cancel()
		return fmt.Errorf("the server used the request id %d twice", frame.ID)
	}
	if len(s.calls) >= maxCalls {
		cancel()
		return s.answer(frame.ID, nil, wire.Errorf(wire.Unavailable, "the runner is busy with %d requests", maxCalls))
	}
	s.calls[frame.ID] = c
	running.Go(func() {
		defer s.end(frame.ID)
		result, err := s.daemon.handle(ctx, frame, func(body any) error { return s.push(ctx, frame.ID, c, body) })
		if ctx.Err() != nil {
			return // the caller does not wait any more
		}
		if err := s.answer(frame.ID, result, err); err != nil {
			s.sock.Close(socket.CodeGoingAway, "an answer could not be sent")
		}
	})
	return nil
}

func (s *session) end(id uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[id].cancel()
	delete(s.calls, id)
}

// push sends a part of an answer when the server takes more.
func (s *session) push(ctx context.Context, id uint64, c *call, body any) error {
	select {
	case <-c.credit:
	case <-ctx.Done():
		return ctx.Err()
	}
	frame, err := wire.NewFrame(id, wire.TypePush, body)
	if err != nil {
		return err
	}
	return s.sock.Send(frame)
}

func (s *session) acknowledge(frame wire.Frame) {
	s.mu.Lock()
	c := s.calls[frame.ID]
	s.mu.Unlock()
	var ack wire.Ack
	if c == nil || frame.Decode(&ack) != nil {
		return // of a request that has just ended
	}
	for range min(ack.N, wire.Window) {
		select {
		case c.credit <- struct{}{}:
		default: // more acks than pushes
		}
	}
}

func (s *session) cancel(id uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.calls[id]; c != nil {
		c.cancel()
	}
}

// answer sends the one result or error of a request. A result too large for a frame becomes an error.
func (s *session) answer(id uint64, result any, err error) error {
	frame, encodeErr := wire.NewFrame(id, wire.TypeResult, result)
	if err = errors.Join(err, encodeErr); err == nil {
		err = s.sock.Send(frame)
		if err == nil || wire.AsError(err).Kind != wire.TooLarge {
			return err
		}
	}
	frame, encodeErr = wire.NewFrame(id, wire.TypeError, wire.AsError(err))
	if encodeErr != nil {
		return encodeErr
	}
	return s.sock.Send(frame)
}
