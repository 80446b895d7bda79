package conversation_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/slash/conversation"
)

func TestRewind_GoesBackAsFarAsThePersonSays(t *testing.T) {
	for args, want := range map[string]string{"": "rewind t1 1 0", "3": "rewind t1 3 0", "m12": "rewind t1 0 12"} {
		sessions := &began{}
		require.NoError(t, conversation.Rewind{Sessions: sessions}.RunInTurn(t.Context(), chat.TurnCommand{Turn: "t1"}, args))
		require.Equal(t, []string{want}, sessions.done, args)
	}
	for _, args := range []string{"twice", "到哪里"} {
		sessions := &began{}
		err := conversation.Rewind{Sessions: sessions}.RunInTurn(t.Context(), chat.TurnCommand{Turn: "t1"}, args)
		require.True(t, fault.Is(err, fault.Invalid))
		require.Equal(t, i18n.Say(i18n.English, i18n.RewindUsage), i18n.Explain(i18n.English, err))
		require.Empty(t, sessions.done)
	}
}
