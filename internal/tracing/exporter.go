package tracing

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm/usage"
	"xbot/internal/tracing/spans"
	"xbot/internal/tracing/tracestore"
)

// ExportRows is the queue of exports. It also reads the turns and ratings to export.
type ExportRows interface {
	Claim(ctx context.Context, target string, lease time.Duration, n int) ([]tracestore.Export, error)
	Done(ctx context.Context, e tracestore.Export) error
	Postpone(ctx context.Context, target string, pause time.Duration, problem string) error
	Resume(ctx context.Context, target string) error
	Prune(ctx context.Context, target string, older time.Duration, most int) (int, error)
	Next(ctx context.Context, target string) (time.Duration, bool, error)
	Waiting(ctx context.Context) (map[string]tracestore.Waiting, error)
	Turn(ctx context.Context, id chat.TurnID, content bool) (spans.Turn, error)
	Rating(ctx context.Context, message chat.MessageID, user chat.UserID) (tracestore.Rating, bool, error)
}

// Times and numbers of an exporter.
const (
	claimLease = 2 * time.Minute // longer than the requests of one round
	claimed    = 8               // exports of one round
	idleLook   = 30 * time.Second
	busyLook   = 10 * time.Second
	firstPause = 5 * time.Second
	longPause  = 5 * time.Minute
	keepFor    = 24 * time.Hour
	keepMost   = 10_000
	pruneEvery = 10 * time.Minute
)

// Exporter exports the traces of turns that have ended, and ratings. Every worker runs one; a trace is exported by one of them.
type Exporter struct {
	Settings *Settings
	Rows     ExportRows
	Signals  *Signals
	Resource Resource
	Prices   usage.Pricer // nil: no costs are exported
	Maskers  Maskers      // nil: secrets are masked by their form alone
	Metrics  *Metrics
	Log      *slog.Logger
}

// Signals wakes the exporter of a process, if there is one. It is safe for concurrent use.
type Signals struct {
	env    EnvironmentTargets
	active [2]atomic.Bool // in the order of Targets
	due    [2]chan struct{}
}

// NewSignals returns signals for a process with these targets in its environment.
func NewSignals(env EnvironmentTargets) *Signals {
	return &Signals{env: env, due: [2]chan struct{}{make(chan struct{}, 1), make(chan struct{}, 1)}}
}

// Targets returns the targets that the environment configures.
func (s *Signals) Targets() []string { return s.env.Targets() }

// Wake reports, without blocking, that an export may be due. Nothing happens while the exporter has no target.
func (s *Signals) Wake() {
	for i := range s.due {
		if s.active[i].Load() {
			s.signal(i)
		}
	}
}

// Reload reports that the settings have changed.
func (s *Signals) Reload() {
	for i := range s.due {
		s.signal(i)
	}
}

func (s *Signals) signal(i int) {
	select {
	case s.due[i] <- struct{}{}:
	default: // it is signaled already
	}
}

// Run exports until ctx ends. A target that is away delays no other one.
func (e *Exporter) Run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	for i, name := range Targets() {
		l := &loop{Exporter: e, name: name, active: &e.Signals.active[i]}
		g.Go(func() error {
			l.run(ctx, e.Signals.due[i])
			return nil
		})
	}
	return g.Wait()
}

// loop exports to one target.
type loop struct {
	*Exporter
	name   string
	active *atomic.Bool

	target   target
	failures int    // in a row
	reported string // problem of the settings that was logged
	pruned   time.Time
}

func (l *loop) run(ctx context.Context, wake <-chan struct{}) {
	for ctx.Err() == nil {
		timer := time.NewTimer(l.round(ctx))
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-wake:
		}
		timer.Stop()
	}
}

// round exports what is due and returns when to look again, unless the exporter is woken before.
func (l *loop) round(ctx context.Context) time.Duration {
	on, err := l.configure(ctx)
	if err == nil && time.Since(l.pruned) > pruneEvery {
		l.prune(ctx)
	}
	if err != nil || !on {
		return idleLook // an outage of Postgres is logged elsewhere
	}
	for ctx.Err() == nil {
		due, err := l.Rows.Claim(ctx, l.name, claimLease, claimed)
		if err != nil {
			return busyLook
		}
		for _, x := range due {
			if !l.export(ctx, x) {
				return l.rest(ctx)
			}
		}
		if len(due) < claimed {
			break
		}
	}
	return l.rest(ctx)
}

// rest returns the time until the next export is due.
func (l *loop) rest(ctx context.Context) time.Duration {
	if waiting, err := l.Rows.Waiting(ctx); err == nil {
		l.Metrics.waiting(l.name, waiting[l.name].Count)
	}
	next, ok, err := l.Rows.Next(ctx, l.name)
	if err != nil || !ok {
		return busyLook
	}
	return min(max(next, 10*time.Millisecond), busyLook)
}

