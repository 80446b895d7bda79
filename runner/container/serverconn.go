package container

import (
	"fmt"
	"sync"

	"xbot/runner/socket"
	"xbot/runner/wire"
)

// serverConn is one connection of a server, with the requests of it that are under way in the container.
type serverConn struct {
	sock *socket.Socket
	over chan struct{} // closed when the connection has ended

	mu     sync.Mutex
	daemon *daemonConn
	calls  map[uint64]uint64 // the server's id → the connection's
	why    error
}

func newServerConn(sock *socket.Socket) *serverConn {
	return &serverConn{sock: sock, over: make(chan struct{}), calls: map[uint64]uint64{}}
}

// follow ends the connection when the daemon inside is gone: the server then asks again for what it waited for.
func (p *serverConn) follow(l *daemonConn) {
	select {
	case <-l.gone:
		p.mu.Lock()
		current := p.daemon == l
		waiting := len(p.calls) > 0
		if current {
			p.daemon = nil
		}
		if current && waiting {
			p.why = l.why
		}
		p.mu.Unlock()
		if current && waiting {
			p.sock.Close(socket.CodeGoingAway, "the container ended")
		}
	case <-p.over:
	}
}

// begin passes a request on. An error ends the connection.
func (p *serverConn) begin(l *daemonConn, frame wire.Frame) error {
	id, err := p.enter(l, frame.ID)
	if err != nil {
		return err
	}
	err = l.sendFrame(id, frame)
	if err != nil {
		l.forget(id)
	}
	if wire.IsKind(err, wire.TooLarge) {
		p.fail(frame.ID, err)
		return nil
	}
	return err
}

// enter notes a request. Those under way belong to one connection to the daemon: when another one is there, the server has to ask again.
func (p *serverConn) enter(l *daemonConn, outer uint64) (id uint64, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, twice := p.calls[outer]; twice {
		return 0, fmt.Errorf("the server used the request id %d twice", outer)
	}
	if p.daemon != l {
		if p.daemon != nil && len(p.calls) > 0 {
			return 0, p.daemon.why
		}
		p.daemon = l
		go p.follow(l)
	}
	id = l.open(func(answer wire.Frame) { p.answer(outer, answer) })
	p.calls[outer] = id
	return id, nil
}

// answer passes a frame of the daemon on under the server's id.
func (p *serverConn) answer(id uint64, frame wire.Frame) {
	if frame.Type != wire.TypePush {
		p.mu.Lock()
		delete(p.calls, id)
		p.mu.Unlock()
	}
	frame.ID = id
	err := p.sock.Send(frame)
	if wire.IsKind(err, wire.TooLarge) {
		p.fail(id, err)
		return
	}
	if err != nil {
		p.sock.Close(socket.CodeGoingAway, "an answer could not be sent")
	}
}

func (p *serverConn) fail(id uint64, why error) {
	p.mu.Lock()
	delete(p.calls, id)
	p.mu.Unlock()
	frame, err := wire.NewFrame(id, wire.TypeError, wire.AsError(why))
	if err == nil {
		err = p.sock.Send(frame)
	}
	if err != nil {
		p.sock.Close(socket.CodeGoingAway, "an answer could not be sent")
	}
}

// forward passes on a frame of the server about a running request. It drops frames about one that has ended.
func (p *serverConn) forward(frame wire.Frame) {
	p.mu.Lock()
	l, id := p.daemon, p.calls[frame.ID]
	if frame.Type == wire.TypeCancel {
		delete(p.calls, frame.ID)
	}
	p.mu.Unlock()
	if l == nil || id == 0 {
		return // ids of a connection begin with 1
	}
	var err error
	if frame.Type == wire.TypeCancel {
		err = l.cancel(id)
	} else {
		err = l.sendFrame(id, frame)
	}
	if err != nil {
		l.pipe.Close(0, "") // its reader notices and returns the reason
	}
}

// broken returns why the daemon inside is gone, if that ended the connection.
func (p *serverConn) broken() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.why
}

// close informs the daemon that no request waits any more.
func (p *serverConn) close() {
	close(p.over)
	p.mu.Lock()
	l, calls := p.daemon, p.calls
	p.daemon, p.calls = nil, map[uint64]uint64{}
	p.mu.Unlock()
	for _, id := range calls {
		if l != nil && l.cancel(id) != nil {
			return // it is gone
		}
	}
}
