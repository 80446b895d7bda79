package e2e

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

const openOnTwo = `{channels: {matrix: {dmPolicy: "open", allowFrom: ["*"]}, irc: {dmPolicy: "open", allowFrom: ["*"]}}}`

// codeForm is what codes of /link and pairings look like.
var codeForm = regexp.MustCompile(`[A-HJ-NP-Z2-9]{8}`)

// told delivers a command, and returns its answer.
func (s *server) told(e chat.Envelope) string {
	s.t.Helper()
	out := s.bridge(e)
	require.Equal(s.t, "answered", out.Outcome, "%+v", out)
	return out.Reply
}

// changed changes a message that was delivered before, or takes it back if there is no text, and reports whether that
// came in time.
func (s *server) changed(e chat.Envelope, text string) bool {
	s.t.Helper()
	method, body := http.MethodDelete, []byte(nil)
	if text != "" {
		var err error
		method = http.MethodPut
		body, err = json.Marshal(map[string]string{"text": text})
		require.NoError(s.t, err)
	}
	query := url.Values{"sender": {e.Sender.ID}, "chat": {e.Chat}}
	endpoint, err := s.Endpoint(s.t.Context())
	require.NoError(s.t, err)
	address := endpoint.URL + "/api/bridge/" + e.Channel + "/messages/" + url.PathEscape(e.ID) + "?" + query.Encode()
	req, err := http.NewRequestWithContext(s.t.Context(), method, address, bytes.NewReader(body))
	require.NoError(s.t, err)
	req.Header.Set("Authorization", "Bearer "+endpoint.Token)
	req.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(req)
	require.NoError(s.t, err)
	defer response.Body.Close()
	require.Equal(s.t, http.StatusOK, response.StatusCode)
	var got struct{ Changed bool }
	require.NoError(s.t, json.NewDecoder(response.Body).Decode(&got))
	return got.Changed
}

func onIRC(e chat.Envelope) chat.Envelope {
	e.Channel = "irc"
	return e
}

// asked delivers a message, waits for its answer and returns the request that the model got last.
func (s *server) asked(e chat.Envelope) string {
	s.t.Helper()
	s.answered(s.bridge(e))
	requests := s.model.Requests()
	return string(requests[len(requests)-1].Raw)
}

func TestBridge_AMessageThatWaitsIsChangedAndTakenBackOverAKill(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.inForce(openOnTwo)
	s.told(direct("m0", "@carol", "/queue followup"))
	first := s.bridge(direct("m1", "@carol", "stream 100 50ms"))
	k := &talk{server: s, key: first.Session}
	k.untilDelta(time.Minute)
	before, never := direct("m2", "@carol", "say before"), direct("m3", "@carol", "say never")
	waiting, recalled := s.bridge(before), s.bridge(never)
	require.True(t, s.changed(before, "say after"))
	require.True(t, s.changed(never, ""))
	s.crash()
	s.boot()
	require.False(t, s.changed(never, ""), "it is gone already")
	require.Equal(t, "duplicate", s.bridge(before).Outcome, "delivered again it is not what it was before")
	require.Equal(t, "duplicate", s.bridge(never).Outcome)
	require.Equal(t, "after", s.answered(waiting))
	require.Equal(t, "recalled", k.untilDropped(recalled.InboxID).Outcome)
	require.NotContains(t, k.dump(), "never")
	require.NotContains(t, k.dump(), "say before")
	require.True(t, s.changed(before, "say later"), "the model is told of what it has read")
	require.Contains(t, s.asked(direct("m4", "@carol", "and now?")), "say later", "the next request has it")
	k.once(first.InboxID, waiting.InboxID)
}

func TestBridge_WhatWasOverheardIsChangedAndSurvivesAKillOfTheTurnThatTookIt(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.inForce(`{channels: {matrix: {groups: {"!room": {}}}}}`)
	for id, text := range map[string]string{"m1": "pizza at noon", "m2": "a zeppelin lands"} {
		require.Equal(t, "overheard", s.bridge(room(id, "@al", text, false)).Outcome)
	}
	require.True(t, s.changed(room("m1", "@al", "", false), "pizza at one"))
	require.True(t, s.changed(room("m2", "@al", "", false), ""))
	s.crash()
	s.boot()
	out := s.bridge(room("m3", "@bo", "stream 100 50ms", true))
	k := &talk{server: s, key: out.Session}
	k.untilDelta(time.Minute)
	s.crash()
	s.boot()
	k.untilEnded(crashLimit, out.InboxID)
	asked := 0
	for _, r := range s.model.Requests() {
		if strings.Contains(string(r.Raw), "stream 100 50ms") {
			asked++
			require.Equal(t, 1, strings.Count(string(r.Raw), "Name of @al: pizza at one"))
			require.NotContains(t, string(r.Raw), "zeppelin")
		}
	}
	require.GreaterOrEqual(t, asked, 2, "before and after the kill")
	require.NotContains(t, s.asked(room("m4", "@bo", "say more", true)), "zeppelin")
	require.Equal(t, 1, strings.Count(k.dump(), "pizza at one"), "it stands once in the transcript")
	require.False(t, s.changed(room("m1", "@al", "", false), "pizza at two"))
}

