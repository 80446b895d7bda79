package crash

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// aloneTime bounds how long a suspect runs alone. Most crashes happen sooner; after it, other attempts may run at the same time again.
const aloneTime = 10 * time.Second

const (
	// queueTime bounds how long all suspects of one crash take until each has run alone.
	queueTime = time.Minute
	// forgetTime bounds the deletion of a count: the attempt has ended and sends no more heartbeats.
	forgetTime = time.Second
)

// Counts is the store of the number of worker crashes during each call.
type Counts interface {
	// CountCrash adds the end of a process to the counts of the attempts that are blamed for it.
	CountCrash(ctx context.Context, version string, d Death) error
	// CrashCount returns the count of a call; zero if there is none.
	CrashCount(ctx context.Context, version string, c Call) (Count, error)
	// CrashCounts returns all current counts.
	CrashCounts(ctx context.Context, version string) (map[Call]Count, error)
	// ForgetCrashes deletes the count of a call that has ended well.
	ForgetCrashes(ctx context.Context, c Call) error
	// ForgiveCrashes deletes the count of a call that was given up and ended otherwise, once a day.
	ForgiveCrashes(ctx context.Context, c Call) error
	// GiveUpCall records that a call is not retried.
	GiveUpCall(ctx context.Context, c Call) error
}

// Guard decides whether an attempt may run, and records those that do.
type Guard struct {
	version string
	counts  Counts
	journal *Journal
	alone   chan struct{} // has a value while a suspect runs alone
	log     *slog.Logger
	metrics metrics

	mu       sync.Mutex
	suspects map[Call]Count
	warned   bool
}

// NewGuard returns a guard for a version of the program that registers its metrics. It works once Open has succeeded.
func NewGuard(version string, counts Counts, r prometheus.Registerer, log *slog.Logger) *Guard {
	return &Guard{version: version, counts: counts, alone: make(chan struct{}, 1), log: log, metrics: newMetrics(r)}
}

// Open counts the attempts of dead processes on a data folder, and creates the journal of this one. No attempt may run before it succeeds; it can be
// called again after an error.
func (g *Guard) Open(ctx context.Context, home string) error {
	deaths, err := Recover(ctx, home, g.version, g.counts)
	g.report(deaths)
	if err != nil {
		return err
	}
	if g.suspects, err = g.counts.CrashCounts(ctx, g.version); err != nil {
		return err
	}
	g.journal, err = OpenJournal(home, g.version)
	return err
}

// report logs and counts the ends of processes.
func (g *Guard) report(deaths []Death) {
	for _, d := range deaths {
		if !d.Crashed {
			g.log.Info("a worker process was killed", "pid", d.Process, "attempts", len(d.Blamed))
			continue
		}
		g.log.Error("a worker process crashed; its calls are tried again, one at a time", "pid", d.Process, "cause", d.Cause, "attempts", len(d.Blamed))
		for _, a := range d.Blamed {
			g.log.Warn("a call ran when the worker process crashed", "workflow", a.Workflow, "activity", a.Activity, "input", a.Input, "alone", a.Alone)
			g.metrics.crashed.WithLabelValues(a.Activity).Inc()
		}
	}
}

// Begin records an attempt that is about to run, and returns a function that ends the record: done means that the call has ended well. The error is a
// GivenUpError for a call with too many crashes. A call with fewer waits until no other suspect runs, so that another crash has one cause; ctx bounds
// the wait.
func (g *Guard) Begin(ctx context.Context, a Attempt) (end func(done bool), err error) {
	count, err := g.countOf(ctx, a)
	if err != nil {
		return nil, err
	}
	if count.GivenUp() {
		g.log.Error("a call was given up: it was part of too many crashes", "workflow", a.Workflow, "activity", a.Activity, "input", a.Input, "cause", count.Cause)
		g.metrics.givenUp.WithLabelValues(a.Activity).Inc()
		return nil, errorsOf(&GivenUpError{Call: a.Call, Count: count}, g.counts.GiveUpCall(ctx, a.Call))
	}
	if count.Crashes == 0 || a.Follows {
		slot := g.begin(a)
		return func(done bool) {
			g.journal.End(slot)
			if done && count != (Count{}) {
				g.forget(ctx, a.Call)
			}
		}, nil
	}
	return g.beginAlone(ctx, a, g.timeAlone(count))
}

