package session_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/turn/policy"
	"xbot/internal/turn/session"
)

// channel reads the rules of the channel feishu.
func channel(t *testing.T, text string) policy.Channel {
	t.Helper()
	p, _, err := policy.Parse([]byte("{channels: {feishu: " + text + "}}"))
	require.NoError(t, err)
	return p.Channel("feishu", "")
}

func TestAdmit_DirectMessages(t *testing.T) {
	for _, c := range []struct {
		rules   string
		peer    string
		granted bool
		want    session.Verdict
	}{
		{`{}`, "ou_x", false, session.Verdict{Access: session.Pair}},
		{`{}`, "ou_x", true, session.Verdict{Access: session.Allowed}},
		{`{allowFrom: ["ou_x"]}`, "ou_x", false, session.Verdict{Access: session.Allowed}},
		{`{allowFrom: ["ou_x"]}`, "ou_X", false, session.Verdict{Access: session.Pair}},
		{`{dmPolicy: "allowlist", allowFrom: ["ou_x"]}`, "ou_x", false, session.Verdict{Access: session.Allowed}},
		{`{dmPolicy: "allowlist", allowFrom: ["ou_x"]}`, "ou_y", true, session.Verdict{Access: session.Refused, Say: i18n.DirectRefused}},
		{`{dmPolicy: "allowlist"}`, "ou_y", false, session.Verdict{Access: session.Refused, Say: i18n.DirectRefused}},
		{`{dmPolicy: "open"}`, "ou_y", false, session.Verdict{Access: session.Allowed}},
		{`{dmPolicy: "open", allowFrom: ["*"]}`, "ou_y", false, session.Verdict{Access: session.Allowed}},
		{`{dmPolicy: "disabled", allowFrom: ["ou_x"]}`, "ou_x", true, session.Verdict{Access: session.Refused, Say: i18n.DirectClosed}},
		{`{allowFrom: ["ou_x"]}`, "", false, session.Verdict{Access: session.Pair}},
	} {
		require.Equal(t, c.want, session.Admit(channel(t, c.rules), direct("feishu", "", c.peer), c.granted), "%s %s %v", c.rules, c.peer, c.granted)
	}
	require.Equal(t, session.Pair, session.Admit(policy.Channel{}, direct("feishu", "", "ou_x"), false).Access, "rules that nobody filled in open nothing")
}

func TestAdmit_Groups(t *testing.T) {
	for _, c := range []struct {
		rules, group, peer string
		want               session.Access
	}{
		{`{}`, "oc_1", "ou_x", session.Refused},
		{`{groups: {oc_1: {}}}`, "oc_1", "ou_x", session.Allowed},
		{`{groups: {oc_1: {}}}`, "oc_2", "ou_x", session.Refused},
		{`{groups: {"*": {}}}`, "oc_2", "ou_x", session.Allowed},
		{`{groupPolicy: "open"}`, "oc_2", "ou_x", session.Allowed},
		{`{groupPolicy: "disabled", groups: {oc_1: {}}}`, "oc_1", "ou_x", session.Refused},
		{`{groups: {oc_1: {}}, groupAllowFrom: ["ou_x"]}`, "oc_1", "ou_x", session.Allowed},
		{`{groups: {oc_1: {}}, groupAllowFrom: ["ou_x"]}`, "oc_1", "ou_y", session.Refused},
		{`{groups: {oc_1: {allowFrom: ["ou_y"]}}, groupAllowFrom: ["ou_x"]}`, "oc_1", "ou_x", session.Refused},
		{`{groups: {oc_1: {allowFrom: ["ou_y"]}, "*": {}}, groupAllowFrom: ["ou_x"]}`, "oc_2", "ou_x", session.Allowed},
		{`{groups: {oc_1: {allowFrom: ["*"]}}, groupAllowFrom: ["ou_x"]}`, "oc_1", "ou_y", session.Allowed},
		{`{groupPolicy: "open", groupAllowFrom: ["ou_x"]}`, "oc_1", "ou_y", session.Refused},
		{`{dmPolicy: "open", allowFrom: ["*"]}`, "oc_1", "ou_x", session.Refused},
	} {
		e := chat.Envelope{Source: chat.Source{Channel: "feishu", ChatType: chat.ChatGroup, Chat: c.group}, Sender: chat.Peer{ID: c.peer}}
		got := session.Admit(channel(t, c.rules), e, true)
		require.Equal(t, session.Verdict{Access: c.want}, got, "%s %s %s: a pairing opens no group, and nothing is said there", c.rules, c.group, c.peer)
	}
}