func TestLink_TwoChannelsShareAMemoryAndAConversation(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.inForce(openOnTwo)
	s.asked(direct("m1", "@carol", "call memory_write {\"path\":\"drinks.md\",\"content\":\"prefers tea\"}\nsay noted"))
	home := s.bridge(direct("m2", "@carol", "say the harbour is grey"))
	s.answered(home)
	require.NotContains(t, s.asked(onIRC(direct("i1", "carol", "say hi"))), "prefers tea", "they are two people yet")
	refused := s.told(onIRC(direct("i2", "carol", "/session use "+string(home.Session))))
	require.NotContains(t, refused, "continues", "and have nothing in common")

	code := codeForm.FindString(s.told(direct("m3", "@carol", "/link")))
	require.NotEmpty(t, code)
	s.crash()
	s.boot()
	done := s.told(onIRC(direct("i3", "carol", "/link "+code)))
	require.Contains(t, done, "You are **Carol** here, too")
	require.Equal(t, "duplicate", s.bridge(onIRC(direct("i3", "carol", "/link "+code))).Outcome)
	require.NotContains(t, s.told(onIRC(direct("i4", "mallory", "/link "+code))), "You are", "a code is worth nothing once it was used")
	s.told(onIRC(direct("i5", "carol", "/session use "+string(home.Session))))
	s.crash()
	s.boot()
	out := s.bridge(onIRC(direct("i6", "carol", "say and now")))
	require.Equal(t, home.Session, out.Session)
	s.answered(out)
	requests := s.model.Requests()
	require.Contains(t, string(requests[len(requests)-1].Raw), "the harbour is grey")
	s.told(onIRC(direct("i7", "carol", "/session default")))
	s.bridge(onIRC(direct("i8", "carol", "/new"))) // the prompt of a conversation stays as it was when it began
	require.Contains(t, s.asked(onIRC(direct("i9", "carol", "say tea?"))), "prefers tea", "what is remembered of a person is known on both channels")
}

func TestPair_AnAdministratorLetsSomebodyInFromTheirChat(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.inForce(`{session: {identityLinks: {admin: ["matrix:@boss"]}}, channels: {matrix: {allowFrom: ["@boss", "@al"]}}}`)
	code := codeForm.FindString(s.bridge(direct("m1", "@carol", "hello")).Reply)
	other := codeForm.FindString(s.bridge(direct("m2", "@mallory", "hello")).Reply)
	require.NotEqual(t, code, other)
	require.Equal(t, "Only administrators may use `/pair`. Ask one of them.", s.told(direct("m3", "@al", "/pair approve "+code)))
	require.Contains(t, s.told(direct("m4", "@boss", "/pair")), code)
	s.crash()
	s.boot()
	require.Contains(t, s.told(direct("m5", "@boss", "/pair approve "+strings.ToLower(code))), "may write direct messages")
	s.told(direct("m6", "@boss", "/pair refuse "+other))
	require.Equal(t, "Nobody waits for access.", s.told(direct("m7", "@boss", "/pair list")))
	require.Equal(t, "welcome", s.answered(s.bridge(direct("m8", "@carol", "say welcome"))))
	require.Equal(t, "refused", s.bridge(direct("m9", "@mallory", "hello")).Outcome)
}

func TestSend_AnAnswerIsKeptFromTheChannelAndMarked(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.inForce(`{session: {sendPolicy: {rules: [{action: "deny", match: {channel: "irc"}}]}}, ` + openOnTwo[1:])
	kept := func(e chat.Envelope) bool {
		t.Helper()
		out := s.bridge(e)
		s.answered(out)
		messages := (&talk{server: s, key: out.Session}).transcript().Messages
		last := messages[len(messages)-1]
		require.Equal(t, chat.RoleAssistant, last.Role)
		return last.Undelivered
	}
	require.False(t, kept(direct("m1", "@carol", "say one")))
	s.told(direct("m2", "@carol", "/send off"))
	s.crash()
	s.boot()
	require.True(t, kept(direct("m3", "@carol", "say two")), "the model answers, and the channel gets nothing of it")
	s.told(direct("m4", "@carol", "/send on"))
	require.False(t, kept(direct("m5", "@carol", "say three")))

	require.True(t, kept(onIRC(direct("i1", "carol", "say one"))), "a rule of the policy denies it")
	s.told(onIRC(direct("i2", "carol", "/send on")))
	require.False(t, kept(onIRC(direct("i3", "carol", "say two"))), "the conversation stands above the rules")
	s.told(onIRC(direct("i4", "carol", "/send inherit")))
	require.True(t, kept(onIRC(direct("i5", "carol", "say three"))))
}
