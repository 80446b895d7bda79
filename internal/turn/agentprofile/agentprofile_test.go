package agentprofile_test

import (
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/service"
	"xbot/internal/turn/agentprofile"
	"xbot/internal/turn/policy"
	"xbot/internal/user/persona"
)

// wish is what decides who answers.
type wish chat.ModelCriteria

func (w wish) ModelWanted(context.Context, chat.SessionKey) (chat.ModelCriteria, error) {
	return chat.ModelCriteria(w), nil
}

func (wish) SubagentProfile(context.Context, chat.SessionKey) (*chat.Profile, error) { return nil, nil }

type nobody struct{}

func (nobody) Get(context.Context) (*policy.Policy, error)         { return &policy.Policy{}, nil }
func (nobody) With(context.Context, int64) (*policy.Policy, error) { return &policy.Policy{}, nil }

func TestOf_AHeartbeatThatFoundNothingIsSilentInConversationsOfJobsOnly(t *testing.T) {
	t.Parallel()
	for kind, silent := range map[chat.ChatType]bool{chat.ChatCron: true, chat.ChatDirect: false} {
		b := agentprofile.Resolver{Subagents: wish{ChatType: kind}, Settings: wish{ChatType: kind}, Policies: nobody{}, Home: t.TempDir(), Log: slog.New(slog.DiscardHandler)}
		p, err := b.Of(t.Context(), "cron:job_00000001")
		require.NoError(t, err)
		_, is := p.Contract.Show(persona.HeartbeatOK)
		require.Equal(t, silent, is, kind)
	}
}

func TestProfile_ProposesPlansOnlyWhereOneIsWanted(t *testing.T) {
	t.Parallel()
	few := policy.Agent{Tools: policy.Tools{Allow: []string{"Read"}}}
	require.False(t, agentprofile.Profile{}.Has(chat.PlanTool), "other turns do not pay for it")
	require.True(t, agentprofile.Profile{Plan: chat.PlanWanted, Agent: few}.Has(chat.PlanTool), "an agent of few tools could not get anywhere")
	require.True(t, agentprofile.Profile{Plan: chat.PlanApproved}.Has(chat.PlanTool), "the call that was approved runs")
	require.False(t, agentprofile.Profile{Plan: chat.PlanWanted, Role: &chat.Profile{}}.Has(chat.PlanTool), "a subagent asks no person")
	require.False(t, agentprofile.Profile{Plan: chat.PlanWanted, Agent: policy.Agent{Tools: policy.Tools{Deny: []string{"*"}}}}.Has(chat.PlanTool))
}

func TestOf_TheAgentOfAServiceHasNothingWhereItAnswersNoConsumer(t *testing.T) {
	t.Parallel()
	house := &policy.Policy{}
	for key, sealed := range map[chat.SessionKey]bool{
		service.InboxSession("svc_0a1b2c3d", 7): true, "agent:main:web:thread:x": true, service.SessionKey("svc_0a1b2c3d", "0123456789"): false,
	} {
		b := agentprofile.Resolver{Subagents: wish{Agent: "svc_0a1b2c3d", Admin: true, ChatType: chat.ChatDirect}, Settings: wish{Agent: "svc_0a1b2c3d", Admin: true, ChatType: chat.ChatDirect}, Policies: fixed{house}, Home: t.TempDir(), Log: slog.New(slog.DiscardHandler)}
		p, err := b.Of(t.Context(), key)
		require.NoError(t, err)
		require.Equal(t, sealed, p.Sealed, key)
		for _, tool := range []string{"Read", "Shell", "logs", "contact_admin", "search_tools", chat.PlanTool, "memory_write", "mcp_x_y"} {
			require.False(t, sealed && p.Has(tool), "%s %s", key, tool)
		}
	}
}

type fixed struct{ *policy.Policy }

func (f fixed) Get(context.Context) (*policy.Policy, error)         { return f.Policy, nil }
func (f fixed) With(context.Context, int64) (*policy.Policy, error) { return f.Policy, nil }

func TestOf_PrivateIsWhereAnAdministratorAloneSpeaksAboveAll(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		w    chat.ModelCriteria
		want bool
	}{
		"an administrator's chat":    {chat.ModelCriteria{Admin: true, ChatType: chat.ChatDirect, OfTurn: chat.OfTurn{Root: chat.ChatDirect}}, true},
		"a subagent of it":           {chat.ModelCriteria{Admin: true, ChatType: chat.ChatSubagent, OfTurn: chat.OfTurn{Root: chat.ChatDirect}}, true},
		"a member's":                 {chat.ModelCriteria{ChatType: chat.ChatSubagent, OfTurn: chat.OfTurn{Root: chat.ChatDirect}}, false},
		"below a group":              {chat.ModelCriteria{Admin: true, ChatType: chat.ChatSubagent, OfTurn: chat.OfTurn{Root: chat.ChatGroup}}, false},
		"below a job made in a chat": {chat.ModelCriteria{Admin: true, ChatType: chat.ChatSubagent, OfTurn: chat.OfTurn{Root: chat.ChatCron, Above: chat.Location{ChatType: chat.ChatDirect}}}, false},
		"a trigger":                  {chat.ModelCriteria{Admin: true, ChatType: chat.ChatHook, OfTurn: chat.OfTurn{Root: chat.ChatHook}}, false},
		"where it is not known":      {chat.ModelCriteria{Admin: true, ChatType: chat.ChatSubagent}, false},
		"the agent of a service":     {chat.ModelCriteria{Admin: true, Agent: "svc_0a1b2c3d", ChatType: chat.ChatDirect, OfTurn: chat.OfTurn{Root: chat.ChatDirect}}, false},
	} {
		b := agentprofile.Resolver{Subagents: wish(c.w), Settings: wish(c.w), Policies: nobody{}, Home: t.TempDir(), Log: slog.New(slog.DiscardHandler)}
		p, err := b.Of(t.Context(), "agent:main:web:thread:x")
		require.NoError(t, err)
		require.Equal(t, c.want, p.Private, name)
	}
}
