package activities

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"xbot/internal/fault"
)

func suite() *testsuite.WorkflowTestSuite {
	var s testsuite.WorkflowTestSuite
	s.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	return &s
}

func TestFailure_GivesEachKindItsMeaningForTemporal(t *testing.T) {
	for name, c := range map[string]struct {
		err   error
		kind  fault.Kind
		again bool
		after time.Duration
	}{
		"wrong input":                  {err: fault.Errorf(fault.Invalid, "x"), kind: fault.Invalid},
		"not allowed":                  {err: fault.Errorf(fault.Denied, "x"), kind: fault.Denied},
		"not there":                    {err: fault.Errorf(fault.NotFound, "x"), kind: fault.NotFound},
		"moved on":                     {err: fault.Errorf(fault.Conflict, "x"), kind: fault.Conflict},
		"too large":                    {err: fault.Errorf(fault.TooLarge, "x"), kind: fault.TooLarge},
		"asked too often":              {err: fmt.Errorf("call: %w", fault.Limited(3*time.Second, "x")), kind: fault.RateLimited, again: true, after: 3 * time.Second},
		"something is away":            {err: fault.Errorf(fault.Unavailable, "x"), kind: fault.Unavailable, again: true},
		"our bug":                      {err: io.EOF, kind: fault.Internal, again: true},
		"the worker is stopping":       {err: context.Canceled, kind: fault.Unavailable, again: true},
		"no answer in time":            {err: fmt.Errorf("record: %w", context.DeadlineExceeded), kind: fault.Unavailable, again: true},
		"Postgres is away":             {err: fault.Away("Postgres", "x"), kind: fault.Unavailable, again: true},
		"a kind around another's kind": {err: fault.Errorf(fault.Invalid, "%w", fault.Errorf(fault.Unavailable, "x")), kind: fault.Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			env := suite().NewTestActivityEnvironment()
			env.RegisterActivityWithOptions(func(ctx context.Context) error { return Failure(ctx, c.err) }, activity.RegisterOptions{Name: "fail"})
			_, err := env.ExecuteActivity("fail")
			var app *temporal.ApplicationError
			require.ErrorAs(t, err, &app)
			require.Equal(t, string(c.kind), app.Type())
			require.Equal(t, c.again, !app.NonRetryable())
			require.Equal(t, c.after, app.NextRetryDelay())
		})
	}
}

// attempts runs an activity that always fails until Temporal gives up, and returns how often it ran.
func attempts(t *testing.T, fail func(ctx context.Context, attempt int) error) int {
	t.Helper()
	env := suite().NewTestWorkflowEnvironment()
	n := 0
	env.RegisterActivityWithOptions(func(ctx context.Context) error { n++; return Failure(ctx, fail(ctx, n)) }, activity.RegisterOptions{Name: "fail"})
	env.ExecuteWorkflow(func(ctx workflow.Context) error {
		ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute, RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 1, MaximumAttempts: 100}})
		return workflow.ExecuteActivity(ctx, "fail").Get(ctx, nil)
	})
	require.True(t, env.IsWorkflowCompleted())
	require.Error(t, env.GetWorkflowError())
	return n
}

func TestFailure_OurOwnBugsAreTriedThreeTimes(t *testing.T) {
	require.Equal(t, lastInternalAttempt, attempts(t, func(context.Context, int) error { return io.EOF }))
}

func TestFailure_OutagesAndRestartsAreTriedAsLongAsTheyLast(t *testing.T) {
	require.Equal(t, 50, attempts(t, func(_ context.Context, n int) error {
		switch {
		case n == 50:
			return fault.Errorf(fault.Invalid, "enough")
		case n%2 == 0:
			return fmt.Errorf("claim: %w", context.Canceled)
		}
		return fault.Errorf(fault.Unavailable, "Postgres is away")
	}))
}

func TestStopped_OnlyAnAnsweredCancellationIsAStop(t *testing.T) {
	for name, c := range map[string]struct {
		cause error
		want  bool
	}{
		"the workflow cancelled it":  {temporal.NewCanceledError(), true},
		"the worker is stopping":     {errors.New("stopping"), false},
		"no reason is given":         {nil, false},
		"Temporal has been away":     {context.DeadlineExceeded, false},
		"the run was terminated":     {errors.New("not found"), false},
		"Temporal wraps its own one": {fmt.Errorf("heartbeat: %w", temporal.NewCanceledError()), true},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			require.False(t, Stopped(ctx))
			cancel(c.cause)
			require.Equal(t, c.want, Stopped(ctx))
		})
	}
}

func TestHeartbeat_GoesOnAfterAStopUntilTheActivityHasSettled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	env := suite().NewTestActivityEnvironment()
	env.SetWorkerOptions(worker.Options{BackgroundActivityContext: ctx})
	beat := make(chan struct{}, 100)
	env.SetOnActivityHeartbeatListener(func(*activity.Info, converter.EncodedValues) { beat <- struct{}{} })
	env.RegisterActivityWithOptions(func(ctx context.Context) error {
		defer Heartbeat(ctx)()
		cancel(temporal.NewCanceledError())
		<-ctx.Done()
		select {
		case <-beat:
			return nil
		case <-time.After(4 * HeartbeatInterval):
			return errors.New("the server would give the activity up")
		}
	}, activity.RegisterOptions{Name: "slow"})
	_, err := env.ExecuteActivity("slow")
	require.NoError(t, err)
}

// told records what a printer prints.
type told struct{ text string }

func (o *told) Print(text string) { o.text += text }
func (o *told) Close()            {}

func FuzzPrinter_ShowsValidTextHoweverItIsCut(f *testing.F) {
	f.Add([]byte("plain"), 1)
	f.Add([]byte("字😀\xff\x00\xe5"), 2)
	f.Add([]byte("\xf0\x9f\x98\xf0\x9f\x98\x80"), 3)
	f.Fuzz(func(t *testing.T, data []byte, size int) {
		size = max(1, size%7)
		out := &told{}
		p := &Printer{Out: out}
		for rest := data; len(rest) > 0; {
			n := min(size, len(rest))
			p.Write(0, rest[:n])
			rest = rest[n:]
		}
		if !utf8.ValidString(out.text) {
			t.Fatalf("%q is not valid", out.text)
		}
		if utf8.Valid(data) && out.text != Clean(string(data)) {
			t.Fatalf("%q was shown as %q", data, out.text)
		}
		if len(p.carry) >= utf8.UTFMax {
			t.Fatalf("%d bytes wait", len(p.carry))
		}
	})
}

func TestClean_LeavesOnlyWhatPostgresHolds(t *testing.T) {
	require.Equal(t, "a\uFFFDb\n", Clean("a\xffb\x00\n"))
	require.Equal(t, "字", Clean("字"))
}

func TestShorten_CountsCharacters(t *testing.T) {
	require.Equal(t, "构建", Shorten("构建", 2))
	require.Equal(t, "构…", Shorten("构建系统", 2))
}
