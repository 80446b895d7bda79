package api_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/messages"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
)

type sessionList struct{ Sessions []chat.Session }

func TestSessions_AreMadeOnceAndFoundByTheirKey(t *testing.T) {
	b := setup(t)
	var fresh chat.Session
	b.alice.post("/api/sessions", map[string]any{"title": "builds", "cwd": "/src"}).is(http.StatusCreated, &fresh)
	require.True(t, strings.HasPrefix(string(fresh.Key), "agent:main:web:thread:"))
	require.Equal(t, "web", fresh.Channel)
	require.Equal(t, "/src", fresh.Cwd)
	again := b.alice.session(fresh.Key)
	require.Equal(t, fresh, again, "an own session is answered as it is")
	cli := b.alice.session("agent:main:cli:thread:x")
	require.Equal(t, "cli", cli.Channel)
	var got chat.Session
	b.alice.get(path(fresh.Key, "")).is(http.StatusOK, &got)
	require.Equal(t, fresh, got)
}

func TestSessions_KeysMayHoldWhatAPathMustEscape(t *testing.T) {
	b := setup(t)
	for _, key := range []chat.SessionKey{
		"agent:main:web:thread:a/b", "agent:main:web:thread:100%", "agent:main:web:thread:%2F", "agent:main:web:thread:a?b#c",
		"agent:main:web:thread:..", "agent:main:web:thread:a/../b", "agent:main:web:thread:组", "agent:main:web:thread:a+b&c=d;e", `agent:main:web:thread:"\`,
	} {
		require.Equal(t, key, b.alice.session(key).Key)
		var got chat.Session
		b.alice.get(path(key, "")).is(http.StatusOK, &got)
		require.Equal(t, key, got.Key)
		var sent messages.Accepted
		b.alice.say(key, "id of "+url.PathEscape(string(key)), "x").is(http.StatusAccepted, &sent)
		require.NotZero(t, sent.ID)
		b.alice.delete(path(key, "/turn")).is(http.StatusAccepted, nil)
		b.alice.delete(path(key, "")).is(http.StatusNoContent, nil)
		b.alice.get(path(key, "")).problem(http.StatusNotFound)
	}
}

func TestSessions_AreListedPinnedFirstAndSearchedByTheirTitle(t *testing.T) {
	b := setup(t)
	for i, title := range []string{"one", "100% two", "100 three", `a\b_c`} {
		key := chat.SessionKey(fmt.Sprint("agent:main:web:thread:", i))
		b.alice.post("/api/sessions", map[string]any{"key": key, "title": title}).is(http.StatusCreated, nil)
	}
	first := chat.SessionKey("agent:main:web:thread:0")
	var changed chat.Session
	b.alice.do(b.alice, http.MethodPatch, path(first, ""), map[string]any{"pinned": true}).is(http.StatusOK, &changed)
	require.True(t, changed.Pinned)
	require.Equal(t, "one", changed.Title, "what is not named stays")
	b.alice.do(b.alice, http.MethodPatch, path(first, ""), map[string]any{"title": "uno\x00"}).is(http.StatusOK, &changed)
	require.Equal(t, "uno", changed.Title)
	b.alice.say("agent:main:web:thread:1", "m1", "x").is(http.StatusAccepted, nil)

	var list sessionList
	b.alice.get("/api/sessions").is(http.StatusOK, &list)
	require.Len(t, list.Sessions, 4)
	require.Equal(t, "uno", list.Sessions[0].Title)
	require.Equal(t, "100% two", list.Sessions[1].Title, "the newest is next")
	for q, want := range map[string]int{"100": 2, "100%": 1, "%": 1, "_": 1, `\`: 1, "O": 2, "nothing": 0, "\x00": 4, "\xff": 0} {
		b.alice.get("/api/sessions?q="+url.QueryEscape(q)).is(http.StatusOK, &list)
		require.Len(t, list.Sessions, want, "%q", q)
	}
	b.bob.get("/api/sessions").is(http.StatusOK, &list)
	require.NotNil(t, list.Sessions, "an empty list is a list")
}

func TestSessions_ArchivedOnesAndOneShotsAreListedWhereSomebodyAsksForThem(t *testing.T) {
	b := setup(t)
	kept, old := b.alice.session("agent:main:web:thread:kept"), b.alice.session("agent:main:web:thread:old")
	b.alice.post("/api/sessions", map[string]any{"key": "agent:main:cli:thread:once", "shelf": "oneshots"}).is(http.StatusCreated, nil)
	b.alice.post("/api/sessions", map[string]any{"shelf": "archived"}).problem(http.StatusUnprocessableEntity)
	shelve := func(who *person, shelf any) answer {
		return who.do(who, http.MethodPatch, path(old.Key, ""), map[string]any{"shelf": shelf})
	}
	shelve(b.bob, "archived").problem(http.StatusNotFound)
	shelve(b.alice, "attic").problem(http.StatusBadRequest)
	shelve(b.alice, "oneshots").problem(http.StatusBadRequest)
	shelve(b.alice, 7).problem(http.StatusUnprocessableEntity)
	var changed chat.Session
	shelve(b.alice, "archived").is(http.StatusOK, &changed)
	require.Equal(t, chat.Archived, changed.Shelf)
	keys := func(who *person, query string) (keys []chat.SessionKey) {
		var list sessionList
		who.get("/api/sessions"+query).is(http.StatusOK, &list)
		for _, s := range list.Sessions {
			keys = append(keys, s.Key)
		}
		return keys
	}
	require.Equal(t, []chat.SessionKey{kept.Key}, keys(b.alice, ""))
	require.Equal(t, []chat.SessionKey{old.Key}, keys(b.alice, "?shelf=archived"))
	require.Equal(t, []chat.SessionKey{"agent:main:cli:thread:once"}, keys(b.alice, "?shelf=oneshots"))
	require.Len(t, keys(b.alice, "?shelf=all"), 3)
	require.Empty(t, keys(b.bob, "?shelf=all"))
	b.alice.get("/api/sessions?shelf=attic").problem(http.StatusUnprocessableEntity)
	shelve(b.alice, "").is(http.StatusOK, nil)
	require.Len(t, keys(b.alice, ""), 2)
}

func TestSessions_OneWithARunningTurnIsNotDeleted(t *testing.T) {
	b := setup(t)
	s := b.alice.session("agent:main:web:thread:mine")
	b.alice.say(s.Key, "m1", "x").is(http.StatusAccepted, nil)
	b.claim(s.Key, "t1")
	b.alice.delete(path(s.Key, "")).problem(http.StatusConflict)
	b.finish(s.Key, "t1")
	b.alice.delete(path(s.Key, "")).is(http.StatusNoContent, nil)
	b.alice.get(path(s.Key, "/messages")).problem(http.StatusNotFound)
}

func TestSessions_OfGroupsAndOthersAreDeletedByAdministrators(t *testing.T) {
	b := setup(t)
	group, err := b.store.Users.GroupUser(t.Context(), "feishu", chat.ChatGroup, "oc_1")
	require.NoError(t, err)
	const key = chat.SessionKey("agent:main:feishu:group:oc_1")
	_, err = b.store.Conversations.CreateSession(t.Context(), conversation.NewSession{Key: key, Owner: group.ID, Channel: "feishu", ChatType: chat.ChatGroup})
	require.NoError(t, err)
	b.claimed(key, group.ID, "t1")
	b.bob.delete(path(key, "")).problem(http.StatusNotFound)
	b.alice.delete(path(key, "")).is(http.StatusNoContent, nil)
	_, _, err = b.store.Conversations.Session(t.Context(), key)
	require.Equal(t, fault.NotFound, fault.KindOf(err), "also while a turn runs, which nobody could stop from outside")
	his := b.bob.session("agent:main:web:thread:his")
	b.alice.delete(path(his.Key, "")).is(http.StatusNoContent, nil)
	b.alice.delete(path(his.Key, "")).problem(http.StatusNotFound)
}

// claimed has a message in a session that a turn is answering.
func (b *bundle) claimed(key chat.SessionKey, user chat.UserID, turn chat.TurnID) {
	b.t.Helper()
	_, err := b.store.Turns.Accept(b.t.Context(), engine.NewRow{Session: key, User: user, Channel: "feishu", PlatformID: "m1", Text: "x"})
	require.NoError(b.t, err)
	b.claim(key, turn)
}

func TestMessages_ARepeatedIDIsTheSameMessage(t *testing.T) {
	b := setup(t)
	s, other := b.alice.session("agent:main:web:thread:mine"), b.alice.session("agent:main:web:thread:other")
	var first, again messages.Accepted
	b.alice.say(s.Key, "m1", "hello").is(http.StatusAccepted, &first)
	b.alice.say(s.Key, "m1", "hello").is(http.StatusAccepted, &again)
	require.Equal(t, messages.Accepted{ID: first.ID, Duplicate: true}, again)
	b.alice.say(s.Key, "m1", "something else").problem(http.StatusConflict)
	b.alice.say(other.Key, "m1", "hello").problem(http.StatusConflict)
	mine := b.bob.session("agent:main:web:thread:bob")
	b.bob.say(mine.Key, "m1", "hello").is(http.StatusAccepted, &again)
	require.False(t, again.Duplicate, "ids are each person's own")
	b.claim(s.Key, "t1")
	b.finish(s.Key, "t1")
	b.alice.say(s.Key, "m1", "hello").is(http.StatusAccepted, &again)
	require.True(t, again.Duplicate, "at any distance in time")
}

func TestMessages_AnAcceptedOneStaysAcceptedThoughNobodyWasWoken(t *testing.T) {
	b := setup(t)
	b.wakes.err = errors.New("Temporal is away")
	s := b.alice.session("agent:main:web:thread:mine")
	b.alice.say(s.Key, "m1", "hello").is(http.StatusAccepted, nil)
	var transcript messages.Transcript
	b.alice.get(path(s.Key, "/messages")).is(http.StatusOK, &transcript)
	require.Equal(t, "hello", transcript.Queued[0].Text)
	require.Equal(t, "m1", transcript.Queued[0].ClientMessageID)
}

func TestMessages_AFullQueueSaysSo(t *testing.T) {
	b := setup(t)
	s := b.alice.session("agent:main:web:thread:mine")
	for i := range 32 {
		b.alice.say(s.Key, fmt.Sprint(i), "x").is(http.StatusAccepted, nil)
	}
	require.Contains(t, b.alice.say(s.Key, "too many", "x").problem(http.StatusTooManyRequests), "32 messages wait")
}

func TestMessages_PagesFitTogether(t *testing.T) {
	b := setup(t)
	s := b.alice.session("agent:main:web:thread:mine")
	for i := range 5 {
		turn := chat.TurnID(fmt.Sprint("t", i))
		b.alice.say(s.Key, fmt.Sprint("m", i), fmt.Sprint("question ", i)).is(http.StatusAccepted, nil)
		b.claim(s.Key, turn)
		b.reply(s.Key, turn, fmt.Sprint("answer ", i))
		b.finish(s.Key, turn)
	}
	read := func(query string) (page messages.Transcript) {
		b.alice.get(path(s.Key, "/messages"+query)).is(http.StatusOK, &page)
		return page
	}
	all := read("")
	require.Len(t, all.Messages, 10)
	require.False(t, all.HasMore)
	require.NotNil(t, all.Todos)
	newest := read("?limit=4")
	require.Equal(t, all.Messages[6:], newest.Messages)
	require.True(t, newest.HasMore)
	older := read(fmt.Sprintf("?limit=4&before=%d", newest.Messages[0].ID))
	require.Equal(t, all.Messages[2:6], older.Messages)
	oldest := read(fmt.Sprintf("?limit=4&before=%d", older.Messages[0].ID))
	require.Equal(t, all.Messages[:2], oldest.Messages)
	require.False(t, oldest.HasMore)
	next := read(fmt.Sprintf("?limit=4&after=%d", all.Messages[1].ID))
	require.Equal(t, all.Messages[2:6], next.Messages)
	require.True(t, next.HasMore)
	require.Empty(t, read("?after=9223372036854775807").Messages)
}

func TestStop_NamesTheTurnAndClearsTheQueue(t *testing.T) {
	b := setup(t)
	s := b.alice.session("agent:main:web:thread:mine")
	var stopped messages.Stopped
	b.alice.delete(path(s.Key, "/turn")).is(http.StatusAccepted, &stopped)
	require.Equal(t, messages.Stopped{}, stopped, "nothing runs, and that is fine")
	b.alice.say(s.Key, "m1", "one").is(http.StatusAccepted, nil)
	b.claim(s.Key, "t1")
	b.alice.say(s.Key, "m2", "two").is(http.StatusAccepted, nil)
	b.alice.delete(path(s.Key, "/turn")).is(http.StatusAccepted, &stopped)
	require.Equal(t, messages.Stopped{Stopped: "t1", Queued: 1}, stopped)
	stop, err := b.store.Turns.StopRequested(t.Context(), s.Key, "t1")
	require.NoError(t, err)
	require.True(t, stop)
}

func TestStop_AsTextIsCarriedOutAndOnlyAsThatText(t *testing.T) {
	b := setup(t)
	s := b.alice.session("agent:main:web:thread:mine")
	b.alice.say(s.Key, "m1", "one").is(http.StatusAccepted, nil)
	b.claim(s.Key, "t1")
	for i, text := range []string{"/cancel the meeting at nine", "/stop it now, please", "//stopwatch", "stop", "/etc/hosts"} {
		b.alice.say(s.Key, fmt.Sprint("text", i), text).is(http.StatusAccepted, nil)
	}
	stop, err := b.store.Turns.StopRequested(t.Context(), s.Key, "t1")
	require.NoError(t, err)
	require.False(t, stop, "these are messages")
	var transcript messages.Transcript
	b.alice.get(path(s.Key, "/messages")).is(http.StatusOK, &transcript)
	require.Len(t, transcript.Queued, 5)

	var first, again messages.Accepted
	b.alice.say(s.Key, "s1", " /Stop\n").is(http.StatusAccepted, &first)
	stop, err = b.store.Turns.StopRequested(t.Context(), s.Key, "t1")
	require.NoError(t, err)
	require.True(t, stop)
	b.alice.say(s.Key, "s1", " /Stop\n").is(http.StatusAccepted, &again)
	require.Equal(t, messages.Accepted{ID: first.ID, Duplicate: true}, again)
	_, err = b.store.Turns.FinishTurn(t.Context(), s.Key, "t1", chat.TurnStopped, i18n.Stopped)
	require.NoError(t, err)
}

func TestTurns_LeadAdministratorsToTemporal(t *testing.T) {
	b := setup(t)
	for _, c := range []struct {
		p   *person
		key chat.SessionKey
		url string
	}{
		{b.alice, "agent:main:web:thread:a/b", "/temporal/namespaces/default/workflows/turn%2Fagent:main:web:thread:a%2Fb/run-alice/history"},
		{b.bob, "agent:main:web:thread:bob", ""},
	} {
		s := c.p.session(c.key)
		turn := chat.TurnID(c.p.user.Name)
		c.p.say(s.Key, "m1", "x").is(http.StatusAccepted, nil)
		b.claim(s.Key, turn)
		b.reply(s.Key, turn, "y")
		b.finish(s.Key, turn)
		var list messages.TurnsBody
		c.p.get(path(s.Key, "/turns")).is(http.StatusOK, &list)
		require.Len(t, list.Turns, 1)
		require.Equal(t, c.url, list.Turns[0].TemporalURL)
		require.Equal(t, chat.TurnDone, list.Turns[0].State)
		require.Equal(t, 1, list.Turns[0].Steps)
	}
}
