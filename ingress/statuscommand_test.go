package ingress_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

// hired makes a subagent of the conversation, whose task a turn of its own has claimed where turn is given.
func (b *bundle) hired(instance string, turn chat.TurnID) chat.SubagentRef {
	b.t.Helper()
	handed, err := b.HandTask(b.t.Context(), chat.SubagentTask{
		Call: chat.CallID("t1.0." + instance), Session: key, Turn: "t1", Role: "coder", Instance: instance, Text: "do it", New: &chat.NewSubagent{},
	})
	require.NoError(b.t, err)
	if turn != "" {
		b.claim(handed.Subagent.Session, turn)
	}
	return handed.Subagent
}

func TestStatus_OfASubagentShowsTheRunOfTheSubagent(t *testing.T) {
	b := setup(t)
	b.everything(workplace())
	for instance, want := range map[string]string{"": "turn%2F" + string(key) + "%2Fcall%2Ft1.0.", "a": "subagent%2F" + string(key) + "%2Fcoder:a"} {
		turn := chat.TurnID("s" + instance)
		agent := b.hired(instance, turn)
		_, err := b.dispatch.Message(t.Context(), b.inbound(agent.Session, "status "+instance, "/status"))
		require.NoError(t, err)
		require.Contains(t, b.last(agent.Session), "/workflows/"+want+"/run-"+string(turn)+"/history)")
	}
}
