package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/require"

	"xbot/ingress/api/events"
	"xbot/ingress/auth"
	"xbot/internal/chat"
	"xbot/internal/store"
	"xbot/internal/turn/engine"
)

// stream is an open event stream, whatever carries it.
type stream struct {
	t      *testing.T
	events chan chat.Event
	pings  chan struct{}
	ended  chan struct{} // closed when the server or the test ended it
	close  func()
}

func newStream(t *testing.T) *stream {
	return &stream{t: t, events: make(chan chat.Event, 10_000), pings: make(chan struct{}, 10_000), ended: make(chan struct{})}
}

// sse opens an event stream. Headers are pairs.
func (p *person) sse(key chat.SessionKey, query string, headers ...string) *stream {
	p.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+path(key, "/events"+query), nil)
	require.NoError(p.t, err)
	r.Header.Set("Authorization", "Bearer "+p.token)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	require.NoError(p.t, err)
	require.Equal(p.t, http.StatusOK, resp.StatusCode)
	require.Equal(p.t, "text/event-stream; charset=utf-8", resp.Header.Get("Content-Type"))
	s := newStream(p.t)
	go func() {
		defer close(s.ended)
		defer resp.Body.Close()
		var e chat.Event
		lines := bufio.NewScanner(resp.Body)
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "id":
				e.Seq, _ = strconv.ParseInt(value, 10, 64) // 0 shows in the test
			case "event":
				e.Kind = chat.EventKind(value)
			case "data":
				e.Data = json.RawMessage(value)
			case "":
				if value == "ping" {
					s.pings <- struct{}{}
				} else if e.Kind != "" {
					s.events <- e
					e = chat.Event{}
				}
			}
		}
	}()
	s.close = func() { cancel(); <-s.ended }
	p.t.Cleanup(s.close)
	return s
}

// socket opens the same over a WebSocket.
func (p *person) socket(key chat.SessionKey, query string) *stream {
	p.t.Helper()
	url := "ws" + strings.TrimPrefix(p.url, "http") + path(key, "/ws"+query)
	conn, resp, err := websocket.DefaultDialer.Dial(url, http.Header{"Authorization": {"Bearer " + p.token}})
	require.NoError(p.t, err)
	require.NoError(p.t, resp.Body.Close())
	s := newStream(p.t)
	conn.SetPingHandler(func(text string) error {
		s.pings <- struct{}{}
		return conn.WriteControl(websocket.PongMessage, []byte(text), time.Now().Add(time.Second))
	})
	go func() {
		defer close(s.ended)
		for {
			var e chat.Event
			if conn.ReadJSON(&e) != nil {
				return
			}
			s.events <- e
		}
	}()
	s.close = func() { _ = conn.Close(); <-s.ended } // it may be closed already
	p.t.Cleanup(s.close)
	return s
}

func (s *stream) next() chat.Event {
	s.t.Helper()
	select {
	case e := <-s.events:
		return e
	case <-time.After(limit):
		require.Fail(s.t, "no event came")
		return chat.Event{}
	}
}

// hello takes the first event of a connection.
func (s *stream) hello() (h events.Hello) {
	s.t.Helper()
	e := s.next()
	require.Equal(s.t, chat.EventKind("hello"), e.Kind)
	require.Zero(s.t, e.Seq)
	require.NoError(s.t, json.Unmarshal(e.Data, &h))
	return h
}

// until takes events until one of a sequence.
func (s *stream) until(seq int64) (out []chat.Event) {
	s.t.Helper()
	for {
		e := s.next()
		out = append(out, e)
		if e.Seq == seq {
			return out
		}
	}
}

func (s *stream) isEnded() {
	s.t.Helper()
	select {
	case <-s.ended:
	case <-time.After(limit):
		require.Fail(s.t, "the stream goes on")
	}
}

// open is each way to watch a session.
var open = map[string]func(p *person, key chat.SessionKey, query string) *stream{
	"events": func(p *person, key chat.SessionKey, query string) *stream { return p.sse(key, query) },
	"socket": func(p *person, key chat.SessionKey, query string) *stream { return p.socket(key, query) },
}

// both runs a test for each way to watch.
func both(t *testing.T, test func(t *testing.T, b *bundle, watch func(p *person, key chat.SessionKey, query string) *stream)) {
	t.Helper()
	for name, watch := range open {
		t.Run(name, func(t *testing.T) { test(t, setup(t), watch) })
	}
}

