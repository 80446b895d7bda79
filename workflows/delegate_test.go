package workflows_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/hooks"
	"xbot/activities/turn"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/workflows"
)

// overlap makes two looks of a turn overlap while two calls wait for subagents: the older look, which saw no answer, ends after
// the newer one, which saw both, and before the second call waits.
type overlap struct {
	world

	env   *testsuite.TestWorkflowEnvironment
	mu    sync.Mutex
	looks int

	began    chan struct{} // the older look has begun
	saw      chan struct{} // the turn has acted on the newer one
	forgot   chan struct{} // and has taken in the older one
	answered []chat.CallID
}

// handed is a subagent that a call waits for; the first answers once.
func (o *overlap) handed(_ context.Context, in turn.ToolInput) (turn.DelegateOutput, error) {
	a := chat.SubagentRef{Session: "agent:main:subagent:" + chat.SessionKey(in.Call), Parent: key, Role: "coder", Call: in.Call}
	o.mu.Lock()
	o.answered = append(o.answered, in.Call)
	o.mu.Unlock()
	if strings.HasSuffix(string(in.Call), ".1") {
		a.Instance = "stays"
		o.env.SignalWorkflow(workflows.SignalWake, nil)
		<-o.forgot
	}
	return turn.DelegateOutput{Subagent: &a, Wait: true}, nil
}

func (o *overlap) look(context.Context, turn.PeekInput) (turn.PeekOutput, error) {
	o.mu.Lock()
	o.looks++
	look, answered := o.looks, o.answered
	o.mu.Unlock()
	switch look {
	case 1:
		close(o.began)
		<-o.saw
		o.env.SignalWorkflow(workflows.SignalWake, nil)
		return turn.PeekOutput{}, nil
	case 2:
		return turn.PeekOutput{Reported: answered}, nil
	}
	close(o.forgot) // the turn takes this wake once it has done with the older look
	return turn.PeekOutput{}, nil
}

func TestTurn_ForgetsNoAnswerOfASubagentThatALookHasSeen(t *testing.T) {
	o := &overlap{began: make(chan struct{}), saw: make(chan struct{}), forgot: make(chan struct{})}
	two := toolCalls(chat.ClassAgent, 2)
	two.Calls[0].After = true
	o.waiting, o.decisions, o.maxSteps = 1, []turn.GenerateOutput{two, answered}, 5
	o.env = bare(t)
	register := func(name string, fn any) { o.env.RegisterActivityWithOptions(fn, activity.RegisterOptions{Name: name}) }
	register(activities.NameClaim, o.Claim)
	register(activities.NameGenerate, o.Generate)
	register(activities.NameFinish, o.Finish)
	register(activities.NameDelegate, o.handed)
	register(activities.NamePeek, o.look)
	register(activities.NameRunHooks, func(context.Context, hooks.RunInput) (hooks.RunOutput, error) {
		close(o.saw) // the first call has its result
		return hooks.RunOutput{}, nil
	})
	register("begun", func(context.Context) error { <-o.began; return nil })
	o.env.RegisterWorkflowWithOptions(func(ctx workflow.Context, _ workflows.SubagentInput) error {
		ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Hour})
		return workflow.ExecuteActivity(ctx, "begun").Get(ctx, nil)
	}, workflow.RegisterOptions{Name: workflows.NameSubagent})
	o.env.RegisterDelayedCallback(o.env.CancelWorkflow, 24*time.Hour)
	run(o.env)
	require.NoError(t, o.env.GetWorkflowError())
	require.Equal(t, turn.FinishInput{Session: key, Turn: o.finished.Turn, State: chat.TurnDone, Say: i18n.ID("")}, o.finished, "both calls have their answers")
}
