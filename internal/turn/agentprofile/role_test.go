package agentprofile_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/turn/agentprofile"
)

func TestHas_ASubagentHasNothingThatOneAboveItLacks(t *testing.T) {
	t.Parallel()
	planner := chat.Profile{Tools: []string{"Read", "Gl*"}, Memory: true, SpawnAgent: true}
	middle := chat.Profile{SpawnAgent: true, Memory: true, SendMessage: true}.Under(planner)
	coder := chat.Profile{Tools: []string{"*"}, SendMessage: true, Conversations: true}.Under(middle)
	has := func(p chat.Profile, tool string) bool { return agentprofile.Profile{Role: &p}.Has(tool) }
	for _, p := range []chat.Profile{middle, coder} {
		require.True(t, has(p, "Read"))
		require.True(t, has(p, "Glob"))
		require.False(t, has(p, "Shell"))
		require.False(t, has(p, "SendMessage"))
	}
	require.True(t, middle.Memory)
	require.False(t, coder.Conversations)
	require.True(t, has(chat.Profile{Tools: []string{"*"}}.Under(chat.Profile{}), "Shell"), "one with all tools narrows nothing")
}