func seqs(events []chat.Event) (out []int64) {
	for _, e := range events {
		if e.Seq > 0 {
			out = append(out, e.Seq)
		}
	}
	return out
}

func TestWatch_TellsTheLifeOfAMessageInItsOrder(t *testing.T) {
	both(t, func(t *testing.T, b *bundle, watch func(*person, chat.SessionKey, string) *stream) {
		s := b.alice.session("agent:main:web:thread:mine")
		w := watch(b.alice, s.Key, "")
		require.Equal(t, events.Hello{Seq: 0, Session: s}, w.hello())
		b.alice.say(s.Key, "m1", "line one\nline two").is(http.StatusAccepted, nil)
		b.claim(s.Key, "t1")
		b.bus.PublishDelta(s.Key, chat.Delta{Turn: "t1", Attempt: 1, Text: "ans"})
		b.bus.PublishDelta(s.Key, chat.Delta{Turn: "t1", Attempt: 1, Offset: 3, Text: "wer"})
		b.reply(s.Key, "t1", "answer")
		b.finish(s.Key, "t1")
		events := w.until(5)
		var kinds []string
		for _, e := range events {
			kinds = append(kinds, string(e.Kind))
			require.Equal(t, e.Kind == chat.EventDelta, e.Seq == 0, "durable events carry an id, live ones none")
		}
		require.Equal(t, []int64{1, 2, 3, 4, 5}, seqs(events))
		require.Equal(t, "queued message turn message turn", strings.Join(without(kinds, "delta"), " "))
		first := slices.IndexFunc(events, func(e chat.Event) bool { return e.Seq == 1 }) // live ones may come before it
		require.Contains(t, string(events[first].Data), `line one\nline two`)
	})
}

func without(kinds []string, kind string) (out []string) {
	for _, k := range kinds {
		if k != kind {
			out = append(out, k)
		}
	}
	return out
}

func TestWatch_AReconnectBringsExactlyWhatWasMissed(t *testing.T) {
	both(t, func(t *testing.T, b *bundle, watch func(*person, chat.SessionKey, string) *stream) {
		s := b.alice.session("agent:main:web:thread:mine")
		for i := range 30 {
			b.alice.say(s.Key, fmt.Sprint(i), fmt.Sprint("text ", i)).is(http.StatusAccepted, nil)
		}
		first := watch(b.alice, s.Key, "")
		first.hello()
		seen := first.until(17)
		first.close()
		_, err := b.store.Turns.Stop(t.Context(), engine.NewRow{Session: s.Key, User: b.alice.user.ID, Channel: "web", PlatformID: "s"}, "en")
		require.NoError(t, err)
		second := watch(b.alice, s.Key, "?after=17")
		require.Equal(t, int64(60), second.hello().Seq)
		seen = append(seen, second.until(60)...)
		want := make([]int64, 60)
		for i := range want {
			want[i] = int64(i + 1)
		}
		require.Equal(t, want, seqs(seen), "nothing missing, nothing twice")
	})
}

func TestWatch_TheLastEventIDOfABrowserWins(t *testing.T) {
	b := setup(t)
	s := b.alice.session("agent:main:web:thread:mine")
	for i := range 5 {
		b.alice.say(s.Key, fmt.Sprint(i), "x").is(http.StatusAccepted, nil)
	}
	w := b.alice.sse(s.Key, "?after=1", "Last-Event-ID", "3")
	w.hello()
	require.Equal(t, []int64{4, 5}, seqs(w.until(5)))
	for _, nonsense := range []string{"x", "", "-7"} {
		w = b.alice.sse(s.Key, "?after=4", "Last-Event-ID", nonsense)
		w.hello()
		require.Contains(t, seqs(w.until(5)), int64(5))
	}
}

func TestWatch_BringsMoreThanOneBatch(t *testing.T) {
	both(t, func(t *testing.T, b *bundle, watch func(*person, chat.SessionKey, string) *stream) {
		s := b.alice.session("agent:main:web:thread:mine")
		for i := range 401 {
			title := fmt.Sprint(i)
			require.NoError(t, b.store.Conversations.UpdateSession(t.Context(), s.Key, &title, nil))
		}
		w := watch(b.alice, s.Key, "")
		w.hello()
		require.Len(t, seqs(w.until(401)), 401)
	})
}

