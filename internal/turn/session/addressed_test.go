package session_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/turn/session"
)

func TestAddressed_InGroups(t *testing.T) {
	const plain, always, mention = "", session.ActivationAlways, session.ActivationMention
	for _, c := range []struct {
		rules, activation string
		e                 chat.Envelope
		text              string
		ok                bool
	}{
		{`{}`, plain, chat.Envelope{Text: "hello"}, "hello", false},
		{`{}`, plain, chat.Envelope{Text: " hello ", Mentioned: true}, "hello", true},
		{`{}`, plain, chat.Envelope{Text: "hello", Answers: true}, "hello", true},
		{`{}`, always, chat.Envelope{Text: "hello"}, "hello", true},
		{`{mentionPatterns: ["\\bxbot\\b"]}`, plain, chat.Envelope{Text: "Hey XBot, hello"}, "Hey XBot, hello", true},
		{`{mentionPatterns: ["\\bxbot\\b"]}`, plain, chat.Envelope{Text: "xbots are nice"}, "xbots are nice", false},
		{`{}`, plain, chat.Envelope{Text: "/status"}, "/status", true},
		{`{}`, plain, chat.Envelope{Text: "／status"}, "／status", true},
		{`{}`, plain, chat.Envelope{Text: "/think：high"}, "/think：high", true},
		{`{}`, mention, chat.Envelope{Text: "/status now"}, "/status now", true},
		{`{}`, plain, chat.Envelope{Text: "/usr/bin is full"}, "/usr/bin is full", false},
		{`{}`, plain, chat.Envelope{Text: "// a comment"}, "// a comment", false},
		{`{groups: {g: {requireMention: false}}}`, plain, chat.Envelope{Text: "hello"}, "hello", true},
		{`{groups: {"*": {requireMention: false}}}`, plain, chat.Envelope{Text: "hello"}, "hello", true},
		{`{groups: {"*": {requireMention: false}, g: {}}}`, plain, chat.Envelope{Text: "hello"}, "hello", false},
		{`{groups: {g: {requireMention: false}}}`, mention, chat.Envelope{Text: "hello"}, "hello", false},
		{`{triggerMode: "all"}`, plain, chat.Envelope{Text: "hello"}, "hello", true},
		{`{triggerMode: "all"}`, mention, chat.Envelope{Text: "hello"}, "hello", false},
		{`{triggerMode: "all", groups: {g: {requireMention: true}}}`, plain, chat.Envelope{Text: "hello"}, "hello", false},
		{`{triggerMode: "prefix", triggerPrefix: "Bot,"}`, plain, chat.Envelope{Text: "bot, hello"}, "hello", true},
		{`{triggerMode: "prefix", triggerPrefix: "Bot,"}`, plain, chat.Envelope{Text: "hello", Mentioned: true}, "hello", false},
		{`{triggerMode: "prefix", triggerPrefix: "Bot,"}`, plain, chat.Envelope{Text: "/help"}, "/help", true},
		{`{triggerMode: "prefix", triggerPrefix: "Bot,"}`, always, chat.Envelope{Text: "hello"}, "hello", true},
		{`{triggerMode: "without_prefix", triggerPrefix: "#"}`, plain, chat.Envelope{Text: "hello"}, "hello", true},
		{`{triggerMode: "without_prefix", triggerPrefix: "#"}`, plain, chat.Envelope{Text: "#note", Mentioned: true}, "#note", false},
		{`{triggerMode: "without_prefix", triggerPrefix: "#"}`, always, chat.Envelope{Text: "#note"}, "#note", false},
		{`{triggerMode: "without_prefix", triggerPrefix: "/"}`, plain, chat.Envelope{Text: "/help"}, "/help", true},
	} {
		c.e.ChatType, c.e.Chat = chat.ChatGroup, "g"
		text, ok := session.Addressed(channel(t, c.rules), c.e, c.activation)
		require.Equal(t, c.ok, ok, "%s %q %+v", c.rules, c.activation, c.e)
		require.Equal(t, c.text, text, "%s %q %+v", c.rules, c.activation, c.e)
	}
}

func TestAddressed_DirectMessagesAlwaysAre(t *testing.T) {
	e := direct("feishu", "", "ou_x")
	e.Text = "hello"
	_, ok := session.Addressed(channel(t, `{triggerMode: "prefix", triggerPrefix: "Bot,"}`), e, session.ActivationMention)
	require.True(t, ok)
}
