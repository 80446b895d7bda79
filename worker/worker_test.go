package worker

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	sdk "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"go.uber.org/goleak"

	"xbot/activities"
	"xbot/activities/turn"
	"xbot/workflows"
)

// limit bounds every wait.
const limit = time.Minute

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

func all() Activities {
	return Activities{Turns: Turns{Intake: &turn.Intake{}, Model: &turn.Model{}, Tools: &turn.Tools{}}}
}

func TestBuild_RegistersEveryNameThatStandsInHistories(t *testing.T) {
	c, err := client.NewLazyClient(client.Options{Logger: log.NewStructuredLogger(discard())})
	require.NoError(t, err)
	defer c.Close()
	w := build(c, all(), Build{}, nil, func(error) {})
	for _, name := range []string{
		activities.NameClaim, activities.NamePeek, activities.NameGenerate, activities.NameTool, activities.NameAbandon, activities.NameFinish,
	} {
		require.Panics(t, func() {
			w.RegisterActivityWithOptions(func(context.Context) error { return nil }, activity.RegisterOptions{Name: name})
		}, "%s is not registered: the SDK refuses a second one of a name", name)
	}
	for _, kind := range workflows.Registered() {
		require.Panics(t, func() {
			w.RegisterWorkflowWithOptions(func(workflow.Context) error { return nil }, workflow.RegisterOptions{Name: kind.Name})
		}, kind.Name)
	}
	require.NotPanics(t, func() {
		w.RegisterActivityWithOptions(func(context.Context) error { return nil }, activity.RegisterOptions{Name: "Other"})
	})
}

// fake is a worker of the SDK that only starts and stops.
type fake struct {
	sdk.Worker

	start   error
	started chan struct{}
	stopped chan struct{}
	fatal   func(error)
}

func (f *fake) Start() error {
	close(f.started)
	return f.start
}

func (f *fake) Stop() { close(f.stopped) }

// fakes hands out workers, one after another.
type fakes struct {
	made chan *fake
	errs []error // of the first starts
	n    int
}

func (f *fakes) build(fatal func(error)) sdk.Worker {
	w := &fake{started: make(chan struct{}), stopped: make(chan struct{}), fatal: fatal}
	if f.n < len(f.errs) {
		w.start = f.errs[f.n]
	}
	f.n++
	f.made <- w
	return w
}

func (f *fakes) next(t *testing.T) *fake {
	t.Helper()
	select {
	case w := <-f.made:
		<-w.started
		return w
	case <-time.After(limit):
		require.Fail(t, "no worker was started")
		return nil
	}
}

func closed(t *testing.T, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(limit):
		require.Fail(t, "the worker was not stopped")
	}
}

func TestRun_WaitsForTemporalAndStopsWithItsContext(t *testing.T) {
	f := &fakes{made: make(chan *fake, 9), errs: []error{errors.New("connection refused")}}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- keep(ctx, f.build, discard()) }()
	f.next(t)
	second := f.next(t)
	cancel()
	closed(t, second.stopped)
	require.NoError(t, <-ended)
}

func TestRun_AWorkerThatGaveUpIsReplaced(t *testing.T) {
	f := &fakes{made: make(chan *fake, 9)}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- keep(ctx, f.build, discard()) }()
	first := f.next(t)
	first.fatal(errors.New("namespace not found"))
	first.fatal(errors.New("and again: more than one poller notices"))
	second := f.next(t)
	cancel()
	closed(t, second.stopped)
	require.NoError(t, <-ended)
	select {
	case <-first.stopped:
		require.Fail(t, "the SDK stops a worker that gave up by itself")
	default:
	}
}
