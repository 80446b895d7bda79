package activities_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.uber.org/goleak"

	"xbot/activities"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/feed"
	"xbot/internal/llm"
	"xbot/internal/llm/limits"
	"xbot/internal/llm/llmtest"
	"xbot/internal/llm/openai"
	"xbot/internal/pgtest"
	"xbot/internal/sandbox"
	"xbot/internal/store"
	"xbot/internal/tool"
	"xbot/internal/tool/ask"
	"xbot/internal/tool/file"
	"xbot/internal/tool/shell"
	"xbot/internal/tool/todo"
	"xbot/internal/tool/tooltest"
)

const (
	key  = chat.SessionKey("agent:main:web:thread:t")
	turn = chat.TurnID("0199e2f0-1111-7000-8000-000000000000")
	// limit bounds every wait.
	limit = time.Minute
)

var (
	// errStop is how the SDK ends the context of an activity that the workflow cancelled.
	errStop = temporal.NewCanceledError()
	// errDetach is any other end of it.
	errDetach = errors.New("the worker is stopping")
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("xbot/internal/pgtest.startWatchdog.func1")) // the server of the tests outlives them
}

// bundle is a session whose turn has claimed a message, with everything its activities need. The model is scripted, the
// rest is real.
type bundle struct {
	*store.Store
	t      *testing.T
	pool   *pgxpool.Pool
	bus    *feed.Bus
	server *llmtest.Server
	box    *tooltest.Box
	boxErr error
	tools  *activities.Tools
	model  *activities.Model

	context *activities.Assembler
	intake  *activities.Intake
	asking  *activities.Approvals

	started []chat.CallID
	woken   []string // sessions, by the tasks that ended

	background *activities.Background
	commands   *activities.Commands
	compressor *activities.Compressor
	memorizer  *activities.Memorizer
}

// setup opens a turn for a message, which is a program for the scripted model.
func setup(t *testing.T, program ...string) *bundle {
	t.Helper()
	t.Parallel()
	b := &bundle{t: t, pool: pgtest.NewPool(t, store.MigrationsHash(), store.Migrate), bus: feed.New(slog.New(slog.DiscardHandler)), server: llmtest.New(t), box: tooltest.New(t)}
	b.Store = store.New(b.pool, b.bus)
	user, err := b.EnsureAdmin(t.Context(), "alice")
	require.NoError(t, err)
	_, err = b.CreateSession(t.Context(), store.NewSession{Key: key, Owner: user.ID, Channel: "web"})
	require.NoError(t, err)
	_, err = b.Accept(t.Context(), store.Inbound{Session: key, User: user.ID, Channel: "web", PlatformID: "m1", Text: strings.Join(program, "\n")})
	require.NoError(t, err)

	b.server.Strict()
	client, err := openai.New(openai.Config{BaseURL: b.server.BaseURL(), Model: "scripted", IdleTimeout: limit})
	require.NoError(t, err)
	registry := tool.New(shell.New(), ask.New(), file.NewRead(), todo.NewWrite(b.Store), broken{})
	b.intake = &activities.Intake{Turns: b.Store, Models: only{client}, MaxSteps: 7, Words: true}
	b.context = &activities.Assembler{Windows: b.Store, Ratios: activities.Ratios{Store: b.Store}, Budget: activities.Budget{Cooldown: 5}}
	b.model = &activities.Model{
		Words:  true,
		Models: only{client}, Steps: b.Store, Tools: registry, Context: b.context,
		Open: func(step chat.Step, attempt int) activities.Stream {
			return b.bus.NewStream(step.Session, step.Turn, step.N, attempt, func() {})
		},
		Retry: activities.Retry{Attempts: 3, Delay: time.Millisecond, MaxDelay: 4 * time.Millisecond},
	}
	b.compressor = &activities.Compressor{
		Models: only{client}, Store: b.Store, Prompts: activities.BasePrompt{}, Tools: registry, Retry: b.model.Retry,
		Context: &activities.Assembler{Budget: windowOf(60_000, 8_000)},
	}
	b.tools = &activities.Tools{
		Calls: b.Store, Toolbox: registry, Boxes: b, Starter: b,
		Open: func(c chat.Call) activities.Output { return b.bus.NewTail(c.Session, c.Turn, c.ID) },
	}
	b.asking = &activities.Approvals{Questions: b.Store, Wait: time.Hour}
	b.background = &activities.Background{
		Tasks: b.Store, Boxes: b, Waker: b,
		Open: func(t chat.TaskRun, offset int64) activities.Output {
			return b.bus.NewTaskTail(t.Session, t.Task, t.Turn, offset)
		},
	}
	b.commands = &activities.Commands{Bangs: b.Store, Boxes: b, Link: func(_ chat.UserID, runner string, exec chat.CallID, name string) (string, error) {
		return "/files/" + runner + "-" + string(exec) + "-" + name, nil
	}}
	var claimed activities.ClaimOutput
	require.NoError(t, b.run(t.Context(), activities.NameClaim, activities.ClaimInput{Session: key, Turn: turn, Run: "run"}, &claimed))
	require.True(t, claimed.Claimed)
	return b
}

// windowOf is the budget of a model with such a context window and answers of at most output tokens.
func windowOf(context, output int) activities.Budget {
	return activities.Budget{Models: limits.Table{Context: context, Output: output}}
}

// only is a choice of one model.
type only struct{ llm.Client }

func (o only) For(context.Context, chat.SessionKey) (llm.Client, error) { return o.Client, nil }

