package workflows_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/compress"
	"xbot/activities/turn"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/workflows"
)

const key = chat.SessionKey("agent:main:web:thread:t")

// world stands in for the activities: it records what was asked and answers from a script.
type world struct {
	mu        sync.Mutex
	waiting   int // messages in the inbox
	pending   bool
	decisions []turn.GenerateOutput
	maxSteps  int
	stopAfter int // Peek says stop from this many generates on; 0 never
	generate  func(ctx context.Context, step int) error
	tool      func(ctx context.Context, id chat.CallID) error
	attempt   func(ctx context.Context, in turn.ToolInput) (turn.ToolOutput, error) // instead of tool
	finishing func()
	answered  []chat.CallID // calls that a person answered for
	settled   bool          // questions find their answer at once
	askErr    error

	claims, generates, finishes, peeks int
	calls, abandoned, asked, expired   []chat.CallID
	interrupted                        []chat.CallID
	interrupt                          error
	running, most                      int
	finished                           turn.FinishInput

	steering int           // messages wait that are meant for the turn that runs
	looks    int           // how often that was seen
	wake     func()        // lets the turn look again
	late     chan struct{} // holds the second of two looks until the turn claims
	known    chan struct{} // told when the turn looks again, so that it has acted on what it saw before
	steers   []steered

	control     string // name of the command that is claimed instead of a message
	compress    func(ctx context.Context) error
	compressed  []compress.Input
	generations []turn.GenerateInput
	obeyed      int

	hooks []string // hook points at which hooks run
	title bool     // the conversation is to be named

	quick bool           // the model usually answers quickly
	ended chat.TurnState // of the turn, where it has ended before
	try   func(*world) (turn.GenerateOutput, error)
	tried []bool // of each call of the model, whether it was a local activity
}

func (w *world) Claim(context.Context, turn.ClaimInput) (turn.ClaimOutput, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.claims++
	if w.waiting == 0 {
		return turn.ClaimOutput{}, nil
	}
	w.waiting--
	return turn.ClaimOutput{Claimed: true, Inbox: 7, Channel: "web", User: "alice", Model: "test/model", MaxSteps: w.maxSteps, Control: w.control, Steer: w.steering > 0, Hooks: w.hooks, Quick: w.quick, Ended: w.ended}, nil
}

func (w *world) Peek(context.Context, turn.PeekInput) (turn.PeekOutput, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.peeks++
	w.look()
	seen := turn.PeekOutput{Stop: w.stopAfter > 0 && w.generates >= w.stopAfter, Answered: slices.Clone(w.answered), Steer: w.steering > 0}
	if late := w.late; late != nil && w.looks == 2 {
		w.mu.Unlock()
		<-late
		w.mu.Lock()
	}
	return seen, nil
}

func (w *world) Ask(_ context.Context, in turn.AskInput) (turn.AskOutput, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, in.Call)
	if w.settled || w.askErr != nil {
		return turn.AskOutput{}, w.askErr
	}
	return turn.AskOutput{Open: true, Wait: approvalWait}, nil
}

func (w *world) Expire(_ context.Context, in turn.ExpireInput) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.expired = append(w.expired, in.Call)
	return nil
}

// answer lets a person answer for calls.
func (w *world) answer(ids ...chat.CallID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answered = append(w.answered, ids...)
}

func (w *world) Generate(ctx context.Context, in turn.GenerateInput) (turn.GenerateOutput, error) {
	w.mu.Lock()
	n := w.generates
	w.generates++
	w.generations = append(w.generations, in)
	local := activity.GetInfo(ctx).IsLocalActivity
	w.tried = append(w.tried, local)
	unfinished := local && !in.Stop && w.try != nil
	if unfinished {
		w.generates = n
	}
	w.mu.Unlock()
	if unfinished {
		return w.try(w)
	}
	if w.generate != nil {
		if err := w.generate(ctx, in.Step); err != nil {
			return turn.GenerateOutput{}, err
		}
	}
	return w.decisions[min(n, len(w.decisions)-1)], nil
}

func (w *world) Tool(ctx context.Context, in turn.ToolInput) (turn.ToolOutput, error) {
	w.mu.Lock()
	w.calls = append(w.calls, in.Call)
	w.running++
	w.most = max(w.most, w.running)
	w.mu.Unlock()
	defer func() { w.mu.Lock(); w.running--; w.mu.Unlock() }()
	if w.attempt != nil {
		return w.attempt(ctx, in)
	}
	if w.tool != nil {
		return turn.ToolOutput{}, w.tool(ctx, in.Call)
	}
	return turn.ToolOutput{}, nil
}

func (w *world) Abandon(_ context.Context, in turn.AbandonInput) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.abandoned = append(w.abandoned, in.Call)
	return nil
}

func (w *world) Finish(_ context.Context, in turn.FinishInput) (turn.FinishOutput, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.finishes++
	w.finished = in
	if w.finishing != nil {
		w.finishing()
	}
	return turn.FinishOutput{Pending: w.pending, Title: w.title}, nil
}

