package workflows_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"xbot/activities/turn"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/workflows"
)

func TestTurn_ItsResultSaysHowItEndedAndWhy(t *testing.T) {
	t.Parallel()
	busy := toolCalls(chat.ClassRead, 1)
	for name, c := range map[string]struct {
		world *world
		want  workflows.TurnResult
	}{
		"an answer": {
			&world{decisions: []turn.GenerateOutput{{Finish: "stop", Tokens: 12}}},
			workflows.TurnResult{Outcome: chat.TurnDone, Steps: 1, Tokens: 12},
		},
		"the provider refuses": {
			&world{decisions: []turn.GenerateOutput{{Finish: chat.FinishError, Fault: string(fault.Denied)}}},
			workflows.TurnResult{Outcome: chat.TurnFailed, Reason: "denied", Steps: 1},
		},
		"a fault of ours": {
			&world{generate: func(context.Context, int) error {
				return temporal.NewNonRetryableApplicationError("a secret text", string(fault.Internal), errors.New("x"))
			}},
			workflows.TurnResult{Outcome: chat.TurnFailed, Reason: "internal", Steps: 1},
		},
		"the limit of steps": {
			&world{maxSteps: 2, decisions: []turn.GenerateOutput{busy}},
			workflows.TurnResult{Outcome: chat.TurnFailed, Reason: "step_limit", Steps: 2},
		},
		"a stop": {
			&world{stopAfter: 1, decisions: []turn.GenerateOutput{{Finish: chat.FinishStopped}}},
			workflows.TurnResult{Outcome: chat.TurnStopped, Reason: "stopped", Steps: 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := c.world
			w.waiting = 1
			if w.maxSteps == 0 {
				w.maxSteps = 10
			}
			env := setup(t, w)
			run(env)
			var got *workflows.TurnResult
			require.NoError(t, env.GetWorkflowResult(&got))
			c.want.Turn, c.want.Inbox, c.want.Model = got.Turn, 7, "test/model"
			require.Equal(t, c.want, *got)
		})
	}
}

func TestTurn_ARunThatContinuesHandsItsResultOn(t *testing.T) {
	t.Parallel()
	w := &world{waiting: 1, pending: true, maxSteps: 10, decisions: []turn.GenerateOutput{answered}}
	env := setup(t, w)
	run(env)
	var next *workflow.ContinueAsNewError
	require.ErrorAs(t, env.GetWorkflowError(), &next)
	require.Contains(t, string(next.Input.GetPayloads()[0].GetData()), `"outcome":"done"`)
}
