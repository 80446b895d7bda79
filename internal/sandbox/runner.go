package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"xbot/internal/fault"
	"xbot/runner/wire"
)

// defaultOfflineWait is how long a call waits for a runner that is not connected.
const defaultOfflineWait = 30 * time.Second

// Pauses before a call that broke is made again.
const (
	againFirst = 20 * time.Millisecond
	againMost  = time.Second
	brokenMost = 5 // calls that break before a runner that comes and goes counts as away
)

// Runner is a Sandbox that is reached over a Link.
type Runner struct {
	name        string
	link        Link
	offlineWait time.Duration
	info        atomic.Pointer[wire.Info] // as last seen

	mu        sync.Mutex
	processes map[*process]struct{} // of Start, while they run
}

var _ Sandbox = (*Runner)(nil)

// RunnerConfig configures a Runner. The zero value is fine.
type RunnerConfig struct {
	OfflineWait time.Duration // for a runner that is not connected; 0 means 30 s
	Workspace   string        // what Workspace answers before the runner was seen
}

// NewRunner makes a Sandbox of a link. The name is for users: it appears in errors.
func NewRunner(name string, link Link, cfg RunnerConfig) *Runner {
	r := &Runner{name: name, link: link, offlineWait: cmp.Or(cfg.OfflineWait, defaultOfflineWait), processes: map[*process]struct{}{}}
	r.info.Store(&wire.Info{Workspace: cfg.Workspace})
	return r
}

// Name returns the name users know the runner by.
func (r *Runner) Name() string { return r.name }

// Workspace returns where relative paths start, as the runner last reported.
func (r *Runner) Workspace() string { return r.info.Load().Workspace }

// Info waits for the runner, at most the offline wait, and returns its info.
func (r *Runner) Info(ctx context.Context) (wire.Info, error) { return r.ready(ctx, false) }

// ready waits for the runner: forever, or for the offline wait, after which it is Unavailable.
func (r *Runner) ready(ctx context.Context, forever bool) (wire.Info, error) {
	defer waiting(ctx, r.name)()
	wait := ctx
	if !forever {
		var cancel context.CancelFunc
		wait, cancel = context.WithTimeout(ctx, r.offlineWait)
		defer cancel()
	}
	info, err := r.link.Ready(wait)
	switch {
	case err == nil:
		r.info.Store(&info)
		return info, nil
	case ctx.Err() != nil:
		return wire.Info{}, ctx.Err()
	case away(err):
		return wire.Info{}, r.offline()
	}
	return wire.Info{}, translate(r.name, err)
}

// away reports whether an error means that the runner is out of reach: it is not connected, or the holder of its connection does
// not answer. A connection table that could not be asked does not mean that.
func away(err error) bool {
	_, failed := errors.AsType[*fault.Error](err)
	return errors.Is(err, ErrOffline) && !failed
}

// call makes a request until it gets an answer, waiting for the runner as long as it may be offline. prepare makes the request; retried is
// true after an attempt whose connection broke, when it may have to be different. Only for requests that can be repeated.
func (r *Runner) call(ctx context.Context, prepare func(retried bool) (wire.Request, error)) (wire.Response, error) {
	return r.callFor(ctx, 0, prepare)
}

// callFor is call for a request that may take the runner a limited time, not counting the wait for the runner: then it is
// ErrSlow. A limit of 0 is none.
func (r *Runner) callFor(ctx context.Context, limit time.Duration, prepare func(retried bool) (wire.Request, error)) (wire.Response, error) {
	broken, began := 0, time.Now()
	for pause := againFirst; ; pause = min(2*pause, againMost) {
		if _, err := r.ready(ctx, false); err != nil {
			return wire.Response{}, err
		}
		req, err := prepare(broken > 0)
		if err != nil {
			return wire.Response{}, err
		}
		response, err := r.once(ctx, limit, req)
		if !errors.Is(err, ErrOffline) && !errors.Is(err, ErrBroken) {
			return response, translate(r.name, err)
		}
		if errors.Is(err, ErrBroken) {
			broken++
		}
		if (broken == 0 || broken >= brokenMost) && time.Since(began) > r.offlineWait {
			return wire.Response{}, r.offline() // the way looks open, but nothing goes through
		}
		if err := sleep(ctx, pause); err != nil {
			return wire.Response{}, err
		}
	}
}

// once makes a request that may take a limited time.
func (r *Runner) once(ctx context.Context, limit time.Duration, req wire.Request) (wire.Response, error) {
	if limit <= 0 {
		return r.link.Call(ctx, req, nil)
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	response, err := r.link.Call(limited, req, nil)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return response, ErrSlow
	}
	return response, err
}

// ErrSlow means that the runner did not end a search within the time that the search had.
var ErrSlow = fault.Errorf(fault.Invalid, "the search took too long")

func (r *Runner) offline() error {
	return fault.Errorf(fault.Unavailable, "%w", &OfflineError{Runner: r.name, Waited: r.offlineWait})
}

// OfflineError means that a runner did not come within the offline wait, or did not stay long enough for an answer. Every
// operation returns it for a runner that is away.
type OfflineError struct {
	Runner string
	Waited time.Duration
}

// Error returns a sentence for the model and the user. Without a name it is for a user who must not learn it.
func (e *OfflineError) Error() string {
	if e.Runner == "" {
		return fmt.Sprintf("the files of this conversation are out of reach (waited %s): try again later", e.Waited)
	}
	return fmt.Sprintf("runner %s is offline (waited %s): start it, or choose another one", e.Runner, e.Waited)
}

// sleep waits for about d.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d/2 + rand.N(d/2+1))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ask makes a request with a body and reads its result.
func ask[T any](ctx context.Context, r *Runner, op wire.Op, body any) (T, error) {
	return askFor[T](ctx, r, 0, op, body)
}

// askFor is ask for a request that may take the runner a limited time.
func askFor[T any](ctx context.Context, r *Runner, limit time.Duration, op wire.Op, body any) (T, error) {
	var result T
	response, err := r.callFor(ctx, limit, func(bool) (wire.Request, error) { return wire.NewRequest(op, body) })
	if err != nil {
		return result, err
	}
	return result, translate(r.name, response.Decode(&result))
}

// send makes a request without a result.
func (r *Runner) send(ctx context.Context, op wire.Op, body any) error {
	_, err := r.call(ctx, func(bool) (wire.Request, error) { return wire.NewRequest(op, body) })
	return err
}
