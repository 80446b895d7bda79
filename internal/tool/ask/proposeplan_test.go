package ask_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/tool"
	"xbot/internal/tool/ask"
)

type todos map[chat.SessionKey][]chat.Todo

func (l todos) SetTodos(_ context.Context, key chat.SessionKey, list []chat.Todo) error {
	l[key] = list
	return nil
}

func TestProposePlan_MakesTheApprovedStepsTheToDoListAndSaysWhatWasEdited(t *testing.T) {
	t.Parallel()
	list := todos{}
	tools := tool.New(ask.NewPlan(list))
	plan, err := tools.Plan(chat.PlanTool, `{"title":"x","steps":["b"]}`)
	require.NoError(t, err)
	require.Equal(t, "x (1)", tools.Summary(chat.PlanTool, `{"title":"x","steps":["b"]}`))
	call := tool.Call{Session: "s", Arguments: `{"title":"x","steps":["b"]}`, Approval: &chat.Approval{State: chat.ApprovalAllowed, Plan: plan, Asked: `{"title":"x","steps":["a"]}`, Note: "soon"}}
	got, err := tools.Run(t.Context(), chat.PlanTool, call)
	require.NoError(t, err)
	require.False(t, got.IsError)
	for _, part := range []string{"edited the plan", "- removed: a\n- added: b", "1. b", "They say: soon"} {
		require.Contains(t, got.Content, part)
	}
	require.Equal(t, []chat.Todo{{ID: "1", Text: "b"}}, list["s"])
}

func TestProposePlan_NobodyWasAsked(t *testing.T) {
	t.Parallel()
	list := todos{}
	tools := tool.New(ask.NewPlan(list))
	for arguments, says := range map[string]string{`{"steps":[" "]}`: "at least one step", `{"steps":["a"]}`: "was not shown"} {
		got, err := tools.Run(t.Context(), chat.PlanTool, tool.Call{Session: "s", Arguments: arguments})
		require.NoError(t, err)
		require.True(t, got.IsError)
		require.Contains(t, got.Content, says)
	}
	require.Empty(t, list)
	_, err := tools.Plan(chat.PlanTool, `{"steps":[]}`)
	require.Error(t, err)
}
