package api_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/feed"
	"xbot/internal/tool"
	"xbot/internal/tool/clientcontrol"
	"xbot/internal/user/users"
)

const (
	aPage     = "Page1234"
	otherPage = "Page5678"
)

// steering is a call of tui_control in a turn of alice's.
type steering struct {
	*bundle
	key  chat.SessionKey
	call chat.CallID
}

// steers opens a turn for a message of a client whose model calls tui_control.
func (b *bundle) steers(message string) steering {
	b.t.Helper()
	s := b.alice.session("agent:main:web:thread:steered")
	b.alice.say(s.Key, message, "show me").is(http.StatusAccepted, nil)
	b.claim(s.Key, "t1")
	step := chat.Step{Session: s.Key, Turn: "t1"}
	_, _, _, err := b.store.Turns.BeginStep(b.t.Context(), step)
	require.NoError(b.t, err)
	call := chat.ToolCall{ID: "t1.0.0", Name: clientcontrol.Name, Class: chat.ClassIdempotent, State: chat.CallOpen}
	_, err = b.store.Turns.CommitStep(b.t.Context(), step, chat.Answer{Finish: "tool_calls", Calls: []chat.ToolCall{call}})
	require.NoError(b.t, err)
	return steering{b, s.Key, call.ID}
}

// ran is what a run of a tool has come to.
type ran struct {
	result chat.ToolResult
	err    error
}

// run runs the call in a worker whose feed is another one than the server's, if it is given.
func (s steering) run(bus *feed.Bus, arguments string) <-chan ran {
	if bus == nil {
		bus = s.bus
	}
	out := make(chan ran, 1)
	go func() {
		result, err := clientcontrol.New(s.store.ClientActions, s.store.Conversations, bus).Run(s.t.Context(), tool.Call{ID: s.call, Session: s.key, User: s.alice.user.ID, Arguments: arguments})
		out <- ran{result, err}
	}()
	return out
}

func (s steering) says(out <-chan ran, failed bool, text string) {
	s.t.Helper()
	select {
	case got := <-out:
		require.NoError(s.t, got.err)
		require.Equal(s.t, failed, got.result.IsError, got.result.Content)
		require.Contains(s.t, got.result.Content, text)
	case <-time.After(limit):
		require.Fail(s.t, "the call did not end")
	}
}

func (s steering) answers(p *person, client, outcome, reason string) answer {
	body := object{"client": client, "outcome": outcome}
	if reason != "" {
		body["reason"] = reason
	}
	if outcome != "taking" { // whether it gets it or not
		p.post(path(s.key, "/actions/"+string(s.call)), object{"client": client, "outcome": "taking"})
	}
	return p.post(path(s.key, "/actions/"+string(s.call)), body)
}

// action waits for an action.
func (s *stream) action() (a chat.ClientAction) {
	s.t.Helper()
	for {
		if e := s.next(); e.Kind == chat.EventAction {
			require.Zero(s.t, e.Seq)
			require.NoError(s.t, json.Unmarshal(e.Data, &a))
			return a
		}
	}
}

// hears reports whether a stream has brought an action.
func (s *stream) hears() bool {
	for {
		select {
		case e := <-s.events:
			if e.Kind == chat.EventAction {
				return true
			}
		default:
			return false
		}
	}
}

const dark = `{"action":"theme","value":"dark"}`

func TestActions_ReachTheClientOfTheMessageAloneAndItsAnswerIsTheResult(t *testing.T) {
	for name, open := range map[string]func(p *person, key chat.SessionKey, query string) *stream{
		"SSE":       func(p *person, key chat.SessionKey, query string) *stream { return p.sse(key, query) },
		"WebSocket": (*person).socket,
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			s := b.steers(aPage + ".m1")
			page, other, script := open(b.alice, s.key, "?client="+aPage), open(b.alice, s.key, "?client="+otherPage), open(b.alice, s.key, "")
			page.hello()
			other.hello()
			script.hello()
			out := s.run(nil, dark)
			require.Equal(t, chat.ClientAction{Call: s.call, Action: "theme", Value: "dark"}, page.action())
			require.Contains(t, s.answers(b.alice, otherPage, "done", "").problem(http.StatusNotFound), "no such action")
			s.answers(b.alice, aPage, "done", "").is(http.StatusNoContent, nil)
			s.says(out, false, "Done.")
			s.answers(b.alice, aPage, "done", "").is(http.StatusNoContent, nil)
			s.answers(b.alice, aPage, "refused", "not_now").problem(http.StatusConflict)
			require.False(t, other.hears())
			require.False(t, script.hears())
		})
	}
}

func TestActions_ARefusalSaysWhy(t *testing.T) {
	b := setup(t)
	s := b.steers(aPage + ".m1")
	page := b.alice.sse(s.key, "?client="+aPage)
	out := s.run(nil, `{"action":"layout","what":"sidebar","value":"hide"}`)
	page.action()
	s.answers(b.alice, aPage, "refused", "").problem(http.StatusBadRequest)
	s.answers(b.alice, aPage, "done", "not_now").problem(http.StatusBadRequest)
	s.answers(b.alice, aPage, "refused", "not_supported").is(http.StatusNoContent, nil)
	s.says(out, true, "it has no such thing")
}

