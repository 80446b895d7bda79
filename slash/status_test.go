package slash_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/ingresstest"
	"xbot/internal/chat"
)

func TestStatus_OfASubagentShowsTheRunOfTheSubagent(t *testing.T) {
	b := setup(t)
	b.everything(workplace())
	for instance, want := range map[string]string{"": "turn%2F" + string(ingresstest.Key) + "%2Fcall%2Ft1.0.", "a": "subagent%2F" + string(ingresstest.Key) + "%2Fcoder:a"} {
		turn := chat.TurnID("s" + instance)
		agent := b.Hire(instance, turn)
		_, err := b.Dispatch.Message(t.Context(), b.Inbound(agent.Session, "status "+instance, "/status"))
		require.NoError(t, err)
		require.Contains(t, b.LastAnswer(agent.Session), "/workflows/"+want+"/run-"+string(turn)+"/history)")
	}
}
