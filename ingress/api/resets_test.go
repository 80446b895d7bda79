package api_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/sessions"
	"xbot/internal/chat"
	"xbot/internal/turn/engine"
)

// reset begins a conversation of alice's anew, in a turn of its own.
func (b *bundle) reset(key chat.SessionKey, turn chat.TurnID) {
	b.t.Helper()
	me, err := b.store.Users.UserByName(b.t.Context(), "alice")
	require.NoError(b.t, err)
	_, err = b.store.Turns.Accept(b.t.Context(), engine.NewRow{
		Session: key, User: me.ID, Channel: "web", PlatformID: "id of " + string(turn), Text: "/new", Control: true,
	})
	require.NoError(b.t, err)
	_, ok, err := b.store.Turns.Claim(b.t.Context(), key, turn, "run", 0)
	require.NoError(b.t, err)
	require.True(b.t, ok)
	require.NoError(b.t, b.store.Conversations.ResetSession(b.t.Context(), turn, chat.ResetNew, "", "hello"))
	_, err = b.store.Turns.FinishTurn(b.t.Context(), key, turn, chat.TurnDone, "")
	require.NoError(b.t, err)
}

func TestResets_AreListedAndTheTranscriptStays(t *testing.T) {
	b := setup(t)
	key := b.alice.session("agent:main:web:thread:r").Key
	b.exchange(key, "t1", "good morning")
	var got sessions.ResetsBody
	b.alice.get(path(key, "/resets")).is(http.StatusOK, &got)
	require.NotNil(t, got.Resets)
	require.Empty(t, got.Resets)

	b.reset(key, "t2")
	b.alice.get(path(key, "/resets")).is(http.StatusOK, &got)
	require.Len(t, got.Resets, 1)
	require.Equal(t, chat.ResetNew, got.Resets[0].Reason)
	shown := b.alice.transcript(key).Messages
	require.Len(t, shown, 5)
	require.Equal(t, "good morning", shown[0].Content)
	require.Equal(t, shown[2].ID, got.Resets[0].Upto, "the command itself")
	require.Equal(t, chat.OriginReset, shown[3].Origin)
	require.Equal(t, shown[2].Inbox, shown[4].Inbox, "the greeting answers the command")

	var of chat.Session
	b.alice.get(path(key, "")).is(http.StatusOK, &of)
	require.Zero(t, of.ContextUsed)
	b.alice.get(path(key, "/resets?limit=0")).problem(http.StatusUnprocessableEntity)
	b.bob.get(path(key, "/resets")).problem(http.StatusNotFound)
}

func TestSearch_FindsOnesOwnMessagesAlsoBeforeAReset(t *testing.T) {
	b := setup(t)
	key := b.alice.session("agent:main:web:thread:s").Key
	b.exchange(key, "t1", "去北京的火车")
	b.reset(key, "t2")
	b.exchange(key, "t3", "something else")

	var got sessions.FoundBody
	b.alice.get("/api/search?q="+url.QueryEscape("北京")).is(http.StatusOK, &got)
	require.Len(t, got.Results, 2)
	first := b.alice.transcript(key).Messages[0]
	require.Equal(t, chat.Found{
		Session: key, Title: "去北京的火车", Message: first.ID, Role: chat.RoleUser, Snippet: first.Content, Marks: []chat.Mark{{From: 1, To: 3}}, At: got.Results[1].At,
	}, got.Results[1])
	b.alice.get("/api/search?limit=1&q="+url.QueryEscape("北京")).is(http.StatusOK, &got)
	require.Len(t, got.Results, 1)
	b.bob.get("/api/search?q="+url.QueryEscape("北京")).is(http.StatusOK, &got)
	require.Empty(t, got.Results)
	b.alice.get("/api/search").problem(http.StatusUnprocessableEntity)
	b.alice.get("/api/search?q=%20").problem(http.StatusBadRequest)

	answer := func() string { m := b.alice.transcript(key).Messages; return m[len(m)-1].Content }
	b.alice.say(key, "s1", "/search 北京").is(http.StatusAccepted, nil)
	require.Contains(t, answer(), "**去北京的火车**")
	require.Contains(t, answer(), "answer to 去北京的火车")
	b.alice.say(key, "s2", "/search nowhere").is(http.StatusAccepted, nil)
	require.Contains(t, answer(), "nowhere")
	b.alice.say(key, "s3", "/search").is(http.StatusAccepted, nil)
	require.Contains(t, answer(), "/search")
}
