package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"

	"xbot/internal/chat"
	"xbot/workflows"
)

func TestDelete_EndsWhatWaitsForSomebodyInTheConversation(t *testing.T) {
	t.Parallel()
	s := newServer(t, askForShell)
	k := s.newTalk()
	id := k.send(convene(2, []string{"coder", "reviewer"}, k.shell("echo a >> %s", k.file("member"))), "say done")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	db := s.look()
	agent := chat.SubagentRef{Parent: k.key}
	require.Eventually(t, func() bool {
		err := db.QueryRow(t.Context(), `SELECT a.role, a.instance FROM subagents a JOIN tool_calls c ON c.session_key = a.session_key
			WHERE c.approval = 'open'`).Scan(&agent.Role, &agent.Instance)
		return err == nil
	}, time.Minute, 20*time.Millisecond, "the member that speaks waits for a permission")
	ids := []string{workflows.GroupChatID(k.groupID()), workflows.SubagentID(agent)}
	for _, id := range ids {
		require.Equal(t, enums.WORKFLOW_EXECUTION_STATUS_RUNNING, k.status(id), id)
	}
	require.NoError(t, deleteSession(t, s, k.key))
	for _, id := range ids {
		require.Eventually(t, func() bool { return k.status(id) != enums.WORKFLOW_EXECUTION_STATUS_RUNNING }, time.Minute, 50*time.Millisecond, id)
	}
	require.Empty(t, k.trace("member"))
}

// status is how the newest run of a workflow stands.
func (k *talk) status(id string) enums.WorkflowExecutionStatus {
	k.t.Helper()
	d, err := k.temporal().DescribeWorkflowExecution(k.t.Context(), id, "")
	require.NoError(k.t, err, id)
	return d.GetWorkflowExecutionInfo().GetStatus()
}