func TestActions_AClientThatComesBackIsToldUntilItHasAnswered(t *testing.T) {
	b := setup(t)
	s := b.steers(aPage + ".m1")
	out := s.run(feed.New(slog.New(slog.DiscardHandler)), dark) // of a worker whose events do not reach the server
	require.Eventually(t, func() bool {
		var stored bool
		err := b.pool.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM client_actions WHERE call_id = $1)", s.call).Scan(&stored)
		return err == nil && stored
	}, limit, time.Millisecond, "the worker stores no action")
	page := b.alice.sse(s.key, "?client="+aPage)
	page.action()
	page.close()
	again := b.alice.sse(s.key, "?client="+aPage)
	require.Equal(t, s.call, again.action().Call)
	s.answers(b.alice, aPage, "done", "").is(http.StatusNoContent, nil)
	s.says(out, false, "Done.")
	s.says(s.run(nil, dark), false, "Done.") // a second run of the call asks nobody again
	last := b.alice.sse(s.key, "?client="+aPage)
	last.hello()
	last.settles()
	require.False(t, last.hears())
}

// settles waits until the stream has been pinged, which comes after all that was there.
func (s *stream) settles() {
	s.t.Helper()
	select {
	case <-s.pings:
	case <-time.After(limit):
		require.Fail(s.t, "no ping came")
	}
}

func TestActions_NobodyListensAndWhoComesLaterIsNotSurprised(t *testing.T) {
	b := setup(t)
	s := b.steers(aPage + ".m1")
	b.ages(s.call, 5*time.Second, s.run(nil, dark), "no page or terminal of the user shows this conversation")
	page := b.alice.sse(s.key, "?client="+aPage)
	page.hello()
	page.settles()
	require.False(t, page.hears())
	s.answers(b.alice, aPage, "done", "").problem(http.StatusConflict)
}

func TestActions_AnAnswerThatDoesNotComeIsNotTakenForOne(t *testing.T) {
	b := setup(t)
	s := b.steers(aPage + ".m1")
	page, out := b.alice.sse(s.key, "?client="+aPage), s.run(nil, dark)
	page.action()
	b.ages(s.call, 11*time.Second, out, "whether it was done is unknown")
	s.answers(b.alice, aPage, "done", "").problem(http.StatusConflict)
}

// ages lets time pass for an action once it is there, and waits for what the call says.
func (b *bundle) ages(call chat.CallID, by time.Duration, out <-chan ran, text string) {
	b.t.Helper()
	require.Eventually(b.t, func() bool {
		tag, err := b.pool.Exec(b.t.Context(), "UPDATE client_actions SET created_at = created_at - $2::float8 * interval '1 second' WHERE call_id = $1", call, by.Seconds())
		require.NoError(b.t, err)
		return tag.RowsAffected() == 1
	}, limit, 10*time.Millisecond)
	steering{bundle: b}.says(out, true, text)
}

func TestActions_AMessageOfNoClientAsksNobody(t *testing.T) {
	for _, id := range []string{"m1", "short.m1", "with-dash-1.m1", ".m1"} {
		t.Run(id, func(t *testing.T) {
			s := setup(t).steers(id)
			s.says(s.run(nil, dark), true, "no page or terminal that can be asked")
		})
	}
}

func TestActions_TheNewestMessageOfTheTurnSaysWhichClient(t *testing.T) {
	b := setup(t)
	s := b.steers(aPage + ".m1")
	_, err := b.pool.Exec(t.Context(), "INSERT INTO messages (session_key, turn_id, role, content, client_message_id) VALUES ($1, 't1', 'user', 'more', $2)", s.key, otherPage+".m2")
	require.NoError(t, err)
	page, other := b.alice.sse(s.key, "?client="+aPage), b.alice.sse(s.key, "?client="+otherPage)
	out := s.run(nil, dark)
	other.action()
	s.answers(b.alice, otherPage, "done", "").is(http.StatusNoContent, nil)
	s.says(out, false, "Done.")
	require.False(t, page.hears())
}

func TestActions_NobodyElseSeesOrAnswersThem(t *testing.T) {
	b := setup(t)
	s := b.steers(aPage + ".m1")
	boss, err := b.store.Users.CreateUser(t.Context(), "boss", users.RoleAdmin)
	require.NoError(t, err)
	reader := b.person(boss).sse(s.key, "?client="+aPage) // administrators may read along
	reader.hello()
	page := b.alice.sse(s.key, "?client="+aPage)
	out := s.run(nil, dark)
	page.action()
	require.Equal(t, http.StatusNotFound, s.answers(b.bob, aPage, "done", "").status)
	require.Equal(t, http.StatusNotFound, s.answers(b.person(boss), aPage, "done", "").status)
	b.do(b.bob, http.MethodGet, path(s.key, "/events?client="+aPage), nil).problem(http.StatusNotFound)
	b.do(nil, http.MethodPost, path(s.key, "/actions/"+string(s.call)), object{"client": aPage, "outcome": "done"}).problem(http.StatusUnauthorized)
	other := b.alice.session("agent:main:web:thread:other")
	b.alice.post(path(other.Key, "/actions/"+string(s.call)), object{"client": aPage, "outcome": "done"}).problem(http.StatusNotFound)
	s.answers(b.alice, aPage, "done", "").is(http.StatusNoContent, nil)
	s.says(out, false, "Done.")
	require.False(t, reader.hears())
}

