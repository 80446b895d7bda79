package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/feishu/feishutest"
	"xbot/internal/client/apiclient"
)

func TestFeishu_APersonAndAGroupAreAnsweredOnceOverAKill(t *testing.T) {
	t.Parallel()
	p, carol, s := carolAtFeishu(t)
	team := p.Group("The Team", carol)
	s.inForce(`{channels: {feishu: {dmPolicy: "open", allowFrom: ["*"], groups: {"` + team + `": {}}}}}`)
	saw := func(chat, text string) {
		t.Helper()
		require.Eventually(t, func() bool { return strings.Contains(shownAt(p, chat), text) }, time.Minute, 20*time.Millisecond, "the answer %q", text)
	}

	direct := p.Direct(carol)
	p.Write(feishutest.Incoming{From: carol, Text: "say first"})
	saw(direct, "first")
	before := len(s.model.Requests())
	p.Write(feishutest.Incoming{From: carol, Text: "stream 30 100ms\nsay second"})
	require.Eventually(t, func() bool { return len(s.model.Requests()) > before }, time.Minute, 20*time.Millisecond)
	s.crash()
	p.Write(feishutest.Incoming{From: carol, Text: "say while it was away"})
	s.boot()
	saw(direct, "second")
	saw(direct, "while it was away")
	p.Write(feishutest.Incoming{From: carol, Chat: team, Text: "@_user_1 say to everybody", Mentions: []feishutest.Mention{{Key: "@_user_1", Person: feishutest.Bot()}}})
	saw(team, "to everybody")
	require.Len(t, p.Shown(direct, ""), 3, "each answer once")
	require.Len(t, p.Shown(team, ""), 1)
	require.Empty(t, p.Broken(), "the protocol was kept")
}

// shownAt is what the bot has written in a chat, as a person reads it.
func shownAt(p *feishutest.Server, chat string) string {
	var b strings.Builder
	for _, m := range p.Shown(chat, "") {
		b.WriteString(m.Text + "\n")
	}
	return b.String()
}

func TestFeishu_APlatformThatIsDownHoldsItsAnswersAndNothingElse(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newServer, 1, 1)
	feishu := w.on[0].(*onFeishu)
	feishu.Befall(feishutest.Trouble{Kind: feishutest.Down, Times: 1 << 20})
	feishu.say(0, 1, "say held one")
	w.rows(`SELECT count(*) FROM turns WHERE state = 'done'`, 1)
	feishu.say(0, 1, "say held two")
	w.rows(`SELECT count(*) FROM turns WHERE state = 'done'`, 2) // the next turn does not wait for the first one's answer
	for _, p := range w.on[1:] {
		p.say(0, 1, "say goes on")
	}
	w.reads("goes on", feishu.name())
	require.NotContains(t, strings.Join(feishu.shown(0, 1), "\n"), "held")
	w.rows(`SELECT count(*) FROM outbound WHERE state = 'waiting' AND channel = 'feishu'`, 2)

	feishu.Befall(feishutest.Trouble{})
	require.Eventually(t, func() bool { return len(feishu.shown(0, 1)) >= 2 }, 2*time.Minute, 50*time.Millisecond)
	require.Equal(t, []string{"held one", "held two"}, feishu.shown(0, 1))
}

func TestFeishu_AnAnswerOfUnknownOutcomeIsFoundInTheChatAfterAnHour(t *testing.T) {
	t.Parallel()
	p, carol, s := carolAtFeishu(t)
	s.inForce(letAllIn)
	direct, db := p.Direct(carol), s.look()
	for _, c := range []struct {
		trouble feishutest.TroubleKind
		state   string
	}{{feishutest.Mute, "sent"}, {feishutest.Stuck, "uncertain"}} {
		p.Befall(feishutest.Trouble{Kind: c.trouble, Times: 1})
		before := p.Unanswered()
		p.Write(feishutest.Incoming{From: carol, Text: "say the answer is " + c.state})
		require.Eventually(t, func() bool { return p.Unanswered() > before }, time.Minute, 10*time.Millisecond)
		s.crash()
		p.Forget() // an hour is over
		_, err := db.Exec(t.Context(), `UPDATE outbound SET parts = (SELECT jsonb_agg(jsonb_set(e, '{tried}', to_jsonb(now() - interval '2 hours')))
			FROM jsonb_array_elements(parts) e) WHERE state = 'waiting' AND parts IS NOT NULL`)
		require.NoError(t, err)
		s.boot()
		require.Eventually(t, func() bool {
			return count(t, db, "SELECT count(*) FROM outbound WHERE state = '"+c.state+"'") == 1
		}, crashLimit, 20*time.Millisecond, c.state)
		require.Equal(t, map[string]int{"sent": 1, "uncertain": 0}[c.state], strings.Count(shownAt(p, direct), "the answer is "+c.state), "never twice")
	}
	require.Empty(t, p.Broken(), "the protocol was kept")
}

