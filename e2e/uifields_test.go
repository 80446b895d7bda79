package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/i18n"
	"xbot/workflows"
)

// found counts the runs that a query finds, as the list of the Temporal UI does.
func (s *server) found(query string) int {
	list, err := s.temporal().ListWorkflow(s.t.Context(), &workflowservice.ListWorkflowExecutionsRequest{Query: query})
	require.NoError(s.t, err)
	return len(list.GetExecutions())
}

func TestTemporal_AFailedTurnSaysSoAndAWaitingOneIsFound(t *testing.T) {
	t.Parallel()
	s := newServer(t, "LLM_RETRY_DELAY=10ms", "LLM_RETRY_ATTEMPTS=2", askForShell)
	s.findsRuns()
	k := s.newTalk()
	about := "WorkflowType = 'Turn' AND XbotSession = '" + string(k.key) + "' AND "
	turn := k.untilEnded(time.Minute, k.send("fail 401", "say never"))
	require.Equal(t, chat.TurnFailed, turn.State)
	require.Eventually(t, func() bool { return s.found(about+"XbotOutcome = 'failed'") == 1 }, time.Minute, 50*time.Millisecond)
	var result workflows.TurnResult
	require.NoError(t, s.temporal().GetWorkflow(t.Context(), workflows.TurnID(k.key), "").Get(t.Context(), &result))
	require.Equal(t, chat.TurnFailed, result.Outcome)
	require.Equal(t, "denied", result.Reason)
	require.Equal(t, 1, result.Steps)

	k = s.newTalk()
	about = "XbotSession = '" + string(k.key) + "' AND "
	id := k.send(k.shell("true"), "say permitted")
	require.Eventually(t, func() bool { return s.found(about+"XbotWaits = 'approval' AND XbotModel IS NOT NULL") == 1 }, time.Minute, 50*time.Millisecond)
	call := lastCalls(k)[0].ID
	_, err := s.client.AnswerApproval(t.Context(), k.key, call, apiclient.Answer{Decision: apiclient.Allow})
	require.NoError(t, err)
	turn = k.untilEnded(time.Minute, id)
	require.Equal(t, chat.TurnDone, turn.State)
	require.Eventually(t, func() bool { return s.found(about+"XbotWaits IS NULL AND XbotOutcome = 'done'") == 1 }, time.Minute, 50*time.Millisecond)
	h := s.capture("waits-for-approval", turn)
	require.NotEmpty(t, h.GetEvents()[0].GetWorkflowExecutionStartedEventAttributes().GetMemo().GetFields()[workflows.MemoAbout])
	var upserts int
	for _, e := range h.GetEvents() {
		if e.GetEventType() == enums.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES {
			upserts++
		}
	}
	require.Equal(t, 4, upserts, "claimed, waits, waits no more, ended")
}

func TestTemporal_APausedTurnIsSaidAndAStopActsOnIt(t *testing.T) {
	t.Parallel()
	s := newServer(t, "XBOT_HELD_AFTER=1s")
	k := s.newTalk()
	id := k.send(k.shell("%s", k.untilFile("paused")), "say after")
	k.untilTool(time.Minute, chat.CallRunning)
	_, err := s.temporal().WorkflowService().PauseWorkflowExecution(t.Context(), &workflowservice.PauseWorkflowExecutionRequest{
		Namespace: s.namespace(), WorkflowId: workflows.TurnID(k.key), Identity: "operator", Reason: "to look at it",
	})
	require.NoError(t, err)
	k.touch("paused")
	k.until(time.Minute, "the notice that it is paused", func(e chat.Event) bool {
		return e.Kind == chat.EventMessage && decode[chat.Message](t, e).Content == i18n.Say(i18n.English, i18n.RunPaused)
	})
	said, err := s.operate("doctor")
	require.Error(t, err, said)
	require.Contains(t, said, "1 of 1 open turns is paused")
	_, err = s.client.StopTurn(t.Context(), k.key)
	require.NoError(t, err)
	require.Equal(t, chat.TurnStopped, k.untilEnded(crashLimit, id).State)
}

func TestTemporal_APausedJobIsSaidAndEndsWhereItIsRemoved(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	k := s.newTalk()
	k.untilEnded(time.Minute, k.send("say hello"))
	j := s.job(chat.JobPlan{Name: "news", When: "every 1h", Message: "say never", Target: k.key})
	var run string
	require.Eventually(t, func() bool {
		_, err := s.temporal().WorkflowService().PauseWorkflowExecution(t.Context(), &workflowservice.PauseWorkflowExecutionRequest{
			Namespace: s.namespace(), WorkflowId: workflows.CronID(j.ID), Identity: "operator", Reason: "to look at it",
		})
		if err != nil {
			return false
		}
		got, err := s.temporal().DescribeWorkflowExecution(t.Context(), workflows.CronID(j.ID), "")
		run = got.GetWorkflowExecutionInfo().GetExecution().GetRunId()
		return err == nil
	}, time.Minute, 50*time.Millisecond)
	k.until(time.Minute, "the notice that it is paused", func(e chat.Event) bool {
		return e.Kind == chat.EventMessage && decode[chat.Message](t, e).Content == i18n.Say(i18n.English, i18n.JobPaused, "news")
	})
	said, err := s.operate("doctor")
	require.Error(t, err, said)
	require.Contains(t, said, workflows.CronID(j.ID))
	require.NoError(t, s.client.DeleteJob(t.Context(), j.ID))
	require.Eventually(t, func() bool {
		got, err := s.temporal().DescribeWorkflowExecution(t.Context(), workflows.CronID(j.ID), run)
		return err == nil && got.GetWorkflowExecutionInfo().GetStatus() == enums.WORKFLOW_EXECUTION_STATUS_COMPLETED
	}, time.Minute, 50*time.Millisecond)
}
