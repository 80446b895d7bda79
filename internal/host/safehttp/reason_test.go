package safehttp_test

import (
	"context"
	"errors"
	"net"
	"net/url"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/host/safehttp"
)

func TestReason_NamesNoAddress(t *testing.T) {
	t.Parallel()
	address := &net.TCPAddr{IP: net.IPv4(10, 0, 0, 7), Port: 443}
	for want, err := range map[string]error{
		"connection refused":                             &net.OpError{Op: "dial", Net: "tcp", Addr: address, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)},
		"no route to host":                               &net.OpError{Op: "dial", Net: "tcp", Addr: address, Err: os.NewSyscallError("connect", syscall.EHOSTUNREACH)},
		"connection reset by peer":                       &net.OpError{Op: "read", Net: "tcp", Source: address, Addr: address, Err: os.NewSyscallError("read", syscall.ECONNRESET)},
		"it did not answer in time":                      &net.OpError{Op: "dial", Net: "tcp", Addr: address, Err: os.ErrDeadlineExceeded},
		"the connection failed":                          &net.OpError{Op: "dial", Net: "tcp", Addr: address, Err: errors.New("dial tcp 10.0.0.7:443: odd")},
		"there is no such host":                          &net.DNSError{Name: "inside", Server: "10.0.0.53:53", IsNotFound: true},
		"the name of its host cannot be resolved":        &net.DNSError{Err: "server misbehaving", Name: "inside", Server: "10.0.0.53:53"},
		"what answers there is no web server, or broken": errors.New("malformed HTTP response from 10.0.0.7"),
	} {
		require.Equal(t, want, safehttp.Reason(err))
		require.Equal(t, want, safehttp.Reason(&url.Error{Op: "Get", URL: "https://user:secret@inside/", Err: err}))
	}
	require.Equal(t, "it did not answer in time", safehttp.Reason(context.DeadlineExceeded))
}
