package safehttp_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
	"xbot/internal/host/safehttp"
)

// anAddress matches addresses with and without a port.
const anAddress = `\d+\.\d+\.\d+\.\d+|\[?[0-9a-f]*::[0-9a-f]*\]?`

func TestHideAddresses_LeavesTheKindOfAnErrorAndNoAddress(t *testing.T) {
	t.Parallel()
	to, from := &net.TCPAddr{IP: net.IPv4(10, 0, 0, 7), Port: 80}, &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 40000}
	refused := fault.Errorf(fault.Denied, "it is refused")
	for want, given := range map[string]error{
		"dial tcp: connect: connection refused":                    &net.OpError{Op: "dial", Net: "tcp", Source: from, Addr: to, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)},
		"dial tcp: it is refused":                                  &net.OpError{Op: "dial", Net: "tcp", Addr: to, Err: refused},
		"dial tcp: i/o timeout":                                    &net.OpError{Op: "dial", Net: "tcp", Addr: to, Err: os.ErrDeadlineExceeded},
		"dial tcp: lookup inside: no such host":                    &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "inside", Server: "10.1.1.1:53", IsNotFound: true}},
		"lookup inside: the resolver did not answer in time":       &net.DNSError{Err: "read udp 10.0.0.1:9->10.1.1.1:53: i/o timeout", Name: "inside", Server: "10.1.1.1:53", IsTimeout: true},
		"lookup inside: the resolver failed":                       &net.DNSError{Err: "read udp [fd00::1]:9->[fd00::53]:53: read: connection refused", Name: "inside", Server: "[fd00::53]:53"},
		"socks connect tcp: dial tcp: connect: connection refused": &net.OpError{Op: "socks connect", Net: "tcp", Addr: to, Err: &net.OpError{Op: "dial", Net: "tcp", Addr: to, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}},
		"odd": errors.New("odd"),
	} {
		_, err := safehttp.HideAddresses(func(context.Context, string, string) (net.Conn, error) { return nil, given })(t.Context(), "tcp", "inside:80")
		require.EqualError(t, err, want)
		require.NotRegexp(t, anAddress, err)
		for _, kind := range []error{refused, syscall.ECONNREFUSED, os.ErrDeadlineExceeded} {
			require.Equal(t, errors.Is(given, kind), errors.Is(err, kind), want)
		}
		var timeout, was net.Error
		require.Equal(t, errors.As(given, &was), errors.As(err, &timeout), want)
		if was != nil {
			require.Equal(t, was.Timeout(), timeout.Timeout(), want)
		}
	}
}

// TestTransports_ErrorsNameNoAddress fails in each way in which a server can, at a name, with every transport for addresses of others.
func TestTransports_ErrorsNameNoAddress(t *testing.T) {
	t.Parallel()
	broken := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		if r.URL.Path == "/half" {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf") // the reader sees what arrived
		}
		_ = conn.(*net.TCPConn).SetLinger(0) // so that it is reset
		_ = conn.Close()
	}))
	t.Cleanup(broken.Close)
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	allow, err := safehttp.ParseAllow([]string{"localhost", "nowhere.invalid"})
	require.NoError(t, err)
	trusted := safehttp.Trusted()
	trusted.Proxy = nil
	port := func(address string) string {
		_, p, err := net.SplitHostPort(address)
		require.NoError(t, err)
		return p
	}
	up := port(broken.Listener.Addr().String())
	for name, transport := range map[string]http.RoundTripper{
		"trusted": trusted, "allowed": safehttp.NewTransport(allow), "public": safehttp.NewTransport(safehttp.Allow{}),
	} {
		client := &http.Client{Transport: transport}
		for _, address := range []string{
			"http://localhost:" + up, "http://localhost:" + up + "/half", "https://localhost:" + up, "http://localhost:" + port(closed.Addr().String()), "http://nowhere.invalid",
		} {
			answer, err := client.Get(address)
			if err == nil {
				_, err = io.ReadAll(answer.Body)
				_ = answer.Body.Close() // it failed
			}
			require.Error(t, err, name+" "+address)
			require.NotRegexp(t, anAddress, err.Error(), name+" "+address)
			require.NotRegexp(t, anAddress, safehttp.Reason(err), name+" "+address)
			var asked *url.Error
			if errors.As(err, &asked) && name == "public" && address != "http://nowhere.invalid" {
				require.Contains(t, safehttp.Reason(err), "localhost is not an address on the public internet")
			}
		}
		client.CloseIdleConnections()
	}
}
