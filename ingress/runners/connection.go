package runners

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync"
	"sync/atomic"

	"xbot/internal/host/jsonlimit"
	"xbot/internal/sandbox"
	"xbot/runner/socket"
	"xbot/runner/wire"
)

// ackEvery is the number of pushes that are acknowledged together.
const ackEvery = wire.Window / 4

// connection is one connection of one runner.
type connection struct {
	sock  *socket.Socket
	who   Identity
	token [sha256.Size]byte // hash of the one it came with
	info  wire.Info
	epoch int64
	gone  chan struct{} // closed when the connection has ended

	killing atomic.Bool // kills are being sent

	mu     sync.Mutex
	ended  bool
	lastID uint64
	calls  map[uint64]chan wire.Frame // each holds the frames that a runner may send without an ack, and the end
	notes  sync.WaitGroup             // work in the background
}

var _ sandbox.Connection = (*connection)(nil)

func newSession(sock *socket.Socket, who Identity, token [sha256.Size]byte, info wire.Info, epoch int64) *connection {
	return &connection{
		sock: sock, who: who, token: token, info: info, epoch: epoch,
		gone: make(chan struct{}), calls: map[uint64]chan wire.Frame{},
	}
}

// Info returns the data that the runner reported.
func (s *connection) Info(context.Context) (wire.Info, error) {
	if s.over() {
		return wire.Info{}, sandbox.ErrOffline
	}
	return s.info, nil
}

func (s *connection) over() bool {
	select {
	case <-s.gone:
		return true
	default:
		return false
	}
}

// supersede closes the connection because a newer one took over.
func (s *connection) supersede() {
	// In the background: closing may wait for a frame that is being written to a runner that does not read.
	s.background(func() { s.sock.Close(socket.CodeSuperseded, "a newer connection took over") })
}

// revoke closes the connection because its token is not valid any more.
func (s *connection) revoke() {
	s.background(func() { s.sock.Close(socket.CodeRefused, "the token was revoked or replaced by a new one") })
}

// background runs something that end waits for; after the end there is nothing left to do.
func (s *connection) background(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.notes.Go(do)
	}
}

// read passes frames to the calls they belong to until the connection ends.
func (s *connection) read() error {
	ctx, cancel := context.WithCancel(context.Background())
	var pinging sync.WaitGroup
	pinging.Go(func() { s.sock.KeepAlive(ctx) })
	defer pinging.Wait()
	defer cancel()
	defer s.end()
	for {
		frame, err := s.sock.Receive()
		if err != nil {
			return err
		}
		if err := s.deliver(frame); err != nil {
			return err
		}
	}
}

// end lets every call know that the connection is over.
func (s *connection) end() {
	s.sock.Close(socket.CodeGoingAway, "")
	s.mu.Lock()
	if !s.ended {
		s.ended = true
		close(s.gone)
	}
	s.mu.Unlock()
	s.notes.Wait()
}

func (s *connection) deliver(frame wire.Frame) error {
	switch frame.Type {
	case wire.TypePush, wire.TypeResult, wire.TypeError:
	default:
		return fmt.Errorf("the runner sent a frame of type %q", frame.Type)
	}
	s.mu.Lock()
	inbox := s.calls[frame.ID]
	s.mu.Unlock()
	if inbox == nil {
		return nil // the caller has left
	}
	if err := jsonlimit.Default.Check(frame.Body); err != nil {
		return fmt.Errorf("a %s of the runner cannot be read: %w", frame.Type, err)
	}
	select {
	case inbox <- frame:
		return nil
	default:
		return fmt.Errorf("the runner sent more than %d pushes without an ack", wire.Window)
	}
}

// Call sends one request and waits for its end.
func (s *connection) Call(ctx context.Context, req wire.Request, push func(wire.Push) error) (wire.Response, error) {
	id, inbox, ok := s.open()
	if !ok {
		return wire.Response{}, sandbox.ErrOffline
	}
	defer s.close(id)
	err := s.sock.Send(wire.Frame{ID: id, Type: wire.Type(req.Op), Body: req.Body})
	switch {
	case wire.IsKind(err, wire.TooLarge):
		return wire.Response{}, err
	case err != nil:
		s.sock.Close(socket.CodeGoingAway, "a request could not be sent")
		return wire.Response{}, fmt.Errorf("%w: %w", sandbox.ErrBroken, err)
	}
	response, answered, err := s.await(ctx, id, inbox, push)
	if !answered {
		s.background(func() { s.note(id, wire.TypeCancel, nil) })
	}
	return response, err
}

// await takes the frames of one call. Answered is false when the runner still works on it.
func (s *connection) await(ctx context.Context, id uint64, inbox <-chan wire.Frame, push func(wire.Push) error) (response wire.Response, answered bool, err error) {
	for taken := 0; ; {
		var frame wire.Frame
		select {
		case frame = <-inbox:
		case <-ctx.Done():
			return wire.Response{}, false, ctx.Err()
		case <-s.gone:
			select {
			case frame = <-inbox: // it came before the end
			default:
				return wire.Response{}, true, sandbox.ErrBroken
			}
		}
		switch frame.Type {
		case wire.TypeResult:
			return wire.Response{Body: frame.Body}, true, nil
		case wire.TypeError:
			return wire.Response{}, true, refusalOf(frame)
		}
		if push != nil {
			if err := push(wire.Push{Body: frame.Body}); err != nil {
				return wire.Response{}, false, err
			}
		}
		if taken++; taken == ackEvery {
			s.note(id, wire.TypeAck, wire.Ack{N: taken})
			taken = 0
		}
	}
}

func refusalOf(frame wire.Frame) error {
	var refusal wire.Error
	if err := frame.Decode(&refusal); err != nil {
		return err
	}
	return &refusal
}

// note sends a frame that has no answer. If it cannot be sent the connection is over, which read notices.
func (s *connection) note(id uint64, typ wire.Type, body any) {
	frame, err := wire.NewFrame(id, typ, body)
	if err == nil {
		err = s.sock.Send(frame)
	}
	if err != nil {
		s.sock.Close(socket.CodeGoingAway, "a frame could not be sent")
	}
}

func (s *connection) open() (id uint64, inbox chan wire.Frame, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return 0, nil, false
	}
	s.lastID++
	inbox = make(chan wire.Frame, wire.Window+1)
	s.calls[s.lastID] = inbox
	return s.lastID, inbox, true
}

func (s *connection) close(id uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.calls, id)
}
