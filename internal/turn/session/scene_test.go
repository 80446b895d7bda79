package session_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/turn/policy"
	"xbot/internal/turn/session"
)

const both = `{groupScenes: {
	chat: {enabled: true, model: "small", noReplyToken: "[[silent]]"},
	work: {enabled: true, model: "large", createThread: true},
}, privateScenes: {chat: {enabled: true, model: "small"}, work: {enabled: true, triggerTag: "#do", model: "large", disableIdentityHints: false}}}`

const workOnly = `{groupScenes: {work: {enabled: true}}}`

const chatOnly = `{groupScenes: {chat: {enabled: true}}}`

// place is a group in which one work session was begun by the message om_seed, in the thread omt_1.
func place(e chat.Envelope) (chat.Envelope, func(string) (chat.SessionKey, bool)) {
	e.Channel, e.ChatType, e.Chat = "feishu", chat.ChatGroup, "oc_1"
	names := []string{session.MessageAlias(e, "om_seed"), session.ThreadAlias(e, "omt_1"), session.MessageAlias(e, "om_answer")}
	return e, func(alias string) (chat.SessionKey, bool) {
		if !slices.Contains(names, alias) {
			return "", false
		}
		return "agent:main:feishu:group:oc_1:thread:om_seed", true
	}
}

func TestScene_AsksItsQuestionsInOrder(t *testing.T) {
	const work = chat.SessionKey("agent:main:feishu:group:oc_1:thread:om_seed")
	for name, c := range map[string]struct {
		rules string
		e     chat.Envelope
		want  session.SceneVerdict // without Scene, Hints and Aliases
	}{
		"no scenes: the gate of the channel decides": {`{}`, chat.Envelope{Text: "hi"}, session.SceneVerdict{Route: session.RouteNone, Text: "hi"}},
		"in the thread of work":                      {both, chat.Envelope{Text: "go on", Source: chat.Source{Thread: "omt_1"}, Mentioned: true}, session.SceneVerdict{Route: session.RouteWork, Key: work, Text: "go on"}},
		"answering what began the work":              {both, chat.Envelope{Text: "go on", Root: "om_seed", Mentioned: true}, session.SceneVerdict{Route: session.RouteWork, Key: work, Text: "go on"}},
		"answering an answer in it":                  {both, chat.Envelope{Text: "go on", Parent: "om_answer", Answers: true}, session.SceneVerdict{Route: session.RouteWork, Key: work, Text: "go on"}},
		"in its thread, to somebody else":            {both, chat.Envelope{Text: "what do you think?", Source: chat.Source{Thread: "omt_1"}}, session.SceneVerdict{Route: session.RouteDrop, Text: "what do you think?"}},
		"a command in its thread":                    {both, chat.Envelope{Text: "/status", Source: chat.Source{Thread: "omt_1"}}, session.SceneVerdict{Route: session.RouteWork, Key: work, Text: "/status"}},
		"the tag again, in its thread":               {both, chat.Envelope{Text: "#work more", Source: chat.Source{Thread: "omt_1"}, Mentioned: true}, session.SceneVerdict{Route: session.RouteWork, Key: work, Text: "more"}},
		"a command in the thread of another bot":     {both, chat.Envelope{Text: "/status", Source: chat.Source{Thread: "omt_2"}}, session.SceneVerdict{Route: session.RouteDrop, Text: "/status"}},
		"the same, of a bot that only chats":         {chatOnly, chat.Envelope{Text: "/status", Source: chat.Source{Thread: "omt_1"}}, session.SceneVerdict{Route: session.RouteDrop, Text: "/status"}},
		"a command there that names this bot":        {both, chat.Envelope{Text: "/status", Source: chat.Source{Thread: "omt_2"}, Mentioned: true}, session.SceneVerdict{Route: session.RouteChat, Text: "/status"}},
		"the tag begins work":                        {both, chat.Envelope{ID: "om_9", Text: "#work fix it", Mentioned: true}, session.SceneVerdict{Route: session.RouteNewWork, Seed: "om_9", Text: "fix it"}},
		"the tag anywhere, in any case":              {both, chat.Envelope{ID: "om_9", Text: "please fix it #Work, thanks", Mentioned: true}, session.SceneVerdict{Route: session.RouteNewWork, Seed: "om_9", Text: "please fix it , thanks"}},
		"the tag before other letters":               {both, chat.Envelope{ID: "om_9", Text: "#work修复它", Mentioned: true}, session.SceneVerdict{Route: session.RouteNewWork, Seed: "om_9", Text: "修复它"}},
		"the tag alone":                              {both, chat.Envelope{ID: "om_9", Text: "#work", Mentioned: true}, session.SceneVerdict{Route: session.RouteNewWork, Seed: "om_9"}},
		"a longer word is not the tag":               {both, chat.Envelope{Text: "#workflow is nice", Mentioned: true}, session.SceneVerdict{Route: session.RouteChat, Text: "#workflow is nice"}},
		"the tag for another bot":                    {both, chat.Envelope{Text: "#work fix it"}, session.SceneVerdict{Route: session.RouteDrop, Text: "#work fix it"}},
		"the tag for another bot, to one that chats": {chatOnly, chat.Envelope{Text: "#work fix it"}, session.SceneVerdict{Route: session.RouteDrop, Text: "#work fix it"}},
		"everything else is chat, named or not":      {both, chat.Envelope{Text: "hello"}, session.SceneVerdict{Route: session.RouteChat, Text: "hello"}},
		"where only work is on, the rest is dropped": {workOnly, chat.Envelope{Text: "hello", Mentioned: true}, session.SceneVerdict{Route: session.RouteDrop, Text: "hello"}},
		"but for commands":                           {workOnly, chat.Envelope{Text: "/help"}, session.SceneVerdict{Route: session.RouteChat, Text: "/help"}},
		"a tag that everybody triggers names nobody": {`{triggerMode: "all", groupScenes: {work: {enabled: true}}}`, chat.Envelope{Text: "#work x"}, session.SceneVerdict{Route: session.RouteDrop, Text: "#work x"}},
		"a prefix names the bot":                     {`{triggerMode: "prefix", triggerPrefix: "Bot,", groupScenes: {work: {enabled: true}}}`, chat.Envelope{ID: "om_9", Text: "bot, #work x"}, session.SceneVerdict{Route: session.RouteNewWork, Seed: "om_9", Text: "x"}},
		"what the prefix excludes":                   {`{triggerMode: "without_prefix", triggerPrefix: "!", groupScenes: {chat: {enabled: true}}}`, chat.Envelope{Text: "!no"}, session.SceneVerdict{Route: session.RouteDrop, Text: "!no"}},
		"a group that needs no mention, in work":     {`{groups: {"*": {requireMention: false}}, groupScenes: {work: {enabled: true}}}`, chat.Envelope{Text: "go on", Source: chat.Source{Thread: "omt_1"}}, session.SceneVerdict{Route: session.RouteWork, Key: work, Text: "go on"}},
	} {
		t.Run(name, func(t *testing.T) {
			e, known := place(c.e)
			got := session.Scene(channel(t, c.rules), e, known)
			got.Scene, got.Hints, got.Aliases = policy.Scene{}, false, nil
			require.Equal(t, c.want, got)
		})
	}
}

