package runner

import (
	"context"
	"errors"
	"fmt"
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

// stayConnected connects again and again until ctx ends. The server asks again for what it was waiting for.
func (d *daemon) stayConnected(ctx context.Context) {
	wait, said := retryFirst, ""
	for ctx.Err() == nil {
		lived, err := d.serveOnce(ctx)
		if ctx.Err() != nil {
			return
		}
		if lived > 0 {
			wait, said = min(wait, retryShaky), ""
		}
		if lived > stableAfter {
			wait = retryFirst
		}
		if text := err.Error(); text != said { // the same failure every ten seconds is said once
			d.log.Warn("not connected; trying again", "error", text)
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

// serveOnce connects, registers and serves until the connection ends, which is always an error. Lived is how long the
// server kept it, 0 if it never accepted.
func (d *daemon) serveOnce(ctx context.Context) (lived time.Duration, err error) {
	token, err := d.cfg.Token()
	if err != nil {
		return 0, err
	}
	sock, err := socket.Dial(ctx, d.cfg.Server)
	if err != nil {
		return 0, err
	}
	defer sock.Close(socket.CodeGoingAway, "the runner is stopping")
	stop := context.AfterFunc(ctx, func() { sock.Close(socket.CodeGoingAway, "the runner is stopping") })
	defer stop()
	welcome, err := d.register(sock, token)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	d.log.Info("connected", "runner", welcome.Runner, "server_version", welcome.Version)
	err = newSession(d, sock).serve(ctx)
	return time.Since(began), err
}

func (d *daemon) register(sock *socket.Socket, token string) (wire.Registered, error) {
	hello, err := wire.NewFrame(0, wire.TypeRegister, wire.Register{Protocol: wire.Version, Token: token, Info: d.info()})
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
