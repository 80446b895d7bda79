package safehttp

import (
	"context"
	"errors"
	"net"
	"net/http"
)

// Dial opens a connection, as net.Dialer.DialContext does.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// HideAddresses returns a Dial whose errors, and those of its connections, name neither resolved addresses nor the resolver: they are of the server's
// own network, and errors reach models and users. The caller adds the name that was dialled.
func HideAddresses(dial Dial) Dial {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, withoutAddresses(err)
		}
		return quietConn{conn}, nil
	}
}

// Trusted returns a transport that reaches any address, for those that an administrator or the vendor of a platform chose. It is a copy of
// http.DefaultTransport whose errors name no addresses.
func Trusted() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // it is one
	t.DialContext = HideAddresses(t.DialContext)
	return t
}

// quietConn is a connection whose errors name no addresses.
type quietConn struct{ net.Conn }

// Read implements net.Conn.
func (c quietConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	return n, withoutAddresses(err)
}

// Write implements net.Conn.
func (c quietConn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	return n, withoutAddresses(err)
}

// withoutAddresses returns an error of the same kinds that names no addresses.
func withoutAddresses(err error) error {
	switch operation, isOperation := errors.AsType[*net.OpError](err); {
	case isOperation:
		return &net.OpError{Op: operation.Op, Net: operation.Net, Err: withoutAddresses(operation.Err)}
	case err == nil:
		return nil
	}
	if lookup, ok := errors.AsType[*net.DNSError](err); ok {
		quiet := *lookup
		quiet.Server, quiet.Err = "", "the resolver failed" // whose text may name addresses
		switch {
		case lookup.IsNotFound:
			quiet.Err = "no such host"
		case lookup.IsTimeout:
			quiet.Err = "the resolver did not answer in time"
		}
		return &quiet
	}
	return err
}