// configure reads the settings. on is false if the target is not enabled.
func (l *loop) configure(ctx context.Context) (on bool, err error) {
	targets, problems, err := l.Settings.inForce(ctx)
	if err != nil {
		return false, err
	}
	if problem := problems[l.name]; problem != nil {
		l.active.Store(false)
		if text := problem.Error(); text != l.reported {
			l.reported = text
			l.Log.Warn("the target of traces cannot be used", "target", l.name, "problem", text)
		}
		return false, nil
	}
	l.reported = ""
	t, on := targets[l.name]
	l.active.Store(on)
	if on && (t.revision != l.target.revision || t.source != l.target.source) {
		l.failures = 0
	}
	l.target = t
	return on, nil
}

// prune deletes exports that have waited for keepFor, and the oldest of more than keepMost.
func (l *loop) prune(ctx context.Context) {
	n, err := l.Rows.Prune(ctx, l.name, keepFor, keepMost)
	if err != nil {
		return // an outage of Postgres is logged elsewhere
	}
	l.pruned = time.Now()
	if n > 0 {
		l.Metrics.count(l.name, outcomeDropped, n)
		l.Log.Warn("traces were deleted that the target has not received for a day, or that were too many", "target", l.name, "traces", n)
	}
}

// local is an error of this installation, and none of the target.
type local struct{ error }

// Unwrap returns the reason.
func (l local) Unwrap() error { return l.error }

// export exports one trace or rating. It returns false if the rest has to wait.
func (l *loop) export(ctx context.Context, x tracestore.Export) bool {
	var err error
	if x.Kind == tracestore.KindScore {
		err = l.sendScore(ctx, l.target, x)
	} else {
		err = l.sendTurn(ctx, x)
	}
	refused, isRefused := errors.AsType[refusal](err)
	failed, isLocal := errors.AsType[local](err)
	switch {
	case ctx.Err() != nil:
		return false // it is due again after its lease
	case isLocal:
		if !fault.Is(failed, fault.Unavailable) { // an outage of Postgres is logged elsewhere
			l.Log.Warn("a trace cannot be built, trying again", "target", l.name, "turn", x.Turn, "problem", failed.Error())
		}
		return true // it is due again after its lease; it does not delay the others
	case err != nil && !isRefused:
		l.away(ctx, err)
		return false
	case isRefused:
		l.Metrics.count(l.name, outcomeRefused, 1)
		l.Log.Warn("a trace was refused", "target", l.name, "turn", x.Turn, "problem", refused.Error())
	default:
		l.Metrics.count(l.name, outcomeSent, 1)
	}
	l.back(ctx)
	return l.Rows.Done(ctx, x) == nil
}

// sendTurn exports the trace of a turn.
func (l *loop) sendTurn(ctx context.Context, x tracestore.Export) error {
	t, err := l.Rows.Turn(ctx, x.Turn, l.target.content)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return local{err}
	}
	o := spans.Options{Content: l.target.content, Langfuse: l.name == Langfuse}
	if o.Content {
		if o.Mask, err = l.mask(ctx, t.Session); err != nil {
			return local{err}
		}
	}
	if l.Prices != nil {
		prices, err := l.Prices.Prices(ctx, t.User.ID)
		if err != nil {
			return local{err}
		}
		o.Cost = func(model string, u chat.Usage) (spans.Cost, bool) { return costOf(prices, model, u) }
	}
	return send(ctx, l.target, l.Resource, spans.Build(t, o))
}

func costOf(prices usage.Prices, model string, u chat.Usage) (spans.Cost, bool) {
	p, ok := prices[model]
	const million = 1e6
	return spans.Cost{
		Input: float64(u.PromptTokens-u.CachedTokens) * p.Input / million, Cached: float64(u.CachedTokens) * p.Cached / million,
		Output: float64(u.CompletionTokens) * p.Output / million,
	}, ok
}

// away postpones all exports of the target. The first failure in a row is logged.
func (l *loop) away(ctx context.Context, problem error) {
	if l.failures == 0 {
		l.Log.Warn("traces cannot be exported, trying again", "target", l.name, "problem", problem.Error())
	}
	pause := longPause
	if l.failures < 6 {
		pause = min(firstPause<<l.failures, longPause)
	}
	l.failures++
	l.Metrics.count(l.name, outcomeFailed, 1)
	_ = l.Rows.Postpone(ctx, l.name, pause, problem.Error()) // else they are due after their lease
	l.prune(ctx)
}

// back ends an outage of the target.
func (l *loop) back(ctx context.Context) {
	if l.failures == 0 {
		return
	}
	l.failures = 0
	l.Log.Info("traces are exported again", "target", l.name)
	_ = l.Rows.Resume(ctx, l.name) // else they are due after the pause
}
