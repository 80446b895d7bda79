// Package activitiestest is what the tests of activities share: a session whose turn has claimed a message, on a real database.
package activitiestest

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

	"xbot/activities"
	"xbot/activities/background"
	"xbot/activities/compress"
	"xbot/activities/hooks"
	"xbot/activities/memorize"
	"xbot/activities/modelcall"
	"xbot/activities/titles"
	"xbot/activities/turn"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/feed"
	"xbot/internal/llm"
	"xbot/internal/llm/limits"
	"xbot/internal/llm/llmtest"
	"xbot/internal/llm/openai"
	"xbot/internal/pg"
	"xbot/internal/sandbox"
	"xbot/internal/store"
	"xbot/internal/testing/pgtest"
	"xbot/internal/tool"
	"xbot/internal/tool/ask"
	"xbot/internal/tool/file"
	"xbot/internal/tool/shell"
	"xbot/internal/tool/todo"
	"xbot/internal/tool/toolset"
	"xbot/internal/tool/tooltest"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/permission"
	"xbot/server/livefeed"
)

// The turn that every fixture has claimed.
const (
	Key  = chat.SessionKey("agent:main:web:thread:t")
	Turn = chat.TurnID("0199e2f0-1111-7000-8000-000000000000")
	// Limit bounds every wait.
	Limit = time.Minute
)

var (
	// ErrStop is how the SDK ends the context of an activity that the workflow cancelled.
	ErrStop = temporal.NewCanceledError()
	// ErrDetach is any other end of it.
	ErrDetach = errors.New("the worker is stopping")
)

// Fixture is a session whose turn has claimed a message, with everything its activities need. The model is scripted, the
// rest is real.
type Fixture struct {
	*store.Store
	T          *testing.T
	Pool       *pgxpool.Pool
	Bus        *feed.Bus
	Server     *llmtest.Server
	Sandbox    *tooltest.Box
	SandboxErr error
	Tools      *turn.Tools
	Model      *turn.Model
	Catalog    *toolset.Catalog

	Assembler *modelcall.Assembler
	Hooks     *hooks.Hooks // nil: no hooks
	Intake    *turn.Intake
	Asking    *turn.Approvals

	Started []chat.CallID
	Woken   []string // sessions, with what they were woken for

	background *background.Background
	Commands   *background.Commands
	Compressor *compress.Compressor
	Memorizer  *memorize.Memorizer
	Titles     *titles.Titles
}

