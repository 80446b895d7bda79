package ingresstest

import (
	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

// Hire makes a subagent of the session. Where turn is given, that turn has claimed its task.
func (b *Bundle) Hire(instance string, turn chat.TurnID) chat.SubagentRef {
	b.T.Helper()
	handed, err := b.Agents.AssignTask(b.T.Context(), chat.SubagentTask{
		Call: chat.CallID("t1.0." + instance), Session: Key, Turn: "t1", Role: "coder", Instance: instance, Text: "do it", New: &chat.NewSubagent{},
	})
	require.NoError(b.T, err)
	if turn != "" {
		b.ClaimTurn(handed.Subagent.Session, turn)
	}
	return handed.Subagent
}