func (w *world) Interrupt(_ context.Context, in turn.ToolInput) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.interrupted = append(w.interrupted, in.Call)
	return w.interrupt
}

func setup(t *testing.T, w *world) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	if w.maxSteps == 0 {
		w.maxSteps = 200
	}
	env := bare(t)
	for name, fn := range map[string]any{
		activities.NameClaim: w.Claim, activities.NamePeek: w.Peek, activities.NameGenerate: w.Generate,
		activities.NameTool: w.Tool, activities.NameAbandon: w.Abandon, activities.NameFinish: w.Finish,
		activities.NameAsk: w.Ask, activities.NameExpire: w.Expire, activities.NameInterrupt: w.Interrupt,
		activities.NameSteer: w.Steer, activities.NameCompress: w.Compress, activities.NameTurnCommand: w.Obey,
	} {
		env.RegisterActivityWithOptions(fn, activity.RegisterOptions{Name: name})
	}
	return env
}

// bare is a place for turns without activities.
func bare(t *testing.T) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := newEnvironment(&suite)
	env.RegisterWorkflowWithOptions(workflows.Turn, workflow.RegisterOptions{Name: workflows.NameTurn})
	return env
}

func run(env *testsuite.TestWorkflowEnvironment) {
	env.ExecuteWorkflow(workflows.NameTurn, workflows.TurnInput{Session: key})
}

func toolCalls(class chat.ToolClass, n int) turn.GenerateOutput {
	out := turn.GenerateOutput{Finish: "tool_calls"}
	for range n {
		out.Calls = append(out.Calls, turn.CallOutput{Name: "Any", Class: class})
	}
	return out
}

var answered = turn.GenerateOutput{Finish: "stop"}

func TestTurn_CompletesAtOnceWhenNothingWaits(t *testing.T) {
	w := &world{}
	env := setup(t, w)
	run(env)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, 1, w.claims)
	require.Zero(t, w.generates)
	require.Zero(t, w.finishes)
}

func TestTurn_AnswersAndFinishes(t *testing.T) {
	w := &world{waiting: 1, decisions: []turn.GenerateOutput{answered}}
	env := setup(t, w)
	run(env)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, chat.TurnDone, w.finished.State)
	require.Empty(t, w.finished.Say)
}

func TestTurn_ContinuesAsNewWhenMessagesWaitAtTheEnd(t *testing.T) {
	w := &world{waiting: 1, pending: true, decisions: []turn.GenerateOutput{answered}}
	env := setup(t, w)
	run(env)
	var next *workflow.ContinueAsNewError
	require.ErrorAs(t, env.GetWorkflowError(), &next)
}

func TestTurn_ContinuesAsNewWhenAWakeComesWhileItFinishes(t *testing.T) {
	w := &world{waiting: 1, decisions: []turn.GenerateOutput{answered}}
	env := setup(t, w)
	w.finishing = func() { env.SignalWorkflow(workflows.SignalWake, nil) }
	run(env)
	var next *workflow.ContinueAsNewError
	require.ErrorAs(t, env.GetWorkflowError(), &next)
}

func TestTurn_RunsReadsTogetherAndTheRestInOrder(t *testing.T) {
	reads := toolCalls(chat.ClassRead, 20)
	w := &world{waiting: 1, decisions: []turn.GenerateOutput{reads, toolCalls(chat.ClassExec, 3), answered}}
	var begun atomic.Int32
	together := make(chan struct{})
	w.tool = func(ctx context.Context, _ chat.CallID) error {
		if begun.Add(1) == 8 {
			close(together)
		}
		select {
		case <-together:
		case <-ctx.Done():
		}
		return nil
	}
	env := setup(t, w)
	run(env)
	require.NoError(t, env.GetWorkflowError())
	require.Len(t, w.calls, 23)
	require.Equal(t, 8, w.most, "as many reads run together as may")
	require.Equal(t, []chat.CallID{".1.0", ".1.1", ".1.2"}, w.calls[20:], "commands keep the model's order")
}

func TestTurn_KeepsWritesAndReadsInTheModelsOrder(t *testing.T) {
	mixed := turn.GenerateOutput{Finish: "tool_calls", Calls: []turn.CallOutput{
		{Name: "Read", Class: chat.ClassRead}, {Name: "FileCreate", Class: chat.ClassIdempotent}, {Name: "Read", Class: chat.ClassRead},
	}}
	w := &world{waiting: 1, decisions: []turn.GenerateOutput{mixed, answered}}
	env := setup(t, w)
	run(env)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []chat.CallID{".0.0", ".0.1", ".0.2"}, w.calls)
}