// New opens a turn for a message, which is a program for the scripted model.
func New(t *testing.T, program ...string) *Fixture {
	t.Helper()
	t.Parallel()
	b := &Fixture{T: t, Pool: pgtest.NewPool(t, pg.MigrationsHash(), pg.Migrate), Bus: feed.New(slog.New(slog.DiscardHandler)), Server: llmtest.New(t), Sandbox: tooltest.New(t)}
	b.Store = store.New(b.Pool, store.Options{Feed: b.Bus, Wakes: b})
	user, err := b.Users.EnsureAdmin(t.Context(), "alice")
	require.NoError(t, err)
	_, err = b.Conversations.CreateSession(t.Context(), conversation.NewSession{Key: Key, Owner: user.ID, Channel: "web"})
	require.NoError(t, err)
	_, err = b.Turns.Accept(t.Context(), engine.NewRow{Session: Key, User: user.ID, Channel: "web", PlatformID: "m1", Text: strings.Join(program, "\n")})
	require.NoError(t, err)

	b.Server.Strict()
	client, err := openai.New(openai.Config{BaseURL: b.Server.BaseURL(), Model: "scripted", IdleTimeout: Limit})
	require.NoError(t, err)
	b.Catalog = toolset.Fixed(shell.New(), ask.New(), file.NewRead(nil), todo.NewWrite(b.Store.Conversations), broken{})
	b.Intake = &turn.Intake{Subagents: b.Store.Agents, Calls: b.Store.Calls, Conversations: b.Store.Conversations, Turns: b.Store.Turns, Models: OneModel{client}, MaxSteps: 7, Words: true}
	b.Assembler = &modelcall.Assembler{Attachments: b.Store.Attachments, Conversations: b.Store.Conversations, ModelRefusals: b.Store.ModelRefusals, Ratios: modelcall.Ratios{Store: b.Store.Usage}, Budget: modelcall.Budget{Cooldown: 5}}
	authorizers := permission.Authorizers{People: b.Store.Permissions}
	b.Model = &turn.Model{
		Words:       true,
		Authorizers: authorizers,
		Models:      OneModel{client}, Leases: b.Store.Leases, ModelRefusals: b.Store.ModelRefusals, Notices: b.Store.Notices, Turns: b.Store.Turns, Usage: b.Store.Usage, Tools: b.Catalog, Context: b.Assembler,
		Streams: livefeed.Feed{Bus: b.Bus},
		Retry:   modelcall.Retry{Attempts: 3, Delay: time.Millisecond, MaxDelay: 4 * time.Millisecond},
	}
	b.Compressor = &compress.Compressor{
		Models: OneModel{client}, Conversations: b.Store.Conversations, Leases: b.Store.Leases, Turns: b.Store.Turns, Prompts: modelcall.BasePrompt{Tools: b.Catalog}, Authorizers: authorizers, Retry: b.Model.Retry,
		Context: &modelcall.Assembler{Budget: WindowOf(60_000, 8_000)},
	}
	b.Tools = &turn.Tools{
		Attachments: b.Store.Attachments, Calls: b.Store.Calls, Sets: b.Catalog, Authorizers: authorizers, Sandboxes: activities.Sandboxes{RunnerSandboxes: b}, Outputs: livefeed.Feed{Bus: b.Bus},
	}
	b.Asking = &turn.Approvals{Questions: b.Store.Calls, Runners: b.Tools, Sandboxes: b, Wait: time.Hour}
	b.background = &background.Background{Tasks: b.Store.Calls, Sandboxes: activities.Sandboxes{RunnerSandboxes: b}, Outputs: livefeed.Feed{Bus: b.Bus}}
	b.Commands = &background.Commands{Store: b.Store.Turns, Sandboxes: activities.Sandboxes{RunnerSandboxes: b}, Links: b}
	var claimed turn.ClaimOutput
	require.NoError(t, b.Run(t.Context(), activities.NameClaim, turn.ClaimInput{Session: Key, Turn: Turn, Run: "run"}, &claimed))
	require.True(t, claimed.Claimed)
	return b
}

// WindowOf returns the budget of a model with such a context window and answers of at most output tokens.
func WindowOf(context, output int) modelcall.Budget {
	return modelcall.Budget{Models: limits.Table{Context: context, Output: output}}
}

// OneModel is a choice of one model.
type OneModel struct{ llm.Client }

// For returns the model of every conversation.
func (o OneModel) For(context.Context, chat.SessionKey) (llm.Client, error) { return o.Client, nil }

// Box returns the sandbox of every runner.
func (b *Fixture) Box(context.Context, chat.UserID, string) (sandbox.Sandbox, error) {
	if b.SandboxErr != nil {
		return nil, b.SandboxErr
	}
	return b.Sandbox, nil
}

// OutputURL returns where the output of a command can be downloaded.
func (b *Fixture) OutputURL(_ chat.UserID, runner string, exec chat.CallID, name string) (string, error) {
	return "/files/" + runner + "-" + string(exec) + "-" + name, nil
}

