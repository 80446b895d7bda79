package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"

	"xbot/internal/chat"
	"xbot/workflows"
)

// quicken has the model answer quickly until the server counts it as quick, and returns how often it was asked.
func (k *talk) quicken() int {
	k.t.Helper()
	for i := range 10 {
		k.closed(k.untilEnded(time.Minute, k.send(fmt.Sprint("say warm ", i))))
	}
	return k.model.Count()
}

func TestQuickModel_ATurnIsOneWorkflowTaskWhoseCallsAnOperatorReads(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	k := s.newTalk()
	k.quicken()
	turn := k.closed(k.untilEnded(time.Minute, k.send(k.shell("echo x >> %s", k.file("once")), "say done")))
	h := s.capture("quick-model", turn)
	require.Zero(t, happened(h, enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED), "all was done within the workflow task")
	require.Equal(t, 1, happened(h, enums.EVENT_TYPE_WORKFLOW_TASK_COMPLETED))
	var said []string
	for _, e := range h.Events {
		if summary := string(e.GetUserMetadata().GetSummary().GetData()); e.GetEventType() == enums.EVENT_TYPE_MARKER_RECORDED && summary != "" {
			said = append(said, summary)
		}
	}
	require.Contains(t, said, `"openai/scripted · step 1"`)
	require.Contains(t, said, `"openai/scripted · step 2"`)
	require.Equal(t, []string{"x"}, k.trace("once"))
	k.wellFormed()
}

func TestQuickModel_AnAnswerThatIsSlowForOnceIsTakenOverByAnActivity(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	k := s.newTalk()
	asked := k.quicken()
	turn := k.closed(k.untilEnded(time.Minute, k.send("delay 2s", "say after all")))
	require.Equal(t, asked+1, k.model.Count(), "the model is asked once")
	h := s.capture("quick-model-taken-over", turn)
	require.Equal(t, 1, happened(h, enums.EVENT_TYPE_ACTIVITY_TASK_COMPLETED))
	turn = k.closed(k.untilEnded(time.Minute, k.send("say slow models are asked by activities")))
	require.Equal(t, 1, happened(s.history(workflows.TurnID(k.key), turn.RunID), enums.EVENT_TYPE_ACTIVITY_TASK_COMPLETED))
}

func TestQuickModel_AFailureIsTriedAgainAsAnActivity(t *testing.T) {
	t.Parallel()
	k := newServer(t, "LLM_RETRY_DELAY=10ms").newTalk()
	asked := k.quicken()
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, k.send("fail 503 2", "say in the end")).State)
	require.Equal(t, asked+3, k.model.Count())
	require.Equal(t, "in the end", k.answers()[10])
}

func TestQuickModel_AStopReachesTheAnswerThatItGives(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	k := s.newTalk()
	asked := k.quicken()
	id := k.send("stream 400 50ms")
	require.NoError(t, k.model.Wait(t.Context(), asked+1))
	_, err := s.client.StopTurn(t.Context(), k.key) // while it is tried within the workflow task
	require.NoError(t, err)
	turn := k.untilEnded(time.Minute, id)
	require.Equal(t, chat.TurnStopped, turn.State)
	s.capture("quick-model-stopped", turn)
	require.Equal(t, asked+1, k.model.Count())
}

func TestQuickModel_MessagesThatComeAsAnAnswerEndsAreAnsweredOnce(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	k.quicken()
	k.queue("followup")
	want := k.answers()
	for i := range 30 { // the next comes while the workflow task of the turn before still ends
		text := fmt.Sprint("number ", i)
		require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, k.send("say "+text)).State)
		want = append(want, text)
	}
	require.Equal(t, want, k.answers())
	k.wellFormed()
}

// TestCrash21: a call of a model that was tried within a workflow task is lost with its worker, before and after an activity took it over.
func TestCrash21_ServerKilledWhileAQuickModelIsSlowForOnce(t *testing.T) {
	t.Parallel()
	for name, begun := range map[string]func(k *talk, asked int){
		"within the workflow task": func(k *talk, asked int) { require.NoError(k.t, k.model.Wait(k.t.Context(), asked+1)) },
		"when an activity has it": func(k *talk, _ int) {
			require.Eventually(k.t, func() bool {
				return happened(k.history(workflows.TurnID(k.key), ""), enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED) == 1
			}, time.Minute, 5*time.Millisecond)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newServer(t).newTalk()
			asked := k.quicken()
			id := k.send(k.shell("echo x >> %s", k.file("once")), "then", "delay 3s", "say after")
			k.untilTool(time.Minute, chat.CallDone)
			begun(k, asked+1)
			k.crash()
			restarted := time.Now()
			k.boot()
			require.Equal(t, chat.TurnDone, k.recovered("quick model that was slow, "+name, restarted, id).State)
			require.Equal(t, []string{"x"}, k.trace("once"))
			require.Equal(t, "after", k.answers()[10])
			require.Len(t, k.answers(), 11)
			k.wellFormed()
		})
	}
}

// TestCrash22: the workflow task that holds a whole turn is done again when its worker is lost: what was done stands.
func TestCrash22_ServerKilledBetweenTheEndOfATurnAndThatOfItsWorkflowTask(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	k.quicken()
	for i := range 5 {
		id := k.send(k.shell("echo %d >> %s", i, k.file("each")), fmt.Sprint("say answer ", i))
		require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
		k.crash() // Temporal may not know yet that it has ended
		k.boot()
		require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, k.send("say next")).State)
	}
	require.Equal(t, []string{"0", "1", "2", "3", "4"}, k.trace("each"))
	require.Len(t, k.answers(), 20)
	k.wellFormed()
}
