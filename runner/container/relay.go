package container

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"xbot/runner/connect"
	"xbot/runner/socket"
	"xbot/runner/wire"
)

// RelayConfig is a relay: a container, and the server that its daemon serves.
type RelayConfig struct {
	Config
	Server      string // as connect.Config
	Token       connect.TokenSource
	Runner      string    // name of the runner; empty means the token's
	EndWhenIdle bool      // end when the container was stopped, instead of waiting for the next request
	Output      io.Writer // for the log of the daemon inside
	Log         *slog.Logger
}

// relay passes frames between a server and the daemon in a container.
type relay struct {
	cfg    RelayConfig
	engine engine
	idle   chan struct{} // closed when the container was stopped and that is to be the end

	gate sync.Mutex // held while the container is started or stopped

	mu     sync.Mutex
	line   *daemonConn
	info   wire.Info // of the last connection
	asleep bool      // stopped for idleness: the next request starts it
	deaf   time.Time // since when no daemon could be started in the running container; zero if one could
}

// ErrIdle is the end of a relay whose container was stopped because it was unused.
var ErrIdle = errors.New("the container was stopped since nobody used it")

// Run relays until ctx ends. Commands in the container continue; a container in which none runs is stopped.
func Run(ctx context.Context, cfg RelayConfig) error {
	if err := errors.Join(connect.CheckAddress(cfg.Server), cfg.check()); err != nil {
		return err
	}
	unlock, err := lockState(cfg.State)
	if err != nil {
		return err
	}
	defer unlock()
	r := &relay{cfg: cfg, engine: engine{cfg.Engine}, idle: make(chan struct{})}
	cfg.Log.Info("runner started", "container", cfg.Name, "image", cfg.Image, "workspace", cfg.Workspace, "state", cfg.State)
	connected, disconnect := context.WithCancel(ctx)
	defer disconnect()
	var watching sync.WaitGroup
	watching.Go(func() { r.watchIdle(connected) })
	watching.Go(func() {
		select {
		case <-r.idle:
			disconnect()
		case <-connected.Done():
		}
	})
	connect.Stay(connected, connect.Config{Server: cfg.Server, Token: cfg.Token, Log: cfg.Log, Runner: r})
	watching.Wait()
	if ctx.Err() == nil {
		return ErrIdle
	}
	r.leave(context.WithoutCancel(ctx))
	return nil
}

// leave disconnects from the container, and stops it if nothing runs in it.
func (r *relay) leave(ctx context.Context) {
	r.mu.Lock()
	l := r.line
	r.mu.Unlock()
	if l == nil {
		return
	}
	running, err := l.running(ctx)
	l.end(errors.New("the runner is stopping"))
	if err != nil || running > 0 {
		r.cfg.Log.Info("runner stopped; running commands go on", "commands", running)
		return
	}
	if err := r.engine.stop(ctx, r.cfg.Name); err != nil {
		r.cfg.Log.Warn("the container was not stopped", "error", err)
	}
	r.cfg.Log.Info("runner stopped, and its container")
}

// Info returns the runner's description, which needs its container unless it was read before.
func (r *relay) Info(ctx context.Context) (wire.Info, error) {
	r.mu.Lock()
	info, asleep := r.info, r.asleep
	r.mu.Unlock()
	if asleep {
		return info, nil
	}
	l, err := r.awake(ctx)
	if err != nil {
		return wire.Info{}, err
	}
	return r.describe(l.info), nil
}

// describe returns the description of the runner for the server and users.
func (r *relay) describe(info wire.Info) wire.Info {
	l := r.cfg.Limits
	info.Kind, info.LLM = "docker", nil // no model is offered inside
	info.Confinement = fmt.Sprintf("container of %s: network %s, memory %s, %v CPUs, %d processes, root read-only, user %s; inside: %s",
		r.cfg.Image, l.Network, l.Memory, l.CPUs, l.PIDs, r.cfg.User, info.Confinement)
	return info
}