// Wake replaces Temporal: it records which task was to be followed and which session was woken.
func (b *Fixture) Wake(wakes ...chat.Wake) {
	for _, w := range wakes {
		switch w.Kind {
		case chat.WakeTask:
			b.Started = append(b.Started, chat.CallID(w.ID))
		case chat.WakeTurn:
			b.Woken = append(b.Woken, w.ID+": "+w.Text)
		}
	}
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

// Run runs an activity by its registered name, under ctx as the context of its worker.
func (b *Fixture) Run(ctx context.Context, name string, in, out any) error {
	b.T.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := suite.NewTestActivityEnvironment()
	env.SetWorkerOptions(worker.Options{BackgroundActivityContext: ctx})
	env.SetTestTimeout(Limit)
	for name, fn := range map[string]any{
		activities.NameClaim: b.Intake.Claim, activities.NamePeek: b.Intake.Peek, activities.NameFinish: b.Intake.Finish,
		activities.NameGenerate: b.Model.Generate, activities.NameTool: b.Tools.Tool, activities.NameAbandon: b.Tools.Abandon, activities.NameInterrupt: b.Tools.Interrupt,
		activities.NameWatch: b.background.Watch, activities.NameLose: b.background.Lose, activities.NameNoteKill: b.background.NoteKill,
		activities.NameRunBang: b.Commands.RunBang, activities.NameEndBang: b.Commands.EndBang,
		activities.NameCompress: b.Compressor.Compress,
		activities.NameMemorize: b.Memorizer.Memorize, activities.NameGiveUpMemorize: b.Memorizer.GiveUp,
		activities.NameTitle: b.Titles.Title,
		activities.NameAsk:   b.Asking.Ask, activities.NameExpire: b.Asking.Expire,
		activities.NameRunHooks: b.Hooks.Run,
	} {
		env.RegisterActivityWithOptions(fn, activity.RegisterOptions{Name: name})
	}
	got, err := env.ExecuteActivity(name, in)
	if err == nil && out != nil && got.HasValue() {
		require.NoError(b.T, got.Get(out))
	}
	return err
}

// Generate runs one attempt of a step.
func (b *Fixture) Generate(ctx context.Context, step int) (turn.GenerateOutput, error) {
	b.T.Helper()
	var out turn.GenerateOutput
	err := b.Run(ctx, activities.NameGenerate, turn.GenerateInput{Session: Key, Turn: Turn, Step: step}, &out)
	return out, err
}

// RunTool runs one attempt of the n-th call of the first step.
func (b *Fixture) RunTool(ctx context.Context, n int) (turn.ToolOutput, error) {
	b.T.Helper()
	var out turn.ToolOutput
	err := b.Run(ctx, activities.NameTool, turn.ToolInput{Call: chat.NewCallID(Turn, 0, n)}, &out)
	return out, err
}

// AskForCalls makes the model ask for calls, and returns when they are committed.
func (b *Fixture) AskForCalls() {
	b.T.Helper()
	out, err := b.Generate(b.T.Context(), 0)
	require.NoError(b.T, err)
	require.NotEmpty(b.T, out.Calls)
}

// Transcript returns the first hundred messages.
func (b *Fixture) Transcript() []chat.Message {
	b.T.Helper()
	t, err := b.Conversations.Messages(b.T.Context(), Key, conversation.Page{Limit: 100})
	require.NoError(b.T, err)
	return t.Messages
}

// LastMessage returns the newest message.
func (b *Fixture) LastMessage() chat.Message { m := b.Transcript(); return m[len(m)-1] }

// ResultOf returns a call of the first step as users see it.
func (b *Fixture) ResultOf(n int) chat.ToolCall {
	b.T.Helper()
	c, err := b.Calls.Call(b.T.Context(), chat.NewCallID(Turn, 0, n))
	require.NoError(b.T, err)
	return c.ToolCall
}

// EventsOf returns the durable events of one kind.
func (b *Fixture) EventsOf(kind chat.EventKind) []chat.Event {
	b.T.Helper()
	all, err := b.Conversations.EventsAfter(b.T.Context(), Key, 0, 1000)
	require.NoError(b.T, err)
	var out []chat.Event
	for _, e := range all {
		if e.Kind == kind {
			out = append(out, e)
		}
	}
	return out
}

// WhenLive ends the returned context for a reason once something live of the session satisfies the condition.
func (b *Fixture) WhenLive(reason error, seen func(chat.Event) bool) context.Context {
	ctx, cancel := context.WithCancelCause(b.T.Context())
	sub := b.Bus.Subscribe(Key)
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
	b.T.Cleanup(func() { cancel(nil); <-ended })
	return ctx
}

// FaultKind returns the fault kind that the workflow would see, and whether Temporal would try again.
func FaultKind(t *testing.T, err error) (kind fault.Kind, again bool) {
	t.Helper()
	var app *temporal.ApplicationError
	require.ErrorAs(t, err, &app)
	return fault.Kind(app.Type()), !app.NonRetryable()
}

// ErrorsAs is errors.As, which tests of activities take from here.
func ErrorsAs[T error](err error, target *T) bool { return errors.As(err, target) }
