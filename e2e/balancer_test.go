package e2e

import (
	"io"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// balancer passes TCP connections on to the first of several addresses that accepts them.
type balancer struct {
	listener net.Listener
	to       []string

	mu   sync.Mutex
	used map[string]bool
	open map[net.Conn]bool
	work sync.WaitGroup
}

func newBalancer(t *testing.T, listen string, to ...string) *balancer {
	t.Helper()
	listener, err := net.Listen("tcp", listen)
	require.NoError(t, err)
	b := &balancer{listener: listener, to: to, used: map[string]bool{}, open: map[net.Conn]bool{}}
	b.work.Go(b.accept)
	t.Cleanup(b.close)
	return b
}

func (b *balancer) address() string { return b.listener.Addr().String() }

// reached is how many of the addresses got a connection.
func (b *balancer) reached() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.used)
}

func (b *balancer) accept() {
	for {
		client, err := b.listener.Accept()
		if err != nil {
			return // closed
		}
		b.work.Go(func() { b.pass(client) })
	}
}

func (b *balancer) pass(client net.Conn) {
	defer client.Close() // the test sees what does not arrive
	for _, address := range b.to {
		server, err := net.Dial("tcp", address)
		if err != nil {
			continue
		}
		defer server.Close() // the test sees what does not arrive
		b.hold(address, client, server)
		done := make(chan struct{}, 2)
		for _, ends := range [][2]net.Conn{{client, server}, {server, client}} {
			go func() {
				_, _ = io.Copy(ends[0], ends[1]) // however it ends, the connection is over
				done <- struct{}{}
			}()
		}
		<-done
		return
	}
}

func (b *balancer) hold(address string, conns ...net.Conn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used[address] = true
	for _, conn := range conns {
		b.open[conn] = true
	}
}

func (b *balancer) close() {
	_ = b.listener.Close() // accept ends with it
	b.mu.Lock()
	for conn := range b.open {
		_ = conn.Close() // pass ends with it
	}
	b.mu.Unlock()
	b.work.Wait()
}
