package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

func room(id, peer, text string, mentioned bool) chat.Envelope {
	e := direct(id, peer, text)
	e.Sender.Name = "Name of " + peer
	e.ChatType, e.Chat, e.Subject, e.Mentioned = chat.ChatGroup, "!room", "The Team", mentioned
	return e
}

func TestGroups_WhatWasSaidBeforeIsContextOfTheAnswer(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.inForce(`{channels: {matrix: {groups: {"!room": {}}}}}`)
	require.Equal(t, "overheard", s.bridge(room("m1", "@al", "pizza at noon", false)).Outcome)
	s.crash()
	s.boot()
	require.Equal(t, "duplicate", s.bridge(room("m1", "@al", "pizza at noon", false)).Outcome)
	out := s.bridge(room("m2", "@bo", "say noted", true))
	require.Equal(t, "noted", s.answered(out))
	requests := s.model.Requests()
	sent := string(requests[len(requests)-1].Raw)
	require.Contains(t, sent, "[Chat messages since your last reply, for context]\\nName of @al: pizza at noon")
	require.Contains(t, sent, "from Name of @bo]")
	require.Equal(t, "refused", s.bridge(direct("m3", "@bo", "hello")).Outcome, "who may speak in a group may not write directly")
}

func TestGroups_AnAdministratorInAGroupBringsNoHostShell(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.inForce(`{session: {identityLinks: {admin: ["matrix:@boss"]}}, channels: {matrix: {allowFrom: ["@boss"], groups: {"!room": {}}}}, permissions: {others: "auto"}}`)
	mine := s.bridge(direct("m1", "@boss", `call Shell {"command":"echo own-$((40+2))","reason":"r"}`))
	s.answered(mine)
	require.Contains(t, (&talk{server: s, key: mine.Session}).dump(), "own-42", "the operator named @boss an administrator: directly, commands run")

	out := s.bridge(room("m2", "@boss", `call Shell {"command":"echo shared-$((40+2))","reason":"r"}`, true))
	k := &talk{server: s, key: out.Session}
	k.untilEnded(time.Minute, out.InboxID)
	require.NotContains(t, k.dump(), "shared-42")
	bang := s.bridge(room("m3", "@boss", "!echo bang-$((40+2))", true))
	k.until(time.Minute, "the answer of the command", func(e chat.Event) bool {
		return e.Kind == chat.EventMessage && decode[chat.Message](t, e).Role == chat.RoleNotice && decode[chat.Message](t, e).Inbox == bang.InboxID
	})
	require.NotContains(t, k.dump(), "bang-42")
}

func TestGroups_TwoBotsAnswerTheirOwn(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.inForce(`{channels: {matrix: {groups: {"!room": {}}, accounts: {two: {mentionPatterns: ["^two,"]}}}}}`)
	both := func(id, text string, one bool) (a, b string) {
		first := room(id, "@al", text, one)
		second := room(id, "@al", text, false)
		second.Account = "two"
		out, other := s.bridge(first), s.bridge(second)
		for _, got := range []string{out.Outcome, other.Outcome} {
			require.Contains(t, []string{"accepted", "overheard"}, got)
		}
		return out.Outcome, other.Outcome
	}
	a, b := both("m1", "say one", true)
	require.Equal(t, []string{"accepted", "overheard"}, []string{a, b})
	a, b = both("m2", "two, say two", false)
	require.Equal(t, []string{"overheard", "accepted"}, []string{a, b})
}

func TestGroups_TheModelKnowsThatItIsAGroupAndWhenToBeSilent(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.inForce(`{channels: {matrix: {groups: {"!room": {}}, groupScenes: {chat: {enabled: true, noReplyToken: "[[quiet]]"}, work: {enabled: true}}}}}`)
	out := s.bridge(room("m1", "@al", "say [[quiet]]", false))
	k := &talk{server: s, key: out.Session}
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, out.InboxID).State)
	system := s.lastSystem()
	require.Contains(t, system, `You are in a group chat called "The Team".`)
	require.Contains(t, system, "An answer of `[[quiet]]` alone")
	require.NotContains(t, system, "You talk with", "the group's user has no name that people know")
	require.Equal(t, "hello", s.answered(s.bridge(room("m2", "@al", "say hello", true))))
	requests := s.model.Requests()
	require.Contains(t, string(requests[len(requests)-1].Raw), "to you · from Name of @al]")

	s.answered(s.bridge(room("m3", "@al", "#work say done", true)))
	require.NotContains(t, s.lastSystem(), "[[quiet]]", "in a work scene only what is for the bot reaches it")
	require.Contains(t, s.lastSystem(), "The Team")
}

func TestGroups_CommandsKnowWhereTheyComeFrom(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.inForce(`{session: {identityLinks: {admin: ["matrix:@boss"]}}, channels: {matrix: {allowFrom: ["@boss"]}}}`)
	const show = `env | grep ^XBOT_ | grep -v ^XBOT_JOB= | sort | tr '\\n' ';'`
	out := s.bridge(direct("m1", "@boss", `call Shell {"command":"`+show+`","reason":"r"}`))
	s.answered(out)
	k := &talk{server: s, key: out.Session}
	want := "XBOT_CHANNEL=matrix;XBOT_CHAT=@boss;XBOT_CHAT_TYPE=direct;XBOT_MESSAGE=m1;XBOT_PERSON=@boss;XBOT_SESSION=" + string(out.Session) + ";"
	require.Contains(t, lastCalls(k)[0].Result, want)

	mine := s.newTalk()
	mine.send(`!env | grep ^XBOT_ | sort | tr '\n' ';'`)
	require.Contains(t, mine.untilNotice(time.Minute, "XBOT_SESSION="+string(mine.key)).Content, "XBOT_PERSON=admin")
	mine.untilEnded(time.Minute, mine.send(mine.background("sleep 1; env | grep ^XBOT_SESSION > %s", mine.file("env"))))
	require.Eventually(t, func() bool { return len(mine.trace("env")) == 1 }, time.Minute, 50*time.Millisecond)
	require.Equal(t, []string{"XBOT_SESSION=" + string(mine.key)}, mine.trace("env"))
}
