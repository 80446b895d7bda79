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

// defaultOfflineWait is how long a call waits for a runner that is not connected (DESIGN §6).
const defaultOfflineWait = 30 * time.Second

// Pauses before a call that broke is made again.
const (
	againFirst = 20 * time.Millisecond
	againMost  = time.Second
)

// Runner is a Sandbox on the other side of a Link.
type Runner struct {
	name        string
	link        Link
	offlineWait time.Duration
	info        atomic.Pointer[wire.Info] // as last seen

	mu        sync.Mutex
	processes map[*process]struct{} // of Start, while they run
}

var _ Sandbox = (*Runner)(nil)

// RunnerConfig says how a Runner behaves. The zero value is fine.
type RunnerConfig struct {
	OfflineWait time.Duration // for a runner that is not connected; 0 means 30 s
	Workspace   string        // what Workspace answers before the runner was seen
}

// NewRunner makes a Sandbox of a link. The name is for people: it appears in errors.
func NewRunner(name string, link Link, cfg RunnerConfig) *Runner {
	r := &Runner{name: name, link: link, offlineWait: cmp.Or(cfg.OfflineWait, defaultOfflineWait), processes: map[*process]struct{}{}}
	r.info.Store(&wire.Info{Workspace: cfg.Workspace})
	return r
}

// Name is the name people know the runner by.
func (r *Runner) Name() string { return r.name }

// Workspace is where relative paths start, as the runner last said.
func (r *Runner) Workspace() string { return r.info.Load().Workspace }

// Info waits for the runner, at most the offline wait, and says who it is.
func (r *Runner) Info(ctx context.Context) (wire.Info, error) { return r.ready(ctx, false) }

// ready waits for the runner: for ever, or for the offline wait, after which it is Unavailable.
func (r *Runner) ready(ctx context.Context, forever bool) (wire.Info, error) {
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
	case err == ErrOffline: //nolint:errorlint // a wrapped one has more to say
		return wire.Info{}, r.offline()
	}
	return wire.Info{}, translate(r.name, err)
}

// call makes a request until it gets an answer, waiting for the runner as long as it may be offline. Retried is told
// to the maker of the request, who may have to ask differently the second time. Only for requests that can be repeated.
func (r *Runner) call(ctx context.Context, prepare func(retried bool) (wire.Request, error)) (wire.Response, error) {
	retried, began := false, time.Now()
	for pause := againFirst; ; pause = min(2*pause, againMost) {
		if _, err := r.ready(ctx, false); err != nil {
			return wire.Response{}, err
		}
		req, err := prepare(retried)
		if err != nil {
			return wire.Response{}, err
		}
		response, err := r.link.Call(ctx, req, nil)
		if !errors.Is(err, ErrOffline) && !errors.Is(err, ErrBroken) {
			return response, translate(r.name, err)
		}
		retried = retried || errors.Is(err, ErrBroken)
		if !retried && time.Since(began) > r.offlineWait {
			return wire.Response{}, r.offline() // the way looked open, but nothing went through
		}
		if err := sleep(ctx, pause); err != nil {
			return wire.Response{}, err
		}
	}
}

func (r *Runner) offline() error {
	return fault.Errorf(fault.Unavailable, "%w", &OfflineError{Runner: r.name, Waited: r.offlineWait})
}

// OfflineError says that a runner did not come within the offline wait, so that nothing was sent to it.
type OfflineError struct {
	Runner string
	Waited time.Duration
}

// Error is a sentence for the model and the person.
func (e *OfflineError) Error() string {
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
	var result T
	response, err := r.call(ctx, func(bool) (wire.Request, error) { return wire.NewRequest(op, body) })
	if err != nil {
		return result, err
	}
	return result, translate(r.name, response.Decode(&result))
}

// tell makes a request without a result.
func (r *Runner) tell(ctx context.Context, op wire.Op, body any) error {
	_, err := r.call(ctx, func(bool) (wire.Request, error) { return wire.NewRequest(op, body) })
	return err
}
