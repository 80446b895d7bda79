package policy_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/turn/policy"
)

func load(t *testing.T, file string) (*policy.Policy, []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	p, notes, err := policy.Parse(text)
	require.NoError(t, err)
	return p, notes
}

func parse(t *testing.T, text string) *policy.Policy {
	t.Helper()
	p, _, err := policy.Parse([]byte(text))
	require.NoError(t, err)
	return p
}

// The configuration is an example of the specification, unchanged.
func TestParse_ReadsTheSpecificationsSession(t *testing.T) {
	p, notes := load(t, "testdata/session.json5")
	require.Equal(t, []string{
		"session.dmScope: main: everybody who writes to the bot directly shares one conversation and reads what others wrote in it; per-channel-peer keeps them apart",
		"session.resetByType.dm: is the older name of direct",
		"session.store: has no effect: conversations are kept in Postgres",
	}, notes)

	for _, c := range []struct {
		channel string
		t       chat.ChatType
		want    policy.Reset
	}{
		{"telegram", chat.ChatThread, policy.Reset{Mode: "daily", AtHour: new(4)}},
		{"telegram", chat.ChatDirect, policy.Reset{Mode: "idle", IdleMinutes: 240}},
		{"telegram", chat.ChatGroup, policy.Reset{Mode: "idle", IdleMinutes: 120}},
		{"telegram", chat.ChatChannel, policy.Reset{Mode: "idle", IdleMinutes: 120}},
		{"telegram", chat.ChatHook, policy.Reset{Mode: "daily", AtHour: new(4), IdleMinutes: 120}},
		{"discord", chat.ChatThread, policy.Reset{Mode: "idle", IdleMinutes: 10080}},
		{"discord", chat.ChatDirect, policy.Reset{Mode: "idle", IdleMinutes: 10080}},
	} {
		require.Equal(t, c.want, p.Reset(c.channel, c.t), "%s %s", c.channel, c.t)
	}

	for _, id := range [][2]string{{"telegram", "123456789"}, {"discord", "987654321012345678"}} {
		name, linked := p.Person(chat.Envelope{Source: chat.Source{Channel: id[0]}, Sender: chat.Peer{ID: id[1]}})
		require.True(t, linked)
		require.Equal(t, "alice", name)
	}
	name, linked := p.Person(chat.Envelope{Source: chat.Source{Channel: "discord"}, Sender: chat.Peer{ID: "123456789"}})
	require.False(t, linked)
	require.Equal(t, "discord:123456789", name)

	for _, command := range []string{"/new", "/reset", "hello"} {
		_, ok := p.IsResetTrigger(command)
		require.False(t, ok, "%s is a command", command)
	}
}

func TestSends_FollowsTheSpecificationsRules(t *testing.T) {
	p, notes := load(t, "testdata/sendpolicy.json5")
	require.Empty(t, notes)
	for _, c := range []struct {
		key     chat.SessionKey
		channel string
		t       chat.ChatType
		own     string
		want    bool
	}{
		{"agent:main:discord:group:1", "discord", chat.ChatGroup, "", false},
		{"agent:main:discord:group:1:thread:2", "discord", chat.ChatThread, "", false},
		{"agent:main:discord:channel:1:thread:2", "discord", chat.ChatThread, "", true},
		{"agent:main:discord:dm:1", "discord", chat.ChatDirect, "", true},
		{"agent:main:qq:group:1", "qq", chat.ChatGroup, "", true},
		{"cron:daily", "feishu", chat.ChatCron, "", false},
		{"cron:daily", "feishu", chat.ChatCron, "on", true},
		{"agent:main:qq:group:1", "qq", chat.ChatGroup, "off", false},
		{"agent:main:qq:group:1", "qq", chat.ChatGroup, "inherit", true},
	} {
		require.Equal(t, c.want, p.Sends(c.key, c.channel, c.t, c.own), "%s %s", c.key, c.own)
	}
}

func TestSends_DenyWinsAndTheDefaultHoldsForTheRest(t *testing.T) {
	p := parse(t, `{session: {sendPolicy: {default: "deny", rules: [
		{action: "allow", match: {chatType: "dm"}},
		{action: "deny", match: {keyPrefix: "agent:ops:"}},
		{action: "deny", match: {keyPrefix: "qq:dm:7"}},
	]}}}`)
	require.True(t, p.Sends("agent:main:qq:dm:1", "qq", chat.ChatDirect, ""))
	require.False(t, p.Sends("agent:ops:qq:dm:1", "qq", chat.ChatDirect, ""))
	require.False(t, p.Sends("agent:main:qq:dm:7", "qq", chat.ChatDirect, ""))
	require.False(t, p.Sends("agent:main:qq:group:1", "qq", chat.ChatGroup, ""))
}

func TestReset_NothingExpiresUnlessItIsSaid(t *testing.T) {
	require.Equal(t, policy.Reset{Mode: "none"}, (&policy.Policy{}).Reset("feishu", chat.ChatDirect))
}