func TestWatch_ALateComerGetsTheRowsFirstAndThenWhatIsLive(t *testing.T) {
	both(t, func(t *testing.T, b *bundle, watch func(*person, chat.SessionKey, string) *stream) {
		s := b.alice.session("agent:main:web:thread:mine")
		b.alice.say(s.Key, "m1", "x").is(http.StatusAccepted, nil)
		b.claim(s.Key, "t1")
		b.bus.PublishDelta(s.Key, chat.Delta{Turn: "t1", Attempt: 1, Text: "so "})
		b.bus.PublishDelta(s.Key, chat.Delta{Turn: "t1", Attempt: 1, Offset: 3, Text: "far"})
		w := watch(b.alice, s.Key, "")
		require.Equal(t, chat.TurnID("t1"), w.hello().Session.Running)
		require.Len(t, w.until(3), 3)
		var d chat.Delta
		require.NoError(t, json.Unmarshal(w.next().Data, &d))
		require.Equal(t, "so far", d.Text)
	})
}

// TestWatch_NoPieceFollowsTheMessageThatBringsTheWhole writes many short answers and looks at the order in which a
// watcher gets the pieces of a text and the text.
func TestWatch_NoPieceFollowsTheMessageThatBringsTheWhole(t *testing.T) {
	both(t, func(t *testing.T, b *bundle, watch func(*person, chat.SessionKey, string) *stream) {
		s := b.alice.session("agent:main:web:thread:mine")
		w := watch(b.alice, s.Key, "")
		w.hello()
		const turns = 30
		for i := range turns {
			turn := chat.TurnID(fmt.Sprint("t", i))
			_, err := b.store.Turns.Accept(t.Context(), engine.NewRow{Session: s.Key, User: b.alice.user.ID, Channel: "web", PlatformID: fmt.Sprint(i), Text: "x"})
			require.NoError(t, err)
			b.claim(s.Key, turn)
			stream := b.bus.NewStream(s.Key, turn, 0, 1)
			for range 20 {
				stream.Text("piece ")
			}
			stream.Close()
			b.reply(s.Key, turn, "whole")
			b.finish(s.Key, turn)
		}
		settled := map[chat.TurnID]bool{}
		for _, e := range w.until(5 * turns) {
			switch e.Kind {
			case chat.EventMessage:
				var m chat.Message
				require.NoError(t, json.Unmarshal(e.Data, &m))
				settled[m.Turn] = settled[m.Turn] || m.Role == chat.RoleAssistant
			case chat.EventDelta:
				var d chat.Delta
				require.NoError(t, json.Unmarshal(e.Data, &d))
				require.False(t, settled[d.Turn], "a piece of %s came after its message", d.Turn)
			}
		}
		require.Len(t, settled, turns)
	})
}

func TestWatch_FindsWhatNobodyWokeItFor(t *testing.T) {
	b := setup(t)
	s := b.alice.session("agent:main:web:thread:mine")
	w := b.alice.sse(s.Key, "")
	w.hello()
	silent := store.New(b.pool, store.Options{}) // of a process that was killed between its commit and its wake
	_, err := silent.Turns.Accept(t.Context(), engine.NewRow{Session: s.Key, User: b.alice.user.ID, Channel: "web", PlatformID: "m1", Text: "x"})
	require.NoError(t, err)
	w.until(1)
}

func TestWatch_SaysThatItIsAlive(t *testing.T) {
	both(t, func(t *testing.T, b *bundle, watch func(*person, chat.SessionKey, string) *stream) {
		w := watch(b.alice, b.alice.session("agent:main:web:thread:mine").Key, "")
		for range 3 {
			select {
			case <-w.pings:
			case <-time.After(limit):
				require.Fail(t, "no ping came")
			}
		}
	})
}

func TestWatch_EndsWithTheRightToWatch(t *testing.T) {
	for what, end := range map[string]func(b *bundle, s chat.Session){
		"the token is revoked": func(b *bundle, _ chat.Session) {
			tokens, err := b.store.Users.Tokens(b.t.Context(), b.alice.user.ID)
			require.NoError(b.t, err)
			require.NoError(b.t, b.store.Users.RevokeToken(b.t.Context(), b.alice.user.ID, tokens[0].ID))
		},
		"the session is deleted": func(b *bundle, s chat.Session) { b.alice.delete(path(s.Key, "")).is(http.StatusNoContent, nil) },
		"the server stops":       func(b *bundle, _ chat.Session) { close(b.closing) },
	} {
		t.Run(what, func(t *testing.T) {
			both(t, func(t *testing.T, b *bundle, watch func(*person, chat.SessionKey, string) *stream) {
				s := b.alice.session("agent:main:web:thread:mine")
				w := watch(b.alice, s.Key, "")
				w.hello()
				end(b, s)
				w.isEnded()
			})
		})
	}
}

