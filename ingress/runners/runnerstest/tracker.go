package runnerstest

import (
	"net"
	"sync"
)

// tracker is a listener that can break every connection it accepted.
type tracker struct {
	net.Listener
	mu   sync.Mutex
	open map[net.Conn]bool
}

func (l *tracker) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	tracked := &trackedConn{Conn: conn, owner: l}
	l.open[tracked] = true
	return tracked, nil
}

func (l *tracker) cut() {
	l.mu.Lock()
	conns := l.open
	l.open = map[net.Conn]bool{}
	l.mu.Unlock()
	for conn := range conns {
		_ = conn.Close() // it may be closed already
	}
}

type trackedConn struct {
	net.Conn
	owner *tracker
}

func (c *trackedConn) Close() error {
	c.owner.mu.Lock()
	delete(c.owner.open, c)
	c.owner.mu.Unlock()
	return c.Conn.Close()
}