func TestReset_WhatIsSetImpliesTheMode(t *testing.T) {
	for text, want := range map[string]policy.Reset{
		`{idleMinutes: 30}`:                                       {Mode: "idle", IdleMinutes: 30},
		`{reset: {idleMinutes: 30}}`:                              {Mode: "idle", IdleMinutes: 30},
		`{reset: {atHour: 0}}`:                                    {Mode: "daily", AtHour: new(0)},
		`{reset: {mode: "daily"}}`:                                {Mode: "daily", AtHour: new(4)},
		`{reset: {atHour: 3, idleMinutes: 5}}`:                    {Mode: "daily", AtHour: new(3), IdleMinutes: 5},
		`{reset: {mode: "none", idleMinutes: 5}}`:                 {Mode: "none", IdleMinutes: 5},
		`{idleMinutes: 30, reset: {mode: "daily"}}`:               {Mode: "daily", AtHour: new(4)},
		`{idleMinutes: 30, resetByType: {group: {mode: "none"}}}`: {Mode: "none"},
		`{reset: {mode: "daily", atHour: 6, timezone: "Asia/Shanghai"}, resetByType: {direct: {mode: "daily"}}}`:      {Mode: "daily", AtHour: new(6), Timezone: "Asia/Shanghai"},
		`{reset: {mode: "daily"}, resetByChannel: {feishu: {mode: "none"}}, resetByType: {direct: {idleMinutes: 9}}}`: {Mode: "none"},
	} {
		require.Equal(t, want, parse(t, "{session: "+text+"}").Reset("feishu", chat.ChatDirect), text)
	}
}

func TestIsResetTrigger_IsExactInAnyCase(t *testing.T) {
	p := parse(t, `{session: {resetTriggers: ["/new", "neu anfangen", "新对话"]}}`)
	for text, want := range map[string]string{"Neu Anfangen": "", " neu anfangen bitte ": "bitte", "新对话": "", "新对话 你好": "你好"} {
		rest, ok := p.IsResetTrigger(text)
		require.True(t, ok, text)
		require.Equal(t, want, rest)
	}
	for _, text := range []string{"neu anfangend", "neu", "wir wollen neu anfangen", "/new", ""} {
		_, ok := p.IsResetTrigger(text)
		require.False(t, ok, text)
	}
}

func TestQueue_OwnBeforeChannelBeforeGeneralBeforeType(t *testing.T) {
	none := &policy.Policy{}
	require.Equal(t, chat.Queue{Mode: "steer", DebounceMS: 500, Cap: 32, Drop: "reject"}, none.Queue("feishu", chat.ChatDirect, chat.Queue{}))
	for _, other := range []chat.ChatType{chat.ChatGroup, chat.ChatChannel, chat.ChatThread, chat.ChatCron} {
		require.Equal(t, chat.QueueFollowup, none.Queue("feishu", other, chat.Queue{}).Mode)
	}
	p := parse(t, `{messages: {queue: {mode: "collect", byChannel: {qq: "interrupt"}, debounceMs: 900, cap: 5, drop: "summarize"}}}`)
	require.Equal(t, chat.Queue{Mode: "collect", DebounceMS: 900, Cap: 5, Drop: "summarize"}, p.Queue("feishu", chat.ChatDirect, chat.Queue{}))
	require.Equal(t, chat.QueueInterrupt, p.Queue("qq", chat.ChatGroup, chat.Queue{}).Mode)
	require.Equal(t, chat.Queue{Mode: "supersede", DebounceMS: 900, Cap: 7, Drop: "old"}, p.Queue("qq", chat.ChatGroup, chat.Queue{Mode: "supersede", Cap: 7, Drop: "old"}))
}

func TestLimit_FillsInDefaults(t *testing.T) {
	subagents := policy.Subagents{Depth: 6, PerTurn: 20, Running: 16, Tokens: 5_000_000}
	person := policy.PersonLimits{Sessions: 10_000, Runners: 50, Tokens: 100, Storage: 10_240, Voice: 120}
	media := policy.MediaLimits{Pictures: 100, Characters: 100_000, Seconds: 120, AtOnce: 3}
	require.Equal(t, policy.Limits{Turns: 64, OwnKeyTurns: 1, ProviderWaitMinutes: 1440, LLM: policy.LLM{Global: 5, Personal: 3, Subagent: 3}, Subagents: subagents, Person: person, Media: media}, (&policy.Policy{}).Limit())
	subagents.Depth = 2
	require.Equal(t, policy.Limits{Turns: 2, UserTurns: 1, OwnKeyTurns: 1, ProviderWaitMinutes: 1440, LLM: policy.LLM{Global: 9, Personal: 3, Subagent: 3}, Subagents: subagents, Person: person, Media: media},
		parse(t, `{limits: {turns: 2, userTurns: 1, llm: {global: 9}, subagents: {depth: 2}}}`).Limit())
}

func TestPolicy_RefusesATimezoneThatIsNone(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{"Mars/Olympus", "local", "Local"} {
		_, _, err := policy.Parse([]byte(`{cron: {timezone: "` + zone + `"}}`))
		require.ErrorContains(t, err, "cron.timezone")
	}
	p, _, err := policy.Parse([]byte(`{cron: {timezone: "Asia/Shanghai"}}`))
	require.NoError(t, err)
	require.Equal(t, "Asia/Shanghai", p.Cron.Timezone)
}
