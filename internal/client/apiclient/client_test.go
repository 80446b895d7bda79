package apiclient_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/client/apiclient/apitest"
	"xbot/internal/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// echo says the message back in two pieces.
func echo(turn *apitest.Turn, text string) {
	turn.Say("You said: ")
	turn.Say(text)
	turn.Answer()
}

func setup(t *testing.T, script apitest.Script) (*apitest.Server, *apiclient.Client, chat.SessionKey) {
	t.Helper()
	server := apitest.New(t, script)
	client := server.Client()
	t.Cleanup(client.Close)
	session, err := client.CreateSession(t.Context(), apiclient.NewSession{Cwd: "/tmp"})
	require.NoError(t, err)
	require.Equal(t, "/tmp", session.Cwd)
	return server, client, session.Key
}

func TestClient_SendsAMessageOnceHoweverOftenItIsSent(t *testing.T) {
	t.Parallel()
	_, client, key := setup(t, echo)
	first, err := client.Send(t.Context(), key, "m1", "hello")
	require.NoError(t, err)
	again, err := client.Send(t.Context(), key, "m1", "hello")
	require.NoError(t, err)
	require.Equal(t, apiclient.Accepted{ID: first.ID, Duplicate: true}, again)
	_, err = client.Send(t.Context(), key, "m1", "other")
	require.Equal(t, fault.Conflict, fault.KindOf(err))
	require.EqualError(t, err, "This client_message_id was used for another text.")
}

func TestClient_ReadsSessionsAndTranscripts(t *testing.T) {
	t.Parallel()
	_, client, key := setup(t, echo)
	_, err := client.Send(t.Context(), key, "m1", "hello")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		turns, err := client.ListTurns(t.Context(), key, apiclient.ListTurnsParams{Limit: 5})
		return err == nil && len(turns) == 1 && turns[0].State == chat.TurnDone
	}, 5*time.Second, 5*time.Millisecond)
	transcript, err := client.ListMessages(t.Context(), key, apiclient.ListMessagesParams{})
	require.NoError(t, err)
	require.Len(t, transcript.Messages, 2)
	require.Equal(t, "You said: hello", transcript.Messages[1].Content)
	require.EqualValues(t, 5, transcript.Seq)

	renamed, err := client.UpdateSession(t.Context(), key, apiclient.Change{Title: new("greetings")})
	require.NoError(t, err)
	require.Equal(t, "greetings", renamed.Title)
	sessions, err := client.ListSessions(t.Context(), apiclient.ListSessionsParams{Q: "greet"})
	require.NoError(t, err)
	require.Len(t, sessions, 1)
	session, err := client.GetSession(t.Context(), key)
	require.NoError(t, err)
	require.Equal(t, sessions[0], session)
	me, err := client.Me(t.Context())
	require.NoError(t, err)
	require.Equal(t, "alice", me.User.Name)
}

func TestInspectSessions_FollowsEveryPage(t *testing.T) {
	t.Parallel()
	pages := map[string]string{
		"": `{"sessions":[{"key":"a"},{"key":"b"}],"next":"2026-11-22T10:00:00Z b&c"}`, "2026-11-22T10:00:00Z b&c": `{"sessions":[{"key":"c"}],"next":"last"}`, "last": `{"sessions":[]}`,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if channel := r.URL.Query().Get("channel"); channel != "feishu" {
			t.Errorf("each page is of the same conversations, not of channel %q", channel)
		}
		_, _ = w.Write([]byte(pages[r.URL.Query().Get("after")])) // the client sees what is missing
	}))
	t.Cleanup(server.Close)
	client := apiclient.New(apiclient.Endpoint{URL: server.URL, Token: "t"})
	t.Cleanup(client.Close)
	got, err := client.AllSessions(t.Context(), apiclient.InspectSessionsParams{Channel: "feishu"})
	require.NoError(t, err)
	require.Equal(t, []chat.SessionKey{"a", "b", "c"}, []chat.SessionKey{got[0].Key, got[1].Key, got[2].Key})
	require.Len(t, got, 3)
}

func TestClient_NamesWhatWentWrong(t *testing.T) {
	t.Parallel()
	server, client, _ := setup(t, echo)
	_, err := client.GetSession(t.Context(), "agent:main:web:thread:none")
	require.Equal(t, fault.NotFound, fault.KindOf(err))
	require.EqualError(t, err, "There is no such session.")

	stranger := apiclient.New(apiclient.Endpoint{URL: server.Endpoint().URL, Token: "wrong"})
	t.Cleanup(stranger.Close)
	_, err = stranger.Me(t.Context())
	require.Equal(t, fault.Denied, fault.KindOf(err))

	server.Stop()
	_, err = client.Me(t.Context())
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	require.ErrorContains(t, err, "cannot reach the server at http://127.0.0.1:")

	lost := apiclient.New(apiclient.Endpoint{URL: "://"})
	_, err = lost.Me(t.Context())
	require.Equal(t, fault.Invalid, fault.KindOf(err))
}

func TestClient_MapsTheStatusOfEveryProblem(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]fault.Kind{
		400: fault.Invalid, 422: fault.Invalid, 401: fault.Denied, 403: fault.Denied, 404: fault.NotFound,
		409: fault.Conflict, 413: fault.TooLarge, 429: fault.RateLimited, 500: fault.Internal, 503: fault.Unavailable,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(status)
			fmt.Fprint(w, `{"title":"Bad","errors":[{"message":"too long","location":"body.text"}]}`)
		}))
		client := apiclient.New(apiclient.Endpoint{URL: server.URL})
		_, err := client.Me(t.Context())
		require.Equal(t, want, fault.KindOf(err), status)
		require.EqualError(t, err, "Bad; body.text: too long")
		if want == fault.RateLimited {
			require.Equal(t, 7*time.Second, fault.After(err))
		}
		client.Close()
		server.Close()
	}
}