func TestActions_OpenNoConversationOfSomebodyElse(t *testing.T) {
	b := setup(t)
	s := b.steers(aPage + ".m1")
	his := b.bob.session("agent:main:web:thread:his")
	for _, key := range []chat.SessionKey{his.Key, "agent:main:web:thread:none", "no key"} {
		s.says(s.run(nil, fmt.Sprintf(`{"action":"open","what":"conversation","value":%q}`, key)), true, "the user has no conversation")
	}
	page := b.alice.sse(s.key, "?client="+aPage)
	hers := b.alice.session("agent:main:web:thread:more")
	out := s.run(nil, fmt.Sprintf(`{"action":"open","what":"conversation","value":%q}`, hers.Key))
	require.Equal(t, string(hers.Key), page.action().Value)
	s.answers(b.alice, aPage, "done", "").is(http.StatusNoContent, nil)
	s.says(out, false, "Done.")
}

func TestActions_ClientsHaveNamesOfLettersAndDigits(t *testing.T) {
	b := setup(t)
	s := b.alice.session("agent:main:web:thread:named")
	for _, bad := range []string{"short", "with%20space1", "a.bcdefgh"} {
		require.Equal(t, http.StatusUnprocessableEntity, b.alice.get(path(s.Key, "/events?client="+bad)).status, bad)
		require.Equal(t, http.StatusBadRequest, b.alice.get(path(s.Key, "/ws?client="+bad)).status, bad)
	}
}

func TestActions_OneOfTwoCopiesOfATabTakesThem(t *testing.T) {
	b := setup(t)
	s := b.steers(aPage + ".m1")
	page, twin := b.alice.sse(s.key, "?client="+aPage), b.alice.sse(s.key, "?client="+aPage)
	out := s.run(nil, dark)
	page.action()
	twin.action()
	at := path(s.key, "/actions/"+string(s.call))
	require.Contains(t, b.alice.post(at, object{"client": aPage, "outcome": "done"}).problem(http.StatusConflict), "take the action first")
	s.answers(b.alice, aPage, "taking", "").is(http.StatusNoContent, nil)
	require.Contains(t, s.answers(b.alice, aPage, "taking", "").problem(http.StatusConflict), "taken before")
	b.alice.post(at, object{"client": aPage, "outcome": "done"}).is(http.StatusNoContent, nil)
	s.says(out, false, "Done.")
}

func TestActions_AreNotTakenOnceNobodyWaits(t *testing.T) {
	b := setup(t)
	s := b.steers(aPage + ".m1")
	page, out := b.alice.sse(s.key, "?client="+aPage), s.run(nil, dark)
	page.action()
	b.ages(s.call, 11*time.Second, out, "whether it was done is unknown")
	require.Contains(t, s.answers(b.alice, aPage, "taking", "").problem(http.StatusConflict), "nobody waits")
}

func TestActions_AreNotTakenOnceTheTurnIsToStop(t *testing.T) {
	b := setup(t)
	s := b.steers(aPage + ".m1")
	page := b.alice.sse(s.key, "?client="+aPage)
	s.run(nil, dark)
	page.action()
	b.alice.say(s.key, "m2", "/stop").is(http.StatusAccepted, nil)
	require.Contains(t, s.answers(b.alice, aPage, "taking", "").problem(http.StatusConflict), "nobody waits")
	again := b.alice.sse(s.key, "?client="+aPage)
	again.hello()
	again.settles()
	require.False(t, again.hears())
}

func TestActions_AreNotTakenOnceTheCallHasEnded(t *testing.T) {
	b := setup(t)
	s := b.steers(aPage + ".m1")
	page := b.alice.sse(s.key, "?client="+aPage)
	s.run(nil, dark)
	page.action()
	require.NoError(t, b.store.Calls.FinishCall(t.Context(), s.call, chat.ToolResult{Content: "ended", IsError: true}))
	require.Contains(t, s.answers(b.alice, aPage, "taking", "").problem(http.StatusConflict), "nobody waits")
}

func TestActions_ATokenThatOnlyReadsIsSentNone(t *testing.T) {
	b := setup(t)
	s := b.steers(aPage + ".m1")
	reads := b.alice.by(users.ScopeRead).sse(s.key, "?client="+aPage)
	b.ages(s.call, 5*time.Second, s.run(nil, dark), "no page or terminal of the user shows this conversation")
	reads.hello()
	require.False(t, reads.hears())
}
