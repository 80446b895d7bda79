package agentprofile_test

import (
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/turn/agentprofile"
	"xbot/internal/turn/policy"
)

// document is the policy in force.
type document struct{ *policy.Policy }

func (d document) Get(context.Context) (*policy.Policy, error)               { return d.Policy, nil }
func (d document) With(ctx context.Context, _ int64) (*policy.Policy, error) { return d.Get(ctx) }

func TestWalls_AreThoseOfTheSceneOfTheConversationAboveAll(t *testing.T) {
	t.Parallel()
	p, _, err := policy.Parse([]byte(`{ channels: { qq: { groupScenes: {
	  chat: { enabled: true, sandbox: { files: "read_only", network: "off" } }, work: { enabled: true, sandbox: { files: "workspace", network: "off" }, runner: "box" },
	} } } }`))
	require.NoError(t, err)
	at := chat.Location{Channel: "qq", Account: "default", ChatType: chat.ChatGroup, Scene: chat.SceneChat}
	work, direct := at, at
	work.Scene, direct.ChatType = chat.SceneWork, chat.ChatDirect
	for above, want := range map[chat.Location]chat.Confinement{at: {ReadOnly: true, Offline: true}, work: {Offline: true}, direct: {}, {}: {}} {
		got, only, err := (&agentprofile.Resolver{Subagents: wish(chat.ModelCriteria{Channel: "subagent", ChatType: chat.ChatSubagent, OfTurn: chat.OfTurn{Above: above}}), Settings: wish(chat.ModelCriteria{Channel: "subagent", ChatType: chat.ChatSubagent, OfTurn: chat.OfTurn{Above: above}}), Policies: document{p}}).Confinement(t.Context(), "k")
		require.NoError(t, err)
		require.Equal(t, want, got, above)
		require.Equal(t, map[bool]string{true: "box"}[above == work], only, above)
	}
}

func TestOf_TheToolsOfASceneNarrowThoseOfTheAgentAlsoForSubagents(t *testing.T) {
	t.Parallel()
	p, _, err := policy.Parse([]byte(`{
	  agents: { list: [{ id: "main", tools: { deny: ["Write"] } }] },
	  channels: { qq: {
	    groupScenes: { chat: { enabled: true, tools: { allow: ["Read", "Write", "Web*"], deny: ["WebFetch"] } }, work: { enabled: true } },
	    accounts: { ops: { groupScenes: { chat: { enabled: true, tools: { deny: ["Read"] } } } } },
	  } },
	}`))
	require.NoError(t, err)
	chats := chat.Location{Channel: "qq", Account: "default", ChatType: chat.ChatGroup, Scene: chat.SceneChat}
	work, ops := chats, chats
	work.Scene, ops.Account = chat.SceneWork, "ops"
	for name, c := range map[string]struct {
		at   chat.ModelCriteria
		want map[string]bool
	}{
		"chat":                   {chat.ModelCriteria{Channel: "qq", ChatType: chat.ChatGroup, OfTurn: chat.OfTurn{Above: chats}}, map[string]bool{"Read": true, "Shell": false, "Write": false, "WebSearch": true, "WebFetch": false}},
		"a subagent of the chat": {chat.ModelCriteria{Channel: "subagent", ChatType: chat.ChatSubagent, OfTurn: chat.OfTurn{Above: chats}}, map[string]bool{"Read": true, "Shell": false, "Write": false, "WebFetch": false}},
		"work":                   {chat.ModelCriteria{Channel: "qq", ChatType: chat.ChatThread, OfTurn: chat.OfTurn{Above: work}}, map[string]bool{"Read": true, "Shell": true, "Write": false, "WebFetch": true}},
		"another bot":            {chat.ModelCriteria{Channel: "qq", ChatType: chat.ChatGroup, OfTurn: chat.OfTurn{Above: ops}}, map[string]bool{"Read": false, "Shell": true, "Write": false}},
	} {
		who, err := (&agentprofile.Resolver{Subagents: wish(c.at), Settings: wish(c.at), Policies: document{p}, Home: t.TempDir(), Log: slog.New(slog.DiscardHandler)}).Of(t.Context(), "k")
		require.NoError(t, err)
		for tool, want := range c.want {
			require.Equal(t, want, who.Has(tool), "%s: %s", name, tool)
		}
	}
}

func TestOf_AJobNarrowsItsOwnConversationAndBeginsNothingElsewhere(t *testing.T) {
	t.Parallel()
	p, _, err := policy.Parse([]byte(`{ agents: { list: [{ id: "main", tools: { deny: ["WebFetch"] } }] } }`))
	require.NoError(t, err)
	at := func(job *chat.JobPermits) *agentprofile.Resolver {
		above := chat.Location{Channel: "cron", ChatType: chat.ChatCron, Job: job}
		return &agentprofile.Resolver{Subagents: wish(chat.ModelCriteria{Channel: "cron", ChatType: chat.ChatCron, OfTurn: chat.OfTurn{Above: above}}), Settings: wish(chat.ModelCriteria{Channel: "cron", ChatType: chat.ChatCron, OfTurn: chat.OfTurn{Above: above}}), Policies: document{p}, Home: t.TempDir(), Log: slog.New(slog.DiscardHandler)}
	}
	for name, c := range map[string]struct {
		job  *chat.JobPermits
		want map[string]bool
	}{
		"nothing":   {nil, map[string]bool{"Shell": true, "Cron": true, "EventTrigger": true, "WebFetch": false}},
		"tools":     {&chat.JobPermits{Tools: []string{"Read", "Web*", "Cron"}}, map[string]bool{"Read": true, "WebSearch": true, "WebFetch": false, "Shell": false, "Cron": false}},
		"read only": {&chat.JobPermits{ReadOnly: true}, map[string]bool{"Shell": true, "Cron": false, "EventTrigger": false, "publish_service_task": false, "ManageTools": false}},
	} {
		who, err := at(c.job).Of(t.Context(), "k")
		require.NoError(t, err)
		for tool, has := range c.want {
			require.Equal(t, has, who.Has(tool), "%s %s", name, tool)
		}
	}
	walls, _, err := at(&chat.JobPermits{ReadOnly: true, Offline: true}).Confinement(t.Context(), "k")
	require.NoError(t, err)
	require.Equal(t, chat.Confinement{ReadOnly: true, Offline: true}, walls)
}