func TestSendUntilAccepted_WaitsForTheServer(t *testing.T) {
	t.Parallel()
	server, client, key := setup(t, echo)
	server.Stop()
	waits := 0
	accepted, err := client.SendUntilAccepted(t.Context(), key, "m1", "hello", func(err error, wait time.Duration) {
		require.Equal(t, fault.Unavailable, fault.KindOf(err))
		require.Positive(t, wait)
		if waits++; waits == 2 {
			require.NoError(t, server.Start())
		}
	})
	require.NoError(t, err)
	require.False(t, accepted.Duplicate)
	require.Equal(t, 2, waits)
}

func TestSendUntilAccepted_EndsWithItsContextAndWithErrorsThatStay(t *testing.T) {
	t.Parallel()
	server, client, key := setup(t, echo)
	_, err := client.SendUntilAccepted(t.Context(), key, "", "hello", nil)
	require.Equal(t, fault.Invalid, fault.KindOf(err))
	server.Stop()
	ctx, cancel := context.WithCancel(t.Context())
	_, err = client.SendUntilAccepted(ctx, key, "m1", "hello", func(error, time.Duration) { cancel() })
	require.ErrorIs(t, err, context.Canceled)
}

func TestWatch_ContinuesAcrossARestartWithoutLossOrRepetition(t *testing.T) {
	t.Parallel()
	gone, back := make(chan struct{}), make(chan struct{})
	server, client, key := setup(t, func(turn *apitest.Turn, text string) {
		turn.Say("before ")
		turn.Calls(chat.ToolCall{Name: "Shell", Arguments: "{}", Class: chat.ClassExec})
		turn.Wait(gone)
		turn.Run(0, "unheard")
		turn.Done(0, "unheard", false)
		turn.Wait(back)
		turn.Say("after")
		turn.Answer()
	})
	_, err := client.Send(t.Context(), key, "m1", "hello")
	require.NoError(t, err)

	var kinds []chat.EventKind
	var seqs []int64
	hellos, losses := 0, 0
	for u := range client.Watch(t.Context(), key, 0) {
		switch {
		case u.Hello != nil:
			if hellos++; hellos == 2 {
				close(back)
			}
		case u.Lost != nil:
			require.Positive(t, u.Retry)
			if losses++; losses == 1 {
				close(gone)
				require.Eventually(t, func() bool { return server.Session(key).Seq >= 6 }, time.Minute, time.Millisecond)
				require.NoError(t, server.Start())
			}
		case u.Event.Seq > 0:
			kinds, seqs = append(kinds, u.Event.Kind), append(seqs, u.Event.Seq)
			if len(kinds) == 4 { // queued, message, turn, message
				server.Stop()
			}
		}
		if len(kinds) == 8 {
			break
		}
	}
	require.Equal(t, []chat.EventKind{"queued", "message", "turn", "message", "tool", "tool", "message", "turn"}, kinds)
	require.Equal(t, []int64{1, 2, 3, 4, 5, 6, 7, 8}, seqs)
	require.GreaterOrEqual(t, losses, 1)
}

func TestWatch_GivesUpOnlyWhenWaitingCannotHelp(t *testing.T) {
	t.Parallel()
	server, client, _ := setup(t, echo)
	var updates []apiclient.Update
	for u := range client.Watch(t.Context(), "agent:main:web:thread:none", 0) {
		updates = append(updates, u)
	}
	require.Len(t, updates, 1)
	require.Equal(t, fault.NotFound, fault.KindOf(updates[0].Lost))
	require.Zero(t, updates[0].Retry)

	stranger := apiclient.New(apiclient.Endpoint{URL: server.Endpoint().URL, Token: "wrong"})
	t.Cleanup(stranger.Close)
	updates = nil
	for u := range stranger.Watch(t.Context(), "x", 0) {
		updates = append(updates, u)
	}
	require.Len(t, updates, 5, "a token may be new a moment after a restart")
	require.Zero(t, updates[4].Retry)
}

func TestWatch_EndsWithItsContext(t *testing.T) {
	t.Parallel()
	_, client, key := setup(t, echo)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for u := range client.Watch(ctx, key, 0) {
		require.NotNil(t, u.Hello)
		cancel()
	}
}

func TestWatch_SurvivesAnEventItCannotRead(t *testing.T) {
	t.Parallel()
	connections := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		connections++
		if connections == 1 {
			fmt.Fprint(w, "id: 3\nevent: message\ndata: {broken\n\n")
			return
		}
		fmt.Fprint(w, "id: 3\nevent: message\ndata: {}\n\n")
	}))
	defer server.Close()
	client := apiclient.New(apiclient.Endpoint{URL: server.URL})
	defer client.Close()
	for u := range client.Watch(t.Context(), "k", 2) {
		if u.Event != nil {
			require.Equal(t, chat.Event{Seq: 3, Kind: "message", Data: json.RawMessage("{}")}, *u.Event)
			break
		}
		require.Equal(t, fault.Internal, fault.KindOf(u.Lost))
	}
	require.Equal(t, 2, connections)
}
