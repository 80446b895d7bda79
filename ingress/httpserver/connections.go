package httpserver

import (
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// connectionsOfOne bounds the open connections of one address. An office behind one address needs fewer: a browser opens six.
const connectionsOfOne = 1024

// logEvery bounds how often refusals are logged.
const logEvery = time.Minute

// connections is a listener that closes connections of an address that has too many. An IPv6 address counts as its /64, since one host usually has
// all of it. This machine and trusted proxies forward the connections of others, and have no limit.
type connections struct {
	net.Listener

	proxies []netip.Prefix
	most    int // of one address
	log     *slog.Logger

	mu     sync.Mutex
	open   map[netip.Addr]int
	logged time.Time // when a refusal was last logged
}

// Accept waits for the next connection within the limit.
func (l *connections) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		from, limited := l.source(conn.RemoteAddr())
		if !limited {
			return conn, nil
		}
		if l.enter(from) {
			return &countedConn{Conn: conn, by: l, from: from}, nil
		}
		_ = conn.Close() // over the limit
	}
}

// source returns the address that a connection counts for; false if it does not count.
func (l *connections) source(remote net.Addr) (netip.Addr, bool) {
	at, err := netip.ParseAddrPort(remote.String())
	if err != nil {
		return netip.Addr{}, false // the listener has no IP addresses
	}
	addr := at.Addr().Unmap().WithZone("")
	if addr.IsLoopback() || slices.ContainsFunc(l.proxies, func(p netip.Prefix) bool { return p.Contains(addr) }) {
		return addr, false
	}
	if addr.Is6() {
		addr = netip.PrefixFrom(addr, 64).Masked().Addr()
	}
	return addr, true
}

func (l *connections) enter(from netip.Addr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[from] >= l.most {
		if time.Since(l.logged) >= logEvery {
			l.logged = time.Now()
			l.log.Warn("connections of an address are refused: if it is a reverse proxy, add it to XBOT_TRUSTED_PROXIES", "address", from, "open", l.most)
		}
		return false
	}
	if l.open == nil {
		l.open = map[netip.Addr]int{}
	}
	l.open[from]++
	return true
}

func (l *connections) leave(from netip.Addr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[from]--; l.open[from] <= 0 {
		delete(l.open, from)
	}
}

// countedConn is a connection that counts until it is closed.
type countedConn struct {
	net.Conn

	by     *connections
	from   netip.Addr
	closed sync.Once
}

// Close closes the connection.
func (c *countedConn) Close() error {
	c.closed.Do(func() { c.by.leave(c.from) })
	return c.Conn.Close()
}
