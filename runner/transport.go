package runner

import (
	"xbot/runner/pipe"
	"xbot/runner/socket"
	"xbot/runner/wire"
)

// Transport carries frames between a daemon and a server: a WebSocket, or the streams of a process. Send may be called
// by many goroutines, Receive by one; after an error of Receive the transport is of no further use.
type Transport interface {
	Send(f wire.Frame) error
	Receive() (wire.Frame, error)
	// Close ends the transport, telling the other end a code of package socket and a reason if it can. It may be called
	// more than once and at any time.
	Close(code int, reason string)
}

var (
	_ Transport = (*socket.Socket)(nil)
	_ Transport = (*pipe.Pipe)(nil)
)