// Box is the sandbox of every runner.
func (b *bundle) Box(context.Context, chat.UserID, string) (sandbox.Sandbox, error) {
	if b.boxErr != nil {
		return nil, b.boxErr
	}
	return b.box, nil
}

// StartBackground stands in for Temporal: it records which task was to be followed.
func (b *bundle) StartBackground(_ context.Context, call chat.CallID) error {
	b.started = append(b.started, call)
	return nil
}

// WakeTask stands in for Temporal: it records which session was woken.
func (b *bundle) WakeTask(_ context.Context, t chat.TaskRun) error {
	b.woken = append(b.woken, string(t.Session)+" "+t.ID)
	return nil
}

// broken is a tool that panics.
type broken struct{}

func (broken) Spec() tool.Spec {
	return tool.Spec{Name: "Broken", Class: chat.ClassRead, Description: "panics", Parameters: []byte(`{"type":"object"}`)}
}
func (broken) Summary(string) string { return "" }
func (broken) Run(context.Context, tool.Call) (chat.ToolResult, error) {
	panic("poison")
}

// run runs an activity by its registered name, under ctx as the context of its worker.
func (b *bundle) run(ctx context.Context, name string, in, out any) error {
	b.t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := suite.NewTestActivityEnvironment()
	env.SetWorkerOptions(worker.Options{BackgroundActivityContext: ctx})
	env.SetTestTimeout(limit)
	for name, fn := range map[string]any{
		activities.NameClaim: b.intake.Claim, activities.NamePeek: b.intake.Peek, activities.NameFinish: b.intake.Finish,
		activities.NameGenerate: b.model.Generate, activities.NameTool: b.tools.Tool, activities.NameAbandon: b.tools.Abandon, activities.NameInterrupt: b.tools.Interrupt,
		activities.NameWatch: b.background.Watch, activities.NameLose: b.background.Lose, activities.NameNoteKill: b.background.NoteKill,
		activities.NameRunBang: b.commands.RunBang, activities.NameEndBang: b.commands.EndBang,
		activities.NameCompress: b.compressor.Compress,
		activities.NameMemorize: b.memorizer.Memorize, activities.NameGiveUpMemorize: b.memorizer.GiveUp,
		activities.NameAsk: b.asking.Ask, activities.NameExpire: b.asking.Expire,
	} {
		env.RegisterActivityWithOptions(fn, activity.RegisterOptions{Name: name})
	}
	got, err := env.ExecuteActivity(name, in)
	if err == nil && out != nil && got.HasValue() {
		require.NoError(b.t, got.Get(out))
	}
	return err
}

// generate runs one attempt of a step.
func (b *bundle) generate(ctx context.Context, step int) (activities.GenerateOutput, error) {
	b.t.Helper()
	var out activities.GenerateOutput
	err := b.run(ctx, activities.NameGenerate, activities.GenerateInput{Session: key, Turn: turn, Step: step}, &out)
	return out, err
}

// call runs one attempt of the n-th call of the first step.
func (b *bundle) call(ctx context.Context, n int) (activities.ToolOutput, error) {
	b.t.Helper()
	var out activities.ToolOutput
	err := b.run(ctx, activities.NameTool, activities.ToolInput{Call: chat.NewCallID(turn, 0, n)}, &out)
	return out, err
}

// asks makes the model ask for calls, and returns when they are committed.
func (b *bundle) asks() {
	b.t.Helper()
	out, err := b.generate(b.t.Context(), 0)
	require.NoError(b.t, err)
	require.NotEmpty(b.t, out.Calls)
}

func (b *bundle) messages() []chat.Message {
	b.t.Helper()
	t, err := b.Messages(b.t.Context(), key, store.Page{Limit: 100})
	require.NoError(b.t, err)
	return t.Messages
}

// last returns the newest message.
func (b *bundle) last() chat.Message { m := b.messages(); return m[len(m)-1] }

// result returns a call of the first step as people see it.
func (b *bundle) result(n int) chat.ToolCall {
	b.t.Helper()
	c, err := b.Call(b.t.Context(), chat.NewCallID(turn, 0, n))
	require.NoError(b.t, err)
	return c.ToolCall
}

func (b *bundle) events(kind chat.EventKind) []chat.Event {
	b.t.Helper()
	all, err := b.EventsAfter(b.t.Context(), key, 0, 1000)
	require.NoError(b.t, err)
	var out []chat.Event
	for _, e := range all {
		if e.Kind == kind {
			out = append(out, e)
		}
	}
	return out
}

// whenLive ends the returned context for a reason once something live of the session satisfies the condition.
func (b *bundle) whenLive(reason error, seen func(chat.Event) bool) context.Context {
	ctx, cancel := context.WithCancelCause(b.t.Context())
	sub := b.bus.Subscribe(key)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer sub.Close()
		for {
			select {
			case e := <-sub.Live():
				if seen(e) {
					cancel(reason)
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	b.t.Cleanup(func() { cancel(nil); <-ended })
	return ctx
}

// kind returns the fault kind that the workflow would see, and whether Temporal would try again.
func kind(t *testing.T, err error) (kind fault.Kind, again bool) {
	t.Helper()
	var app *temporal.ApplicationError
	require.ErrorAs(t, err, &app)
	return fault.Kind(app.Type()), !app.NonRetryable()
}

func errorsAs[T error](err error, target *T) bool { return errors.As(err, target) }
