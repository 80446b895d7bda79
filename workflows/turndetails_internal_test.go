package workflows

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"xbot/activities/turn"
)

func TestDetails_ShowWhatPeopleAndModelsWroteAndNeverAsMarkup(t *testing.T) {
	const link = "[log in](https://evil.example)"
	s := turnDetails{}
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.ExecuteWorkflow(func(ctx workflow.Context) error {
		s.begin(ctx, "agent:main:web:thread:t", turn.ClaimOutput{Channel: "qq", User: link, Words: `"` + link + `"`})
		s.add(link, "done", link+"\n# "+link)
		s.waits = append(s.waits, &wait{WaitsApproval, link})
		s.ended(ctx, &TurnResult{Outcome: "failed", Reason: link})
		return nil
	})
	require.NoError(t, env.GetWorkflowError())
	for _, text := range append(s.lines, s.head, s.now, heading("bg1", link)) {
		require.Contains(t, text, `\[log in\]`)
		require.NotContains(t, text, link)
	}
}
