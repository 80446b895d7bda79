package workflows_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/modelcall"
	"xbot/activities/turn"
	"xbot/ingress/intake"
	"xbot/ingress/wake"
	"xbot/internal/chat"
	"xbot/internal/feed"
	"xbot/internal/llm"
	"xbot/internal/llm/llmtest"
	"xbot/internal/llm/openai"
	"xbot/internal/pg"
	"xbot/internal/sandbox"
	"xbot/internal/store"
	"xbot/internal/testing/pgtest"
	"xbot/internal/tool/todo"
	"xbot/internal/tool/toolset"
	"xbot/internal/tool/tooltest"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/permission"
	"xbot/internal/turn/policy"
	"xbot/internal/user/users"
	"xbot/server/livefeed"
	"xbot/workflows"
)

// nameConversation is the workflow that stands in for Temporal's server.
const nameConversation = "conversation"

// morning is when the days of these tests begin.
var morning = time.Date(2026, time.March, 2, 10, 0, 0, 0, time.UTC)

// days is a conversation of days on a clock that skips what nobody does anything in: turn, activities, ingress and Postgres
// are the real ones and have the time of the testsuite. The model is scripted.
type days struct {
	*store.Store
	t        *testing.T
	env      *testsuite.TestWorkflowEnvironment
	pool     *pgxpool.Pool
	user     users.User
	server   *llmtest.Server
	box      *tooltest.Box
	model    *turn.Model
	asking   *turn.Approvals
	dispatch *intake.Dispatcher
	wakes    *wake.Dispatcher
	chat     chat.ChatType

	mu    sync.Mutex
	ticks time.Duration
}

// skipDays prepares a conversation under a policy.
func skipDays(t *testing.T, document string) *days {
	t.Helper()
	t.Parallel()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	d := &days{t: t, env: newEnvironment(&suite), server: llmtest.New(t), box: tooltest.New(t), chat: chat.ChatDirect}
	d.env.SetStartTime(morning)
	d.env.SetTestTimeout(time.Minute)
	d.pool = pgtest.NewPoolAt(t, pg.MigrationsHash(), pg.Migrate, d.now)
	rules, _, err := policy.Parse([]byte(document))
	require.NoError(t, err)
	d.Store = store.New(d.pool, store.Options{Policies: fixed{rules}})
	d.user, err = d.Users.EnsureAdmin(t.Context(), "alice")
	require.NoError(t, err)
	_, err = d.Conversations.CreateSession(t.Context(), conversation.NewSession{Key: key, Owner: d.user.ID, Channel: "web"})
	require.NoError(t, err)
	d.wakes = &wake.Dispatcher{Turns: d, Log: slog.New(slog.DiscardHandler)}
	d.dispatch = &intake.Dispatcher{Calls: d.Store.Calls, Turns: d.Store.Turns, Wakes: d.wakes, Policies: fixed{rules}, Clock: d}
	d.register()
	return d
}

// fixed is a policy that nobody changes.
type fixed struct{ *policy.Policy }

func (f fixed) Get(context.Context) (*policy.Policy, error) { return f.Policy, nil }

// register registers what a worker runs.
func (d *days) register() {
	d.t.Helper()
	d.server.Strict()
	client, err := openai.New(openai.Config{BaseURL: d.server.BaseURL(), Model: "scripted", IdleTimeout: time.Minute})
	require.NoError(d.t, err)
	bus := feed.New(slog.New(slog.DiscardHandler))
	tools := toolset.Fixed(todo.NewWrite(d.Store.Conversations))
	intake := &turn.Intake{Subagents: d.Store.Agents, Calls: d.Store.Calls, Conversations: d.Store.Conversations, Turns: d.Store.Turns, Models: only{client}, MaxSteps: 7}
	d.model = &turn.Model{
		Words:       true,
		Authorizers: permission.Authorizers{People: d.Store.Permissions},
		Models:      only{client}, Leases: d.Store.Leases, ModelRefusals: d.Store.ModelRefusals, Notices: d.Store.Notices, Turns: d.Store.Turns, Usage: d.Store.Usage, Tools: tools,
		Context: &modelcall.Assembler{Attachments: d.Store.Attachments, Conversations: d.Store.Conversations, ModelRefusals: d.Store.ModelRefusals, Ratios: modelcall.Ratios{Store: d.Store.Usage}},
		Streams: livefeed.Feed{Bus: bus},
	}
	calls := &turn.Tools{
		Attachments: d.Store.Attachments, Calls: d.Store.Calls, Sets: tools, Sandboxes: activities.Sandboxes{RunnerSandboxes: d}, Outputs: livefeed.Feed{Bus: bus},
	}
	d.asking = &turn.Approvals{Questions: d.Store.Calls, Runners: calls, Wait: approvalWait, Now: d.env.Now}
	for name, fn := range map[string]any{
		activities.NameClaim: intake.Claim, activities.NamePeek: intake.Peek, activities.NameSteer: intake.Steer,
		activities.NameFinish: intake.Finish, activities.NameGenerate: d.model.Generate, activities.NameHasten: d.model.Hasten,
		activities.NameTool:    calls.Tool,
		activities.NameAbandon: calls.Abandon, activities.NameAsk: d.asking.Ask, activities.NameExpire: d.asking.Expire,
	} {
		d.env.RegisterActivityWithOptions(fn, activity.RegisterOptions{Name: name})
	}
	d.env.RegisterWorkflowWithOptions(named, workflow.RegisterOptions{Name: workflows.NameTurn})
	d.env.RegisterWorkflowWithOptions(oneConversation, workflow.RegisterOptions{Name: nameConversation})
}