func TestTurn_StopsWhileACommandRuns(t *testing.T) {
	w := &world{waiting: 1, stopAfter: 1, decisions: []turn.GenerateOutput{toolCalls(chat.ClassExec, 2), answered}}
	w.tool = func(ctx context.Context, _ chat.CallID) error { <-ctx.Done(); return nil }
	env := setup(t, w)
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.SignalWake, nil) }, time.Second)
	run(env)
	require.Equal(t, chat.TurnStopped, w.finished.State)
	require.Equal(t, i18n.Stopped, w.finished.Say)
	require.Len(t, w.calls, 1, "the second call must not start")
	require.Equal(t, 1, w.generates, "the model must not be asked again")
}

func TestTurn_AStopEndsTheCommandOfALostWorker(t *testing.T) {
	for name, c := range map[string]struct {
		interrupt error
		abandoned int
	}{
		"it is ended":               {},
		"its runner cannot be told": {interrupt: temporal.NewNonRetryableApplicationError("away", "unavailable", nil), abandoned: 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := &world{waiting: 1, stopAfter: 1, decisions: []turn.GenerateOutput{toolCalls(chat.ClassExec, 1)}, interrupt: c.interrupt}
			w.tool = func(ctx context.Context, _ chat.CallID) error {
				<-ctx.Done()
				return temporal.NewNonRetryableApplicationError("nobody heard of it", "lost", nil)
			}
			env := setup(t, w)
			env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.SignalWake, nil) }, time.Second)
			run(env)
			require.Len(t, w.interrupted, 1)
			require.Len(t, w.abandoned, c.abandoned)
			require.Equal(t, chat.TurnStopped, w.finished.State)
		})
	}
}

func TestTurn_TellsThePersonAtTheStepLimit(t *testing.T) {
	w := &world{waiting: 1, maxSteps: 3, decisions: []turn.GenerateOutput{toolCalls(chat.ClassRead, 1)}}
	env := setup(t, w)
	run(env)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, 3, w.generates)
	require.Equal(t, i18n.StepLimit, w.finished.Say)
	require.Equal(t, 3, w.finished.Steps)
	require.Equal(t, chat.TurnFailed, w.finished.State)
}

func TestTurn_APanicOfAnActivityEndsTheTurnWithASentence(t *testing.T) {
	w := &world{waiting: 1, decisions: []turn.GenerateOutput{answered}}
	w.generate = func(context.Context, int) error { panic("poison") }
	env := setup(t, w)
	run(env)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, 1, w.generates, "what panicked once panics again")
	require.Equal(t, i18n.Broken, w.finished.Say)
	require.Equal(t, chat.TurnFailed, w.finished.State)
}

func TestTurn_GoesOnAfterAToolBroke(t *testing.T) {
	w := &world{waiting: 1, decisions: []turn.GenerateOutput{toolCalls(chat.ClassRead, 1), answered}}
	w.tool = func(context.Context, chat.CallID) error {
		return temporal.NewNonRetryableApplicationError("broken", "internal", errors.New("broken"))
	}
	env := setup(t, w)
	run(env)
	require.NoError(t, env.GetWorkflowError())
	require.Len(t, w.abandoned, 1)
	require.Equal(t, chat.TurnDone, w.finished.State)
}

func TestTurn_OutagesDoNotEndIt(t *testing.T) {
	w := &world{waiting: 1, decisions: []turn.GenerateOutput{answered}}
	failures := 0
	w.generate = func(context.Context, int) error {
		if failures++; failures < 9 {
			return temporal.NewApplicationError("Postgres is away", "unavailable")
		}
		return nil
	}
	env := setup(t, w)
	run(env)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, chat.TurnDone, w.finished.State)
}

func TestTurn_ARunCancelledFromOutsideIsFinished(t *testing.T) {
	w := &world{waiting: 1, decisions: []turn.GenerateOutput{toolCalls(chat.ClassExec, 1)}}
	w.tool = func(ctx context.Context, _ chat.CallID) error { <-ctx.Done(); return nil }
	env := setup(t, w)
	env.RegisterDelayedCallback(env.CancelWorkflow, time.Second)
	run(env)
	require.Equal(t, 1, w.finishes)
	require.Equal(t, chat.TurnStopped, w.finished.State)
}

func TestTurnID_StaysWithinTemporalsColumns(t *testing.T) {
	long := make([]byte, 500)
	for i := range long {
		long[i] = 'x'
	}
	require.LessOrEqual(t, len(workflows.TurnID(chat.SessionKey(long))), 255)
	require.NotEqual(t, workflows.TurnID(chat.SessionKey(long)), workflows.TurnID(chat.SessionKey(long[:499])))
	require.Equal(t, "turn/agent:main:web:thread:1", workflows.TurnID("agent:main:web:thread:1"))
	for n := range 4 {
		id := workflows.TurnID(chat.SessionKey("agent:main:web:thread:" + strings.Repeat("x", n) + strings.Repeat("字", 59)))
		require.True(t, utf8.ValidString(id), "Temporal takes only text: %q", id)
	}
}
