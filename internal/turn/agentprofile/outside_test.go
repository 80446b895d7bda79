package agentprofile_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/service"
	"xbot/internal/turn/agentprofile"
	"xbot/internal/turn/policy"
)

// oneService is a policy whose only agent beside the default one is a service.
type oneService struct{ service.Service }

func (o oneService) PolicyAfter(context.Context, int64) (int64, []byte, error) { return 0, nil, nil }
func (o oneService) ServicesAfter(context.Context, int64) (int64, []policy.Agent, error) {
	return 1, []policy.Agent{o.Agent()}, nil
}

func TestOf_AServiceAnswersWithItsToolsAndNothingOfTheHouse(t *testing.T) {
	t.Parallel()
	s := service.Service{ID: "svc_0a1b2c3d", Definition: service.Defaults()}
	for _, w := range []chat.ModelCriteria{
		{Agent: s.ID, Channel: service.Channel, ChatType: chat.ChatDirect, Admin: true, OfTurn: chat.OfTurn{Plan: chat.PlanWanted, Root: chat.ChatDirect}},
		{Agent: s.ID, Channel: service.Channel, ChatType: chat.ChatSubagent},
		{Agent: s.ID, ChatType: chat.ChatCron},
		{Agent: "svc_ffffffff", Channel: service.Channel, ChatType: chat.ChatDirect, Admin: true}, // one that is gone
	} {
		b := agentprofile.Resolver{Subagents: wish(w), Settings: wish(w), Policies: &policy.Live{Services: oneService{s}, Settings: oneService{s}}, Home: t.TempDir(), Log: slog.New(slog.DiscardHandler)}
		who, err := b.Of(t.Context(), "agent:svc_0a1b2c3d:svc:thread:0123456789")
		require.NoError(t, err)
		require.True(t, who.Outside)
		for _, tool := range []string{
			"Shell", "config", "con_fig", "logs", "Logs", "Cron", "AskUser", "Skill", "SubAgent", "ProposePlan", chat.PlanTool, "memory_write", "memory_search", "soul_write", "soul_read",
			"list_conversations", "read_conversation", "list_service_conversations", "read_service_conversation", "read_inbox", "SendMessage", "send_message", "mcp_x_y", "feishu_x", "DownloadFile", "WebSearch", "Fetch", "read", "READ", "Re_ad", "*",
		} {
			require.False(t, who.Has(tool), tool)
		}
		require.Equal(t, w.Agent == s.ID, who.Has("Read"))
		require.Equal(t, w.Agent == s.ID, who.Has("read_my_conversation"))
		require.False(t, who.Private)
		require.Equal(t, policy.Remembers{}, who.Remember)
		require.False(t, who.Trusted)
		require.False(t, who.Direct)
		require.Empty(t, who.Soul)
		require.Empty(t, who.Plan)
		require.False(t, strings.EqualFold(who.Memory(), policy.DefaultAgent), "the administrator's memory is another one")
	}
}