func TestFeishu_OnePersonUnderTwoAppsOfATenantIsOnePerson(t *testing.T) {
	t.Parallel()
	first, second := newFeishu(t, 0, 0), newFeishu(t, 0, 0)
	s := newServer(t, first.env()...)
	s.inForce(`{channels: {feishu: {dmPolicy: "open", allowFrom: ["*"]}}}`)
	_, err := s.client.SetChannel(t.Context(), "feishu", apiclient.SetChannelParams{Account: "second"}, apiclient.ChannelChange{Enabled: true, Settings: second.Settings()})
	require.NoError(t, err)
	require.Eventually(t, func() bool { return first.connected() && second.connected() }, time.Minute, 20*time.Millisecond)
	says := func(f *onFeishu, open, union, text string, want ...string) {
		t.Helper()
		who := feishutest.Person{OpenID: open, Name: "Carol", UnionID: union}
		f.Write(feishutest.Incoming{From: who, Text: text})
		require.Eventually(t, func() bool {
			shown := f.Shown(f.Direct(who), "")
			for _, w := range want {
				if len(shown) == 0 || !strings.Contains(shown[len(shown)-1].Text, w) {
					return false
				}
			}
			return true
		}, time.Minute, 20*time.Millisecond, "%v is not read", want)
	}
	says(first, "ou_first", "on_carol", "say hello", "hello")
	says(second, "ou_second", "on_carol", "/whoami", "feishu:ou_first", "feishu:second:ou_second")
	says(second, "ou_eve", "on_eve", "/whoami", "feishu:second:ou_eve")
	shown := second.Shown(second.Direct(feishutest.Person{OpenID: "ou_eve", Name: "Carol", UnionID: "on_eve"}), "")
	require.NotContains(t, shown[len(shown)-1].Text, "ou_first", "who only has the same name is somebody else")
}

func TestFeishu_WhatIsTakenBackAroundAKillIsNotAnswered(t *testing.T) {
	t.Parallel()
	p, carol, s := carolAtFeishu(t)
	s.inForce(letAllIn)
	direct := p.Direct(carol)
	saw := func(text string) {
		t.Helper()
		require.Eventually(t, func() bool { return strings.Contains(shownAt(p, direct), text) }, crashLimit, 20*time.Millisecond, "the answer %q", text)
	}
	for _, c := range []struct {
		name   string
		around func(recall func())
	}{
		{"away", func(recall func()) { s.crash(); recall() }},
		{"dying", func(recall func()) { recall(); s.crash() }},
	} {
		before := len(s.model.Requests())
		p.Write(feishutest.Incoming{From: carol, Text: "stream 40 200ms\nsay first " + c.name})
		require.Eventually(t, func() bool { return len(s.model.Requests()) > before }, time.Minute, 10*time.Millisecond)
		waits := p.Write(feishutest.Incoming{From: carol, Text: "say taken back " + c.name})
		require.Eventually(t, func() bool { return p.Acked(waits) }, time.Minute, 10*time.Millisecond, "it waits behind the first")
		c.around(func() { p.Recall(waits) })
		s.boot()
		saw("first " + c.name)
		p.Write(feishutest.Incoming{From: carol, Text: "say last " + c.name})
		saw("last " + c.name)
		require.NotContains(t, shownAt(p, direct), "taken back "+c.name)
	}
	require.Len(t, p.Shown(direct, ""), 4, "each answer once, and none to what was taken back")
	for _, r := range s.model.Requests() {
		require.NotContains(t, r.User, "taken back", "the model was not asked")
	}
	require.Empty(t, p.Broken(), "the protocol was kept")
}
