package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/sessions"
	"xbot/internal/chat"
	"xbot/internal/chat/ops"
)

func TestInspect_IsForAdministrators(t *testing.T) {
	b := setup(t)
	for _, at := range []string{"/api/status", "/api/inspect/sessions", "/api/inspect/inbox", "/api/inspect/runs"} {
		require.Equal(t, "only administrators see what others do", b.bob.get(at).problem(http.StatusForbidden), at)
		b.alice.get(at).is(http.StatusOK, nil)
	}
}

func TestInspect_FindsConversationsOfOthersByUserChannelAndTime(t *testing.T) {
	b := setup(t)
	mine, his := b.alice.session("agent:main:web:thread:mine"), b.bob.session("agent:main:cli:thread:his")
	b.bob.say(his.Key, "m1", "hello there").is(http.StatusAccepted, nil)
	_, err := b.pool.Exec(t.Context(), `UPDATE sessions SET last_interaction_at = now() - interval '3 hours' WHERE key = $1`, mine.Key)
	require.NoError(t, err)
	for query, want := range map[string][]chat.SessionKey{
		"": {his.Key, mine.Key}, "?user=" + b.bob.user.Name: {his.Key}, "?channel=web": {mine.Key}, "?active=60": {his.Key}, "?user=nobody": {},
	} {
		var got struct{ Sessions []ops.SessionSummary }
		b.alice.get("/api/inspect/sessions"+query).is(http.StatusOK, &got)
		keys := []chat.SessionKey{}
		for _, s := range got.Sessions {
			keys = append(keys, s.Key)
		}
		require.Equal(t, want, keys, query)
	}
	var inbox struct{ Messages []ops.Unanswered }
	b.alice.get("/api/inspect/inbox").is(http.StatusOK, &inbox)
	require.Len(t, inbox.Messages, 1)
	require.Equal(t, []string{"hello there", ops.InboxWaiting, b.bob.user.Name}, []string{inbox.Messages[0].Words, inbox.Messages[0].State, inbox.Messages[0].User})
	b.bob.say(inbox.Messages[0].Session, "second", "hello again").is(http.StatusAccepted, nil)
	var first struct {
		Messages []ops.Unanswered
		More     bool
	}
	b.alice.get("/api/inspect/inbox?limit=1").is(http.StatusOK, &first)
	require.Len(t, first.Messages, 1)
	require.True(t, first.More)
	var status ops.Status
	b.alice.get("/api/status").is(http.StatusOK, &status)
	require.Equal(t, []int{2, 2}, []int{status.Sessions, status.Waiting})
	require.Equal(t, his.Key, status.Recent[0].Key)
	require.Equal(t, []string{"db.internal:5432/xbot", "/srv/xbot"}, []string{status.Database, status.Home})
	require.True(t, status.Copy, "whoever looks learns that bots and jobs rest")
}

func TestInspect_ConversationsComePageByPageWithoutOneMissing(t *testing.T) {
	b := setup(t)
	var want []chat.SessionKey
	for i := range 7 {
		want = append(want, b.alice.session(chat.SessionKey(fmt.Sprintf("agent:main:web:thread:%d", i))).Key)
	}
	_, err := b.pool.Exec(t.Context(), `UPDATE sessions SET last_interaction_at = '2026-11-22T10:00:00.123456Z' WHERE key < $1`, want[4]) // four at one time
	require.NoError(t, err)
	var got []chat.SessionKey
	for after, pages := "", 0; ; pages++ {
		var page struct {
			Sessions []ops.SessionSummary
			Next     string
		}
		b.alice.get("/api/inspect/sessions?limit=3&after="+url.QueryEscape(after)).is(http.StatusOK, &page)
		for _, s := range page.Sessions {
			got = append(got, s.Key)
		}
		if after = page.Next; after == "" {
			require.Equal(t, 2, pages)
			break
		}
	}
	require.ElementsMatch(t, want, got)
	require.Equal(t, want[:4], got[3:])
	b.alice.get("/api/inspect/sessions?after=nonsense").problem(http.StatusBadRequest)
}

func TestInspect_SaysHowFullTheWindowOfAConversationIs(t *testing.T) {
	b := setup(t)
	his := b.bob.session("agent:main:web:thread:his")
	b.bob.say(his.Key, "m1", "hello there").is(http.StatusAccepted, nil)
	b.claim(his.Key, "t1")
	_, err := b.pool.Exec(t.Context(), `INSERT INTO messages (session_key, turn_id, step, role, content, model, prompt_tokens, completion_tokens)
		VALUES ($1, 't1', 0, 'assistant', 'hello', 'demo/demo', 1200, 34)`, his.Key)
	require.NoError(t, err)
	var got struct{ Sessions []map[string]any }
	b.alice.get("/api/inspect/sessions").is(http.StatusOK, &got)
	require.EqualValues(t, 1234, got.Sessions[0]["context_tokens"])
	require.NotZero(t, got.Sessions[0]["context_max"])
}

func TestExport_IsReadByItsOwnerAndByAdministratorsAndCanBeImported(t *testing.T) {
	b := setup(t)
	his := b.bob.session("agent:main:web:thread:his")
	b.bob.say(his.Key, "m1", "hello there").is(http.StatusAccepted, nil)
	b.claim(his.Key, "t1")
	text := string(b.bob.get(path(his.Key, "/export")).body)
	require.Contains(t, text, `"hello there"`)
	require.Equal(t, text, string(b.alice.get(path(his.Key, "/export?format=jsonl")).body))
	require.Contains(t, string(b.bob.get(path(his.Key, "/export?format=md")).body), "**user**")
	mine := b.alice.session("agent:main:web:thread:mine")
	b.bob.get(path(mine.Key, "/export")).problem(http.StatusNotFound)

	var made sessions.Imported
	at := "/api/sessions/import?" + url.Values{"key": {"agent:main:web:thread:copy"}}.Encode()
	b.bob.post(at, text).is(http.StatusCreated, &made)
	require.Equal(t, "hello there", made.Session.Title)
	require.Contains(t, b.bob.post(at, text).problem(http.StatusConflict), "there is a session")
	require.Contains(t, b.bob.post("/api/sessions/import", "{}").problem(http.StatusBadRequest), "line 1 does not describe a session")
	require.Contains(t, b.bob.post("/api/sessions/import?key=agent:main:feishu:group:x", text).problem(http.StatusBadRequest), "belong to one of the channels")
	require.Equal(t, 1, strings.Count(string(b.bob.get(path(made.Session.Key, "/export")).body), "hello there\"}]"))
}