func TestWatch_LinksTurnsToTemporalForAdministratorsOnly(t *testing.T) {
	b := setup(t)
	for _, p := range []*person{b.alice, b.bob} {
		s := p.session(chat.SessionKey("agent:main:web:thread:" + p.user.Name))
		p.say(s.Key, "m1", "x").is(http.StatusAccepted, nil)
		turn := chat.TurnID(p.user.Name)
		b.claim(s.Key, turn)
		w := p.sse(s.Key, "")
		w.hello()
		var got chat.Turn
		events := w.until(3)
		require.NoError(t, json.Unmarshal(events[2].Data, &got))
		require.Equal(t, p == b.alice, got.TemporalURL != "")
	}
}

func TestSocket_OfAnotherSitesPageIsRefused(t *testing.T) {
	b := setup(t)
	s := b.alice.session("agent:main:web:thread:mine")
	page := b.browser()
	link, err := b.auth.NewLink(t.Context(), b.alice.user.ID, b.url)
	require.NoError(t, err)
	_, token, _ := strings.Cut(link, "#token=")
	page.do(http.MethodPost, "/api/login", `{"token":"`+token+`"}`).is(http.StatusOK, nil)
	dialer := websocket.Dialer{Jar: page.client.Jar}
	url := "ws" + strings.TrimPrefix(b.url, "http") + path(s.Key, "/ws")
	_, resp, err := dialer.Dial(url, http.Header{"Origin": {"http://evil.example"}})
	require.Error(t, err)
	require.Equal(t, http.StatusForbidden, resp.StatusCode)
	_, resp, err = dialer.Dial(url, http.Header{"Origin": {b.url}})
	require.Error(t, err, "the cookie is not enough")
	require.Equal(t, http.StatusUnauthorized, resp.StatusCode)
	conn, resp, err := dialer.Dial(url, http.Header{"Origin": {b.url}, auth.PageHeader: {page.key}})
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.NoError(t, conn.Close())
}

func TestSocket_AClientThatTalksTooMuchIsCutOff(t *testing.T) {
	b := setup(t)
	s := b.alice.session("agent:main:web:thread:mine")
	url := "ws" + strings.TrimPrefix(b.url, "http") + path(s.Key, "/ws")
	conn, resp, err := websocket.DefaultDialer.Dial(url, http.Header{"Authorization": {"Bearer " + b.alice.token}})
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	defer conn.Close()
	_ = conn.WriteMessage(websocket.TextMessage, make([]byte, 1<<20)) // the server may close before all was written
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(limit)))
	for {
		if _, _, err := conn.ReadMessage(); err != nil {
			require.NotErrorIs(t, err, context.DeadlineExceeded)
			require.NotContains(t, err.Error(), "timeout")
			return
		}
	}
}

func TestWatch_SaysWhereEventsAfterTheCursorWerePruned(t *testing.T) {
	both(t, func(t *testing.T, b *bundle, watch func(*person, chat.SessionKey, string) *stream) {
		s := b.alice.session("agent:main:web:thread:mine")
		for i := range 4 {
			b.alice.say(s.Key, fmt.Sprint(i), fmt.Sprint("text ", i)).is(http.StatusAccepted, nil)
		}
		require.False(t, watch(b.alice, s.Key, "?after=1").hello().Gap, "all is there")
		_, err := b.pool.Exec(t.Context(), "DELETE FROM feed_events WHERE session_key = $1 AND seq <= 3", s.Key)
		require.NoError(t, err)
		require.True(t, watch(b.alice, s.Key, "?after=1").hello().Gap)
		require.False(t, watch(b.alice, s.Key, "?after=3").hello().Gap, "what is after the cursor is there")
		_, err = b.pool.Exec(t.Context(), "DELETE FROM feed_events WHERE session_key = $1", s.Key)
		require.NoError(t, err)
		require.True(t, watch(b.alice, s.Key, "?after=3").hello().Gap, "nothing is left")
		require.False(t, watch(b.alice, s.Key, "?after=4").hello().Gap, "nothing was missed")
	})
}