// errorsOf keeps the type of the first error, also if the call could not be marked.
func errorsOf(up *GivenUpError, err error) error {
	if err != nil {
		return fmt.Errorf("%w; it was not recorded: %w", up, err)
	}
	return up
}

// countOf returns the count of a call. Only a retried attempt can have a count that this process has not read at its start, from another process that
// died. Known counts are read again, since they expire after a day and other processes delete them.
func (g *Guard) countOf(ctx context.Context, a Attempt) (Count, error) {
	if a.N <= 1 || a.Local {
		g.mu.Lock()
		_, known := g.suspects[a.Call]
		g.mu.Unlock()
		if !known {
			return Count{}, nil
		}
	}
	count, err := g.counts.CrashCount(ctx, g.version, a.Call)
	if err != nil {
		return Count{}, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if count == (Count{}) {
		delete(g.suspects, a.Call)
	} else {
		g.suspects[a.Call] = count
	}
	return count, nil
}

func (g *Guard) begin(a Attempt) int64 {
	slot := g.journal.Begin(a)
	if err := g.journal.Err(); err != nil {
		g.mu.Lock()
		defer g.mu.Unlock()
		if !g.warned {
			g.log.Warn("running attempts cannot be recorded, so a call that crashes the server is tried again and again", "error", err)
		}
		g.warned = true
	}
	return slot
}

// timeAlone returns how long a suspect runs alone: longer after each crash, since a call may crash a process late, and less if many suspects wait.
func (g *Guard) timeAlone(count Count) time.Duration {
	if count.Crashes > 1 {
		return aloneTime << min(count.Crashes-1, 3)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return max(time.Second, min(aloneTime, queueTime/time.Duration(max(1, len(g.suspects)))))
}

// beginAlone begins the attempt of a suspect once no other suspect runs.
func (g *Guard) beginAlone(ctx context.Context, a Attempt, most time.Duration) (end func(done bool), err error) {
	select {
	case g.alone <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	a.Alone, a.Suspect = true, true
	slot := g.begin(a)
	var mu sync.Mutex
	ended, alone := false, true
	release := func() {
		if alone {
			alone = false
			<-g.alone
		}
	}
	timer := time.AfterFunc(most, func() {
		mu.Lock()
		defer mu.Unlock()
		if !ended {
			a.Alone = false
			g.journal.Update(slot, a)
			release()
		}
	})
	return func(done bool) {
		timer.Stop()
		mu.Lock()
		ended = true
		g.journal.End(slot)
		release()
		mu.Unlock()
		if done {
			g.forget(ctx, a.Call)
		}
	}, nil
}

// forget deletes the count of a call that has ended well.
func (g *Guard) forget(ctx context.Context, c Call) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), forgetTime)
	defer cancel()
	if err := g.counts.ForgetCrashes(ctx, c); err != nil {
		g.log.Warn("the count of a call that has ended well was not deleted", "call", c.String(), "error", err)
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.suspects, c)
}

// Forgive lets calls with the same input run again after a call that was given up has ended otherwise. The second call that is given up within a day is
// not forgiven: an input that recurs, such as the next time of a job, crashes a limited number of processes.
func (g *Guard) Forgive(ctx context.Context, c Call) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), forgetTime)
	defer cancel()
	if err := g.counts.ForgiveCrashes(ctx, c); err != nil {
		g.log.Warn("the count of a call that was given up was not deleted", "call", c.String(), "error", err)
	}
}

// Stop records that the process shuts down regularly.
func (g *Guard) Stop() { g.journal.Stop() }

// Close removes the journal.
func (g *Guard) Close() error { return g.journal.Close() }

// metrics counts crashed attempts and calls that were given up.
type metrics struct{ crashed, givenUp *prometheus.CounterVec }

func newMetrics(r prometheus.Registerer) metrics {
	m := metrics{
		crashed: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "xbot_attempts_crashed_total", Help: "Attempts of activities that ran when their worker process crashed, by activity."}, []string{"activity"}),
		givenUp: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "xbot_calls_given_up_total", Help: "Calls of activities that were given up because worker processes crashed in them, by activity."}, []string{"activity"}),
	}
	r.MustRegister(m.crashed, m.givenUp)
	return m
}
