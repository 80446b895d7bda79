package agentprofile_test

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/turn/agentprofile"
)

func TestHas_ToolsForAnAdministratorAloneAreOfferedNowhereElse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		wish chat.ModelCriteria
		has  bool
	}{
		"an administrator":        {chat.ModelCriteria{Admin: true, ChatType: chat.ChatDirect}, true},
		"somebody else":           {chat.ModelCriteria{ChatType: chat.ChatDirect}, false},
		"a group":                 {chat.ModelCriteria{Admin: true, ChatType: chat.ChatGroup}, false},
		"calls of other programs": {chat.ModelCriteria{Admin: true, ChatType: chat.ChatHook}, false},
		"what runs by itself":     {chat.ModelCriteria{Admin: true, ChatType: chat.ChatCron}, false},
	} {
		book := agentprofile.Resolver{Subagents: wish(c.wish), Settings: wish(c.wish), Policies: nobody{}, Home: t.TempDir(), Log: slog.New(slog.DiscardHandler)}
		who, err := book.Of(t.Context(), "agent:main:main")
		require.NoError(t, err)
		for _, written := range []string{"Logs", "logs", "Lo_gs", "publish_service_task", "PublishServiceTask"} {
			require.Equal(t, c.has, who.Has(written), name)
		}
		require.Equal(t, c.wish.ChatType == chat.ChatDirect, who.Has("config"), name)
		require.True(t, who.Has("Read"), name)
	}
}