// only is a choice of one model.
type only struct{ llm.Client }

func (o only) For(context.Context, chat.SessionKey) (llm.Client, error) { return o.Client, nil }

// Box is the sandbox of every runner.
func (d *days) Box(context.Context, chat.UserID, string) (sandbox.Sandbox, error) { return d.box, nil }

// named is the turn with the id that a run has that no reset preceded, which the testsuite leaves empty.
func named(ctx workflow.Context, in workflows.TurnInput) (*workflows.TurnResult, error) {
	info := workflow.GetInfo(ctx)
	info.OriginalRunID = info.WorkflowExecution.RunID
	return workflows.Turn(ctx, in)
}

// conversation is what Temporal's server does with wakes: one reaches the turn of the session that runs, or starts one.
func oneConversation(ctx workflow.Context, lasts time.Duration) error {
	wakes, over := workflow.GetSignalChannel(ctx, workflows.SignalWake), workflow.NewTimer(ctx, lasts)
	var running workflow.ChildWorkflowFuture
	var failed error
	late := false // a wake met a turn that had just ended
	start := func() {
		options := workflow.ChildWorkflowOptions{WorkflowID: workflows.TurnID(key), TaskQueue: workflows.TaskQueue}
		running = workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, options), workflows.NameTurn, workflows.TurnInput{Session: key})
	}
	for ended := false; !ended && failed == nil; {
		next := workflow.NewSelector(ctx)
		next.AddFuture(over, func(workflow.Future) { ended = true })
		next.AddReceive(wakes, func(c workflow.ReceiveChannel, _ bool) {
			c.Receive(ctx, nil)
			if running == nil {
				start()
			} else if running.SignalChildWorkflow(ctx, workflows.SignalWake, nil).Get(ctx, nil) != nil {
				late = true
			}
		})
		if running != nil {
			next.AddFuture(running, func(f workflow.Future) { failed, running = f.Get(ctx, nil), nil })
		}
		next.Select(ctx)
		if running == nil && late {
			late = false
			start()
		}
	}
	return failed
}

// now is the clock of Postgres: that of the testsuite, where no two transactions have the same instant.
func (d *days) now() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ticks += time.Microsecond
	return d.env.Now().Add(d.ticks)
}

// Now is the clock of the ingress.
func (d *days) Now() time.Time { return d.env.Now() }

// After is a timer of the ingress. What has begun when it fires ends before any time is skipped.
func (d *days) After(wait time.Duration, f func()) intake.Timer {
	d.env.RegisterDelayedCallback(func() { f(); d.wakes.Wait() }, wait)
	return begun{}
}

// begun is a timer that cannot be stopped: who forgets a burst does not heed it.
type begun struct{}

func (begun) Stop() bool { return false }

// Wake tells the turn.
func (d *days) Wake(context.Context, wake.TurnWake) error {
	d.env.SignalWorkflow(workflows.SignalWake, nil)
	return nil
}

// at lets something happen so long after the beginning.
func (d *days) at(after time.Duration, f func()) { d.env.RegisterDelayedCallback(f, after) }

// write lets a person write so long after the beginning. The text is a program for the model.
func (d *days) write(after time.Duration, text string) {
	d.at(after, func() {
		in := intake.Message{
			NewRow:   engine.NewRow{Session: key, User: d.user.ID, Channel: "web", PlatformID: fmt.Sprint("m", after), Text: text},
			ChatType: d.chat, UserName: d.user.Name,
		}
		_, err := d.dispatch.Message(d.t.Context(), in)
		require.NoError(d.t, err)
		d.wakes.Wait()
	})
}

// pass lets the time pass.
func (d *days) pass(lasts time.Duration) {
	d.t.Helper()
	d.env.ExecuteWorkflow(nameConversation, lasts)
	require.True(d.t, d.env.IsWorkflowCompleted())
	require.NoError(d.t, d.env.GetWorkflowError())
	d.dispatch.Close()
}

// saw returns what people had written that the model saw in each request.
func (d *days) saw() (out [][]string) {
	for _, r := range d.server.Requests() {
		var texts []string
		for _, m := range r.Messages {
			if m.Role != "user" || m.IsReminder() {
				continue
			}
			for line := range strings.Lines(m.Content) { // neighbours are one message, each text under its time
				if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "[") {
					texts = append(texts, line)
				}
			}
		}
		out = append(out, texts)
	}
	return out
}

// reasons returns why the conversation began anew, in the order of the time.
func (d *days) reasons() (out []string) {
	d.t.Helper()
	resets, err := d.Conversations.Resets(d.t.Context(), key, 100)
	require.NoError(d.t, err)
	for _, r := range slices.Backward(resets) {
		out = append(out, r.Reason)
	}
	return out
}
