package localstack

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"xbot/internal/localstack/process"
)

const (
	// restartLimit bounds one try at starting a server again.
	restartLimit = time.Minute
	// A server that dies is started again at once; when it dies or fails again soon, after pauses that double.
	firstPause = 50 * time.Millisecond
	longPause  = 5 * time.Second
	// steady is how long a server has to have run for its death to be the first of a row.
	steady = 30 * time.Second
	// patience is how long such a row may last before the stack is given up.
	patience = 5 * time.Minute
)

// server is what a keeper keeps running.
type server interface {
	name() string
	// run starts the server, or takes over a running one, and returns once it is ready.
	run(ctx context.Context) (*process.Process, error)
	end(ctx context.Context, p *process.Process) error
}

// keeper runs one server and starts it again when it dies. Its goroutine owns the process until it passes it to stop.
type keeper struct {
	server server
	log    *slog.Logger
	pid    atomic.Int64
	cancel context.CancelFunc    // ends the keeping; nil before start has succeeded
	last   chan *process.Process // what runs when the keeping ends, nil for nothing
}

func newKeeper(s server, log *slog.Logger) *keeper {
	return &keeper{server: s, log: log.With("server", s.name()), last: make(chan *process.Process, 1)}
}

// start brings the server up and begins to keep it. If it dies later and does not come back, failed gets the reason.
func (k *keeper) start(ctx context.Context, failed chan<- error) error {
	begin := time.Now()
	p, err := k.server.run(ctx)
	if err != nil {
		return err
	}
	k.pid.Store(int64(p.PID))
	k.log.Info("server ready", "pid", p.PID, "duration", time.Since(begin))
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	k.cancel = cancel
	go func() {
		last, err := k.keep(life, p)
		k.last <- last
		if err != nil {
			failed <- fmt.Errorf("%s does not come back: %w", k.server.name(), err)
		}
	}()
	return nil
}

// keep returns the running server when ctx ends, and an error when it died for good.
func (k *keeper) keep(ctx context.Context, p *process.Process) (*process.Process, error) {
	var row deaths
	for {
		begin := time.Now()
		select {
		case <-ctx.Done():
			return p, nil
		case <-p.Done():
		}
		k.log.Warn("server died", "pid", p.PID, "error", p.Err())
		row.note(time.Since(begin))
		next, err := k.revive(ctx, &row)
		if ctx.Err() != nil {
			return next, nil
		}
		if err != nil {
			return nil, err
		}
		p = next
	}
}

// revive starts the server again, as often as the row of deaths allows.
func (k *keeper) revive(ctx context.Context, row *deaths) (*process.Process, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(row.pause):
		}
		begin := time.Now()
		limited, cancel := context.WithTimeout(ctx, restartLimit)
		p, err := k.server.run(limited)
		cancel()
		if err == nil {
			k.pid.Store(int64(p.PID))
			k.log.Info("server restarted", "pid", p.PID, "duration", time.Since(begin))
			return p, nil
		}
		if ctx.Err() != nil || row.over() {
			return nil, err
		}
		k.log.Error("server did not restart", "error", err)
		row.note(0)
	}
}

// stop ends the keeping, then the server.
func (k *keeper) stop(ctx context.Context) error {
	if k.cancel == nil {
		return nil
	}
	k.cancel()
	p := <-k.last
	k.last <- nil // for another stop
	if p == nil {
		return nil
	}
	return k.server.end(ctx, p)
}

// deaths is a row of deaths, each soon after the one before.
type deaths struct {
	since time.Time
	pause time.Duration // before the next start
}

// note adds a death after the server ran for a while.
func (d *deaths) note(ran time.Duration) {
	switch {
	case d.since.IsZero() || ran >= steady:
		*d = deaths{since: time.Now()}
	case d.pause == 0:
		d.pause = firstPause
	default:
		d.pause = min(2*d.pause, longPause)
	}
}

func (d *deaths) over() bool { return time.Since(d.since) > patience }
