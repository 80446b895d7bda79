package policy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/turn/policy"
)

func TestAgent_UnknownIsTheDefault(t *testing.T) {
	require.Equal(t, policy.Agent{ID: "main", Default: true}, (&policy.Policy{}).Agent("x"))
	first := parse(t, `{agents: {list: [{id: "home"}, {id: "ops"}]}}`)
	require.Equal(t, "home", first.Agent("").ID)
	marked := parse(t, `{agents: {list: [{id: "home"}, {id: "ops", default: true}, {id: "lab"}]}}`)
	require.Equal(t, "ops", marked.Agent("main").ID)
	require.Equal(t, "lab", marked.Agent("lab").ID)
}

func TestAgentFor_TheMostSpecificBindingWins(t *testing.T) {
	p := parse(t, `{
		agents: {list: [{id: "main"}, {id: "channel"}, {id: "account"}, {id: "space"}, {id: "group"}, {id: "person"}, {id: "room"}]},
		bindings: [
			{agentId: "channel", match: {channel: "feishu", accountId: "*"}},
			{agentId: "account", match: {channel: "feishu", accountId: "app2"}},
			{agentId: "space", match: {channel: "feishu", spaceId: "T1"}},
			{agentId: "group", match: {channel: "feishu", peer: {kind: "group", id: "oc_1"}}},
			{agentId: "person", match: {channel: "feishu", peer: {kind: "dm", id: "ou_x"}}},
			{agentId: "room", match: {peer: {kind: "channel", id: "C1"}}},
			{agentId: "main", match: {channel: "feishu"}},
		],
	}`)
	for _, c := range []struct {
		want string
		e    chat.Envelope
	}{
		{"main", chat.Envelope{Source: chat.Source{Channel: "qq", ChatType: chat.ChatDirect}, Sender: chat.Peer{ID: "1"}}},
		{"channel", chat.Envelope{Source: chat.Source{Channel: "feishu", ChatType: chat.ChatDirect}, Sender: chat.Peer{ID: "ou_y"}}},
		{"account", chat.Envelope{Source: chat.Source{Channel: "feishu", Account: "app2", ChatType: chat.ChatDirect}, Sender: chat.Peer{ID: "ou_y"}}},
		{"space", chat.Envelope{Source: chat.Source{Channel: "feishu", Account: "app2", Space: "T1", ChatType: chat.ChatGroup, Chat: "oc_2"}}},
		{"group", chat.Envelope{Source: chat.Source{Channel: "feishu", Account: "app2", Space: "T1", ChatType: chat.ChatGroup, Chat: "oc_1"}, Sender: chat.Peer{ID: "ou_x"}}},
		{"person", chat.Envelope{Source: chat.Source{Channel: "feishu", Account: "app2", ChatType: chat.ChatDirect, Chat: "oc_1"}, Sender: chat.Peer{ID: "ou_x"}}},
		{"main", chat.Envelope{Source: chat.Source{Channel: "qq", ChatType: chat.ChatDirect}, Sender: chat.Peer{ID: "ou_x"}}},
		{"room", chat.Envelope{Source: chat.Source{Channel: "slack", ChatType: chat.ChatChannel, Chat: "C1"}}},
		{"main", chat.Envelope{Source: chat.Source{Channel: "slack", ChatType: chat.ChatGroup, Chat: "C1"}}},
	} {
		require.Equal(t, c.want, p.AgentFor(c.e), "%+v", c.e)
	}
}

func TestChannel_AccountsOverrideAndDefaultsFill(t *testing.T) {
	none := (&policy.Policy{}).Channel("feishu", "")
	require.Equal(t, "pairing", none.DMPolicy)
	require.Equal(t, "allowlist", none.GroupPolicy)
	require.Equal(t, "at", none.TriggerMode)
	require.Equal(t, 50, *none.HistoryLimit)
	require.Equal(t, "#work", none.GroupScenes.Work.TriggerTag)

	p := parse(t, `{channels: {feishu: {
		dmPolicy: "allowlist", allowFrom: ["ou_x"], groups: {oc_1: {}}, historyLimit: 5, soul: "SOUL.md",
		groupScenes: {chat: {enabled: true, model: "small"}, work: {enabled: true, triggerTag: "#do"}},
		accounts: {app2: {dmPolicy: "open", allowFrom: [], groups: {}, historyLimit: 0, groupScenes: {chat: {model: "large"}}}},
	}}}`)
	one, two := p.Channel("feishu", ""), p.Channel("feishu", "app2")
	require.Equal(t, []string{"ou_x"}, one.AllowFrom)
	require.Equal(t, 5, *one.HistoryLimit)
	require.Nil(t, one.Accounts)

	require.Equal(t, "open", two.DMPolicy)
	require.Empty(t, two.AllowFrom)
	require.Empty(t, two.Groups)
	require.Zero(t, *two.HistoryLimit)
	require.Equal(t, "SOUL.md", two.Soul)
	require.Equal(t, policy.Scene{Model: "large"}, two.GroupScenes.Chat, "a scene is overridden as a whole")
	require.Equal(t, "#do", two.GroupScenes.Work.TriggerTag)

	require.Len(t, p.Channels["feishu"].Groups, 1, "the document itself is not changed")
	require.Len(t, p.Channels["feishu"].Accounts, 1)
}
