package localstack

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"sync/atomic"
	"time"

	"xbot/internal/host/localstack/process"
)

const (
	// restartLimit bounds one try at starting a server again.
	restartLimit = time.Minute
	// A server that dies is started again at once; when it dies or fails again soon, after pauses that double.
	firstPause = 50 * time.Millisecond
	longPause  = 5 * time.Second
	// steady is how long a server has to have run for its crash to begin a new series.
	steady = 30 * time.Second
	// patience is how long such a series may last before the stack is given up.
	patience = 5 * time.Minute
	// startFailures limits consecutive exits of a server during its start. Exits by a signal do not count.
	startFailures = 3
	// slowStart is how long a start takes before users read what it waits for.
	slowStart = 10 * time.Second
)

// server is a server that a supervisor keeps running.
type server interface {
	name() string
	// run starts the server, or takes over a running one, and returns once it is ready.
	run(ctx context.Context) (*process.Process, error)
	end(ctx context.Context, p *process.Process) error
}

// supervisor runs one server and starts it again when it dies. Its goroutine owns the process until it passes it to stop.
type supervisor struct {
	server server
	log    *slog.Logger
	// needs is a server without which this one cannot start; nil: there is none.
	needs    *supervisor
	progress Progress // of the start; nil discards it
	// changes counts the starts and the deaths of the server: an odd number means that it runs.
	changes atomic.Int64
	pid     atomic.Int64
	cancel  context.CancelFunc    // ends the keeping; nil before start has succeeded
	last    chan *process.Process // what runs when the keeping ends, nil for nothing
}

func newSupervisor(s server, log *slog.Logger) *supervisor {
	return &supervisor{server: s, log: log.With("server", s.name()), last: make(chan *process.Process, 1)}
}

// start brings the server up and begins to keep it. If it dies later and does not come back, failed gets the reason.
func (v *supervisor) start(ctx context.Context, failed chan<- error) error {
	begin := time.Now()
	p, err := v.bringUp(ctx)
	if err != nil {
		return err
	}
	v.runs(p)
	v.log.Info("server ready", "pid", p.PID, "duration", time.Since(begin))
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	v.cancel = cancel
	go func() {
		last, err := v.keep(life, p)
		v.last <- last
		if err != nil {
			failed <- fmt.Errorf("%s does not come back: %w", v.server.name(), err)
		}
	}()
	return nil
}

// bringUp runs the server until it is ready or ctx ends, again after each kill. It fails if the server cannot be run, or exits
// startFailures times in a row while the one that it needs runs.
func (v *supervisor) bringUp(ctx context.Context) (*process.Process, error) {
	var series crashes
	failures, said := 0, ""
	for {
		needed := v.needs.state()
		slow := time.AfterFunc(slowStart, func() { v.waiting("it is still starting") })
		p, err := v.server.run(ctx)
		slow.Stop()
		ended, failed := endOf(err)
		if !ended || ctx.Err() != nil {
			return p, err
		}
		switch {
		case !failed:
			failures = 0
		case needed%2 == 1 && needed == v.needs.state(): // what it needs ran all the time
			failures++
		}
		if failures == startFailures {
			return nil, err
		}
		if err.Error() != said {
			said = err.Error()
			v.waiting(said)
		}
		series.note(0)
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(series.pause):
		}
	}
}

// endOf reports whether err is the end of a process that belongs to the start of a server, and whether it exited with an exit code.
func endOf(err error) (ended, failed bool) {
	if end, ok := errors.AsType[*process.EndError](err); ok {
		return true, end.Failed
	}
	exit, ok := errors.AsType[*exec.ExitError](err) // of a program that makes the data
	return ok, ok && exit.Exited()
}

// waiting reports what the start waits for.
func (v *supervisor) waiting(reason string) {
	v.log.Warn("waiting for a local server", "reason", reason)
	if v.progress != nil {
		v.progress.Waiting(titles[v.server.name()] + ": " + reason)
	}
}

// titles are the names of the servers for users.
var titles = map[string]string{"postgres": "Postgres", "temporal": "Temporal"}

// runs records that the server runs.
func (v *supervisor) runs(p *process.Process) {
	v.pid.Store(int64(p.PID))
	v.changes.Add(1)
}

// state changes with each start and death of the server, and is odd while it runs. A server that is not needed always runs.
func (v *supervisor) state() int64 {
	if v == nil {
		return 1
	}
	return v.changes.Load()
}

// keep returns the running server when ctx ends, and an error if it cannot be started again.
func (v *supervisor) keep(ctx context.Context, p *process.Process) (*process.Process, error) {
	var series crashes
	for {
		begin := time.Now()
		select {
		case <-ctx.Done():
			return p, nil
		case <-p.Done():
		}
		v.changes.Add(1)
		v.log.Warn("server died", "pid", p.PID, "error", p.Err())
		series.note(time.Since(begin))
		next, err := v.revive(ctx, &series)
		if ctx.Err() != nil {
			return next, nil
		}
		if err != nil {
			return nil, err
		}
		p = next
	}
}

// revive starts the server again, as often as the crashes before allow.
func (v *supervisor) revive(ctx context.Context, series *crashes) (*process.Process, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(series.pause):
		}
		begin := time.Now()
		limited, cancel := context.WithTimeout(ctx, restartLimit)
		p, err := v.server.run(limited)
		cancel()
		if err == nil {
			v.runs(p)
			v.log.Info("server restarted", "pid", p.PID, "duration", time.Since(begin))
			return p, nil
		}
		if ctx.Err() != nil || series.over() {
			return nil, err
		}
		v.log.Error("server did not restart", "error", err)
		series.note(0)
	}
}

// stop ends the keeping, then the server.
func (v *supervisor) stop(ctx context.Context) error {
	if v.cancel == nil {
		return nil
	}
	v.cancel()
	p := <-v.last
	v.last <- nil // for another stop
	if p == nil {
		return nil
	}
	return v.server.end(ctx, p)
}

// crashes is a series of crashes: before each of them the server had run for less than steady.
type crashes struct {
	since time.Time
	pause time.Duration // before the next start
}

// note adds a crash after the server ran for a while.
func (d *crashes) note(ran time.Duration) {
	switch {
	case d.since.IsZero() || ran >= steady:
		*d = crashes{since: time.Now()}
	case d.pause == 0:
		d.pause = firstPause
	default:
		d.pause = min(2*d.pause, longPause)
	}
}

func (d *crashes) over() bool { return time.Since(d.since) > patience }
