package coding_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/activities/activitiestest"
	"xbot/ingress/agentquestions"
	"xbot/internal/chat"
	"xbot/internal/codingagent/agents"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

// diesWithFile has a scripted agent run a command that kills it once a file "die" is there.
const diesWithFile = "run (until [ -e die ]; do sleep 0.02; done; kill -9 $PPID) >/dev/null 2>&1 &"

func (b *bench) closer(from sandbox.Finder) *agentquestions.Closer {
	return &agentquestions.Closer{CodingAgents: b.Store.CodingAgents, Calls: b.Store.Calls, Sandboxes: from, Log: slog.New(slog.DiscardHandler)}
}

// approval returns the question of a call.
func (b *bench) approval(id chat.CallID) chat.Approval {
	b.T.Helper()
	call, err := b.Store.Calls.Call(b.T.Context(), id)
	require.NoError(b.T, err)
	require.NotNil(b.T, call.Approval)
	return *call.Approval
}

// die kills the agent, and waits until its shim has noticed.
func (b *bench) die() {
	b.T.Helper()
	runs, err := b.CodingAgents.CodingRuns(b.T.Context(), activitiestest.Turn)
	require.NoError(b.T, err)
	require.NoError(b.T, os.WriteFile(filepath.Join(b.runner.Workspace, "die"), nil, 0o600))
	require.Eventually(b.T, func() bool { return b.runner.ShimPID(string(runs[0].ID())) == 0 }, patience, 5*time.Millisecond)
}

func TestAgent_ThatDiesWhileItAsksHasItsQuestionClosedAndItsTurnSaysSo(t *testing.T) {
	for _, name := range agents.Names() {
		t.Run(name, func(t *testing.T) {
			b := setup(t, "say before", diesWithFile, "ask approval echo ran > ran.txt", "say end")
			b.settings.Agent = name
			call := b.asks()
			closer := b.closer(boxes{b})
			require.NoError(t, closer.Sweep(t.Context()))
			require.Equal(t, chat.ApprovalOpen, b.approval(call).State, "the agent waits")
			woken := len(b.Woken)
			b.die()
			require.NoError(t, closer.Sweep(t.Context()))
			closed := b.approval(call)
			require.True(t, closed.AgentEnded(), "%+v", closed)
			require.Equal(t, name+" ended while it waited for the answer.", closed.Note)
			require.Equal(t, []string{string(activitiestest.Key) + ": the agent that asked has ended"}, b.Woken[woken:])
			answered, err := b.Calls.Answered(t.Context(), activitiestest.Turn)
			require.NoError(t, err)
			require.Equal(t, []chat.CallID{call}, answered, "the relay repeats a wake that is lost")
			require.NoError(t, closer.Sweep(t.Context()))
			require.Len(t, b.Woken, woken+1, "once")

			require.Equal(t, chat.FinishError, b.goesOn().Finish)
			require.Equal(t, name+" ended while it waited for the answer.", b.ResultOf(0).Result)
			require.Contains(t, b.LastMessage().Content, name+" ended while it waited for your answer (")
			require.NoFileExists(t, filepath.Join(b.runner.Workspace, "ran.txt"))

			b.openTurn(activitiestest.Turn, second, chat.TurnFailed, "recall")
			b.begin(t.Context(), second, 0).wait(t)
			require.Contains(t, b.LastMessage().Content, "turns: 1; last:", "the thread goes on")
		})
	}
}

// TestAgent_ThatDiedWhileItsRunnerWasAwayHasItsQuestionClosedWhenTheRunnerIsBack also restarts the runner, which finds the end on its disk.
func TestAgent_ThatDiedWhileItsRunnerWasAwayHasItsQuestionClosedWhenTheRunnerIsBack(t *testing.T) {
	b := setup(t, diesWithFile, "ask approval echo ran > ran.txt")
	call := b.asks()
	b.runner.Kill()
	b.die()
	require.NoError(t, b.closer(away{}).Sweep(t.Context()))
	require.Equal(t, chat.ApprovalOpen, b.approval(call).State, "nobody knows")
	b.runner.Start()
	b.runner.WaitConnected()
	require.NoError(t, b.closer(boxes{b}).Sweep(t.Context()))
	require.True(t, b.approval(call).AgentEnded())
}

func TestAgent_AnAnswerBeforeItsEndStands(t *testing.T) {
	b := setup(t, diesWithFile, "ask approval echo ran > ran.txt")
	call := b.asks()
	b.die()
	b.answer(call, "Allow")
	require.NoError(t, b.closer(boxes{b}).Sweep(t.Context()))
	require.Equal(t, chat.ApprovalAllowed, b.approval(call).State)
	require.Equal(t, chat.FinishError, b.goesOn().Finish)
	require.Contains(t, b.LastMessage().Content, "the outcome is unknown", "nobody knows whether it had the answer")
}

// away has no runner that is connected.
type away struct{}

func (away) Box(context.Context, chat.UserID, string) (sandbox.Sandbox, error) {
	return nil, fault.Errorf(fault.Unavailable, "%w", &sandbox.OfflineError{Runner: "local"})
}