// awake returns the connection to the daemon, starting what is needed.
func (r *relay) awake(ctx context.Context) (*daemonConn, error) {
	if l := r.current(); l != nil {
		return l, nil
	}
	r.gate.Lock()
	defer r.gate.Unlock()
	if l := r.current(); l != nil {
		return l, nil
	}
	// A container of an older configuration is asked whether commands run in it; if so its connection is used.
	var old *daemonConn
	busy := func(ctx context.Context) (bool, error) {
		l, err := r.open(ctx)
		if err != nil {
			return false, err
		}
		running, err := l.running(ctx)
		if err == nil && running > 0 {
			old = l
			return true, nil
		}
		l.end(errors.New("its container is made anew"))
		return false, err
	}
	r.logEnd(ctx)
	stale, err := r.cfg.ensure(ctx, r.engine, busy)
	if err == nil && !stale {
		old, err = r.open(ctx)
		r.judge(ctx, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asleep = false
	if err == nil && old.protocol != wire.Version {
		old.end(errors.New("it speaks another protocol"))
		err = fmt.Errorf("the container %s runs commands of another version of this program (protocol %d, here %d): it can be used when they have ended", r.cfg.Name, old.protocol, wire.Version)
	}
	if err != nil {
		return nil, err
	}
	if stale {
		r.cfg.Log.Warn("the container has older settings; it is made anew when no command runs in it", "container", r.cfg.Name)
	}
	r.line, r.info = old, r.describe(old.info)
	return old, nil
}

// logEnd logs the end of a container that this relay used and did not stop.
func (r *relay) logEnd(ctx context.Context) {
	r.mu.Lock()
	used := r.info.Store != "" && !r.asleep
	r.mu.Unlock()
	if !used {
		return
	}
	is, err := r.engine.inspect(ctx, r.cfg.Name)
	if err != nil || is.State.Running {
		return
	}
	r.cfg.Log.Warn("container ended", "container", r.cfg.Name, "removed", !is.Created, "exit_code", is.State.ExitCode, "out_of_memory", is.State.OutOfMemory)
}

// judge kills a container in which no daemon could be started for long, as when a command has used up its processes. Its commands are lost, as the
// next daemon reports; they could not be reached any more. The gate is held.
func (r *relay) judge(ctx context.Context, failure error) {
	switch {
	case failure == nil || ctx.Err() != nil:
		r.deaf = time.Time{}
	case r.deaf.IsZero():
		r.deaf = time.Now()
	case time.Since(r.deaf) > r.cfg.Deaf:
		r.deaf = time.Time{}
		r.cfg.Log.Warn("the container does not take a runner any more, so it is started anew; its commands are lost", "container", r.cfg.Name, "error", failure)
		if err := r.engine.kill(ctx, r.cfg.Name); err != nil {
			r.cfg.Log.Warn("the container could not be killed", "error", err)
		}
	}
}

func (r *relay) open(ctx context.Context) (*daemonConn, error) {
	return openDaemonConn(ctx, r.cfg.Config, r.cfg.Runner, r.cfg.Output)
}

// current returns the connection if there is one whose daemon is there.
func (r *relay) current() *daemonConn {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.line == nil {
		return nil
	}
	select {
	case <-r.line.gone:
		r.line = nil
	default:
	}
	return r.line
}

// Serve passes the frames of one connection until it ends or the daemon inside does.
func (r *relay) Serve(ctx context.Context, sock *socket.Socket) error {
	p := newServerConn(sock)
	defer p.close()
	r.mu.Lock()
	registered := r.info
	r.mu.Unlock()
	for {
		frame, err := sock.Receive()
		if err != nil {
			return fmt.Errorf("the connection ended: %w", cmpErr(p.broken(), err))
		}
		if frame.Type == wire.TypeAck || frame.Type == wire.TypeCancel {
			p.forward(frame)
			continue
		}
		l, err := r.awake(ctx)
		if err != nil {
			return err
		}
		r.mu.Lock()
		same := r.info.Store == registered.Store && r.info.Workspace == registered.Workspace
		r.mu.Unlock()
		if !same {
			return errors.New("the container is another one than the server knows")
		}
		if err := p.begin(l, frame); err != nil {
			return err
		}
	}
}

func cmpErr(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}