func TestScene_SettingsOfBothScenesHold(t *testing.T) {
	e, known := place(chat.Envelope{ID: "om_9", Text: "hello"})
	got := session.Scene(channel(t, both), e, known)
	require.Equal(t, policy.Scene{Enabled: true, Model: "small", NoReplyToken: "[[silent]]"}, got.Scene)
	require.True(t, got.Hints, "a chat of many is told who speaks")

	e.Text, e.Mentioned = "#work go", true
	got = session.Scene(channel(t, both), e, known)
	require.Equal(t, policy.Scene{Enabled: true, TriggerTag: "#work", Model: "large", CreateThread: true}, got.Scene)
	require.False(t, got.Hints)

	e = direct("feishu", "", "ou_x")
	e.ID, e.Text = "om_10", "please #do it"
	got = session.Scene(channel(t, both), e, known)
	require.Equal(t, session.RouteNewWork, got.Route, "in direct messages everything is for the bot")
	require.Equal(t, "please it", got.Text)
	require.Equal(t, "large", got.Scene.Model)
	require.True(t, got.Hints, "the document says so")
}

func TestScene_TellsTheNamesOfTheWorkSession(t *testing.T) {
	e, known := place(chat.Envelope{ID: "om_9", Text: "#work x", Mentioned: true, Source: chat.Source{Thread: "omt_9"}})
	require.Equal(t, []string{session.MessageAlias(e, "om_9"), session.ThreadAlias(e, "omt_9")}, session.Scene(channel(t, both), e, known).Aliases)

	e, known = place(chat.Envelope{Text: "go on", Mentioned: true, Source: chat.Source{Thread: "omt_new"}, Root: "om_seed", Parent: "om_new"})
	require.Equal(t, []string{session.ThreadAlias(e, "omt_new"), session.MessageAlias(e, "om_new")}, session.Scene(channel(t, both), e, known).Aliases)
}

func TestScene_TheThreadOfARunningTurnIsLearnt(t *testing.T) {
	e, _ := place(chat.Envelope{Text: "and this", Mentioned: true, Source: chat.Source{Thread: "omt_7"}})
	got := session.Scene(channel(t, both), e, func(alias string) (chat.SessionKey, bool) {
		return "agent:main:feishu:group:oc_1:thread:om_seed", alias == session.ActiveAlias(e)
	})
	require.Equal(t, session.RouteWork, got.Route)
	require.Equal(t, []string{session.ThreadAlias(e, "omt_7")}, got.Aliases)
}

func TestAliases_AreOfOneBotInOneChat(t *testing.T) {
	e := chat.Envelope{Source: chat.Source{Channel: "feishu", Account: "app2", Chat: "oc_1"}}
	require.Equal(t, "feishu:app2:oc_1|thread:omt_1", session.ThreadAlias(e, "omt_1"))
	other := e
	other.Account = ""
	require.NotEqual(t, session.ThreadAlias(e, "omt_1"), session.ThreadAlias(other, "omt_1"))
	require.NotEqual(t, session.ThreadAlias(e, "x"), session.MessageAlias(e, "x"))
	require.LessOrEqual(t, len(session.ThreadAlias(e, strings.Repeat("ü", 2000))), 512)
}
