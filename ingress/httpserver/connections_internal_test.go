package httpserver

import (
	"bytes"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// scripted is a listener with connections from given addresses.
type scripted struct{ from chan string }

func (s *scripted) Accept() (net.Conn, error) {
	address, ok := <-s.from
	if !ok {
		return nil, net.ErrClosed
	}
	ours, theirs := net.Pipe()
	_ = theirs.Close() // unused
	return &named{ours, net.TCPAddrFromAddrPort(netip.MustParseAddrPort(address))}, nil
}
func (s *scripted) Close() error   { return nil }
func (s *scripted) Addr() net.Addr { return &net.TCPAddr{} }

type named struct {
	net.Conn

	remote net.Addr
}

func (n *named) RemoteAddr() net.Addr { return n.remote }

func TestAttack_ConnectionsOfOneAddressAreBounded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		from []string
		want int // accepted connections, of at most two from one address
	}{
		"one address":                  {[]string{"203.0.113.7:1", "203.0.113.7:2", "203.0.113.7:3", "203.0.113.7:4"}, 2},
		"addresses of one IPv6 subnet": {[]string{"[2001:db8::1]:1", "[2001:db8::2]:1", "[2001:db8::ffff]:1"}, 2},
		"IPv4 in IPv6":                 {[]string{"[::ffff:203.0.113.7]:1", "203.0.113.7:2", "[::ffff:203.0.113.7]:3"}, 2},
		"with a zone":                  {[]string{"[fe80::1%eth0]:1", "[fe80::1%eth1]:2", "[fe80::2%eth0]:3"}, 2},
		"different addresses":          {[]string{"203.0.113.7:1", "203.0.113.8:1", "203.0.113.9:1"}, 3},
		"this machine":                 {[]string{"127.0.0.1:1", "127.0.0.1:2", "[::1]:3", "[::1]:4", "[::1]:5"}, 5},
		"a trusted proxy":              {[]string{"10.0.0.1:1", "10.0.0.1:2", "10.0.0.1:3"}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			under := &scripted{make(chan string, len(c.from))}
			var logged bytes.Buffer
			l := &connections{Listener: under, proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, most: 2, log: slog.New(slog.NewTextHandler(&logged, nil))}
			for _, from := range c.from {
				under.from <- from
			}
			close(under.from)
			var open []net.Conn
			for {
				conn, err := l.Accept()
				if err != nil {
					break
				}
				open = append(open, conn)
			}
			require.Len(t, open, c.want)
			require.Equal(t, min(1, len(c.from)-c.want), strings.Count(logged.String(), "XBOT_TRUSTED_PROXIES"), "an operator reads of it once")
			for _, conn := range open {
				require.NoError(t, conn.Close())
				require.NoError(t, conn.Close())
			}
			require.Empty(t, l.open, "closed connections count no more")
		})
	}
}
