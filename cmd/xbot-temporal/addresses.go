package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"syscall"

	"go.temporal.io/server/common/primitives"
)

// Free ports are picked below the ranges from which Linux (32768) and macOS (49152) take the local ports of outgoing
// connections, so that none of those can take one between the pick and the server's own listen, and above those that
// `xbot serve` keeps for its servers from start to start.
//
// The search begins at another port for each process id: servers that start at the same time would else pick the same one now and
// then, and only one of them could listen on it.
const (
	firstPort = 26000
	lastPort  = 32000
	// portsEach is how many ports a process has to itself before it comes to those of the next process id: the four that it needs,
	// and four in place of those that are taken.
	portsEach = 8
)

// addresses are the host:port of each Temporal service. Only the frontend's is for others; the rest are on loopback.
type addresses map[primitives.ServiceName]string

// chooseAddresses settles every port. The server listens later, so a port can still be lost in between; that ends the
// process with the server's own error, and the next start picks again.
func chooseAddresses(grpcAddr string) (addresses, error) {
	frontend, err := settle("--grpc-addr", grpcAddr)
	if err != nil {
		return nil, err
	}
	chosen := addresses{primitives.FrontendService: frontend}
	for _, name := range []primitives.ServiceName{
		primitives.HistoryService, primitives.MatchingService, primitives.WorkerService,
	} {
		if chosen[name], err = chosen.free("127.0.0.1"); err != nil {
			return nil, err
		}
	}
	return chosen, nil
}

// settle returns addr with its port known to be free now; port 0 becomes a free one.
func settle(flag, addr string) (string, error) {
	host, port := splitAddress(addr)
	if port == 0 {
		return addresses{}.free(host)
	}
	if err := tryListen(addr); err != nil {
		return "", listenError(flag, addr, err)
	}
	return addr, nil
}

// free finds a port on host that no program uses and that is not in a yet.
func (a addresses) free(host string) (string, error) {
	var err error
	for n := range 200 {
		addr := net.JoinHostPort(host, strconv.Itoa(firstPort+(os.Getpid()*portsEach+n)%(lastPort-firstPort)))
		if a.contains(addr) {
			continue
		}
		if err = tryListen(addr); err == nil {
			return addr, nil
		}
	}
	return "", fmt.Errorf("found no free port from %d to %d on %s: %w", firstPort, lastPort, host, err)
}

func (a addresses) contains(addr string) bool {
	for _, taken := range a {
		if taken == addr {
			return true
		}
	}
	return false
}

// reachable returns the frontend's address as a client on this machine writes it.
func (a addresses) reachable() string {
	host, port := splitAddress(a[primitives.FrontendService])
	switch ip := net.ParseIP(host); {
	case ip.Equal(net.IPv4zero):
		host = "127.0.0.1"
	case ip.IsUnspecified():
		host = "::1"
	}
	return net.JoinHostPort(host, strconv.Itoa(port))
}

func tryListen(addr string) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	return l.Close()
}

// listenError explains in one sentence why flag's address cannot be used and what to do.
func listenError(flag, addr string, err error) error {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("%s %s is in use by another program; stop it or choose another port", flag, addr)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return fmt.Errorf("%s %s is not an address of this machine; choose one that is, such as 127.0.0.1", flag, addr)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("%s %s needs more rights than this user has; choose a port above 1023", flag, addr)
	}
	return fmt.Errorf("listen on %s %s: %w", flag, addr, err)
}
