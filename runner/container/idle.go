package container

import (
	"context"
	"errors"
	"time"
)

// watchIdle stops the container when it was unused for the idle time and no command runs in it.
func (r *relay) watchIdle(ctx context.Context) {
	timer := time.NewTimer(r.cfg.Idle)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		rest, stopped := r.look(ctx)
		if stopped && r.cfg.EndWhenIdle {
			close(r.idle)
			return
		}
		timer.Reset(rest)
	}
}

// look stops the container if it may be, and returns when to look again.
func (r *relay) look(ctx context.Context) (rest time.Duration, stopped bool) {
	r.gate.Lock() // a request that comes now waits, and starts the container again
	defer r.gate.Unlock()
	l := r.current()
	if l == nil {
		return r.cfg.Idle, false
	}
	if quiet := l.quiet(); quiet < r.cfg.Idle {
		return max(r.cfg.Idle-quiet, r.cfg.Idle/10), false
	}
	running, err := l.running(ctx)
	if err != nil || running > 0 {
		return r.cfg.Idle, false
	}
	r.mu.Lock()
	busy := l.quiet() < r.cfg.Idle // a request came while we asked
	if !busy {
		r.line, r.asleep = nil, true
	}
	r.mu.Unlock()
	if busy {
		return r.cfg.Idle, false
	}
	l.end(errors.New("the container is being stopped"))
	if err := r.engine.stop(ctx, r.cfg.Name); err != nil {
		r.cfg.Log.Warn("the idle container was not stopped", "error", err)
	}
	r.cfg.Log.Info("container stopped: nobody used it", "container", r.cfg.Name, "idle", r.cfg.Idle)
	return r.cfg.Idle, true
}
