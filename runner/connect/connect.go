// Package connect keeps a runner connected to its server: it dials, registers, has the connection served until it ends,
// and begins again. Its callers serve the connection: the daemon, and the relay of a container.
package connect

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"xbot/runner/socket"
	"xbot/runner/wire"
)

// Times of reconnecting.
const (
	retryFirst      = 100 * time.Millisecond
	retryMost       = 10 * time.Second
	supersededPause = 60 * time.Second // two machines with one token would else take turns every moment
	retryShaky      = time.Second      // the most, when the last connection was accepted and then broke
	stableAfter     = time.Second      // a connection that lived this long was a good one: begin with retryFirst again
)

// Config defines the server to connect to and the work to do there.
type Config struct {
	Server string // ws:// or wss:// address of the server's connect endpoint
	Token  TokenSource
	Runner Runner
	Log    *slog.Logger
}

// TokenSource returns the token of a runner. It is called for each connection, so that a renewed token file counts.
type TokenSource interface {
	Token() (string, error)
}

// Runner answers a server.
type Runner interface {
	// Info is asked at each connection; an error is tried again like a failed connection.
	Info(ctx context.Context) (wire.Info, error)
	Serve(ctx context.Context, sock *socket.Socket) error
}

// Stay connects again and again until ctx ends. The server asks again for what it was waiting for.
func Stay(ctx context.Context, cfg Config) {
	wait, said := retryFirst, ""
	for ctx.Err() == nil {
		lived, err := cfg.once(ctx)
		if ctx.Err() != nil {
			return
		}
		if lived > 0 {
			wait, said = min(wait, retryShaky), ""
		}
		if lived > stableAfter {
			wait = retryFirst
		}
		if text := err.Error(); text != said { // the same failure every ten seconds is logged once
			cfg.Log.Warn("not connected; trying again", "error", text)
			said = text
		}
		pause := wait/2 + rand.N(wait/2+1)
		if socket.IsSuperseded(err) {
			pause = supersededPause
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		wait = min(2*wait, retryMost)
	}
}

// once connects, registers and serves until the connection ends, which is always an error. Lived is how long the
// server kept it, 0 if it never accepted.
func (c Config) once(ctx context.Context) (lived time.Duration, err error) {
	info, err := c.Runner.Info(ctx)
	if err != nil {
		return 0, err
	}
	token, err := c.Token.Token()
	if err != nil {
		return 0, err
	}
	sock, err := socket.Dial(ctx, c.Server)
	if err != nil {
		return 0, err
	}
	defer sock.Close(socket.CodeGoingAway, "the runner is stopping")
	stop := context.AfterFunc(ctx, func() { sock.Close(socket.CodeGoingAway, "the runner is stopping") })
	defer stop()
	welcome, err := register(sock, token, info)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	c.Log.Info("connected", "runner", welcome.Runner, "server_version", welcome.Version)
	err = c.serve(ctx, sock)
	return time.Since(began), err
}

// serve keeps the socket alive while it is served.
func (c Config) serve(ctx context.Context, sock *socket.Socket) error {
	ctx, cancel := context.WithCancel(ctx)
	pinged := make(chan struct{})
	go func() {
		defer close(pinged)
		sock.KeepAlive(ctx)
	}()
	err := c.Runner.Serve(ctx, sock)
	cancel()
	<-pinged
	return err
}

func register(sock *socket.Socket, token string, info wire.Info) (wire.Registered, error) {
	hello, err := wire.NewFrame(0, wire.TypeRegister, wire.Register{Protocol: wire.Version, Token: token, Info: info})
	if err != nil {
		return wire.Registered{}, err
	}
	if err := sock.Send(hello); err != nil {
		return wire.Registered{}, err
	}
	if err := sock.SetDeadline(time.Now().Add(wire.HandshakeTimeout)); err != nil {
		return wire.Registered{}, err
	}
	answer, err := sock.Receive()
	if err != nil {
		return wire.Registered{}, fmt.Errorf("the server did not answer the registration: %w", err)
	}
	switch answer.Type {
	case wire.TypeRegistered:
		var welcome wire.Registered
		err := answer.Decode(&welcome)
		return welcome, err
	case wire.TypeError:
		var refusal wire.Error
		if err := answer.Decode(&refusal); err != nil {
			return wire.Registered{}, err
		}
		return wire.Registered{}, fmt.Errorf("the server refused this runner: %w", &refusal)
	}
	return wire.Registered{}, errors.New("the server does not speak the runner protocol: check the address")
}
