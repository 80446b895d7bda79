package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/i18n"
)

// done sends a message and waits for the end of its turn.
func (k *talk) done(lines ...string) {
	k.t.Helper()
	require.Equal(k.t, chat.TurnDone, k.untilEnded(crashLimit, k.send(lines...)).State)
}

// rewinds counts the events that took messages out.
func (k *talk) rewinds() (n int) {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(k.t.Context(), crashLimit)
	defer cancel()
	seq := k.transcript().Seq
	for u := range k.client.Watch(ctx, k.key, 0) {
		if u.Event == nil {
			continue
		}
		if u.Event.Kind == chat.EventRewind {
			n++
		}
		if u.Event.Seq >= seq {
			return n
		}
	}
	require.NoError(k.t, ctx.Err())
	return n
}

func TestRewind_TakesItsPlaceAfterTheTurnThatRunsAndSurvivesAKillBeforeIt(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	k.done("say one")
	k.done("say two")
	running := k.send("stream 40 50ms")
	k.untilDelta(time.Minute)
	rewind := k.send("/rewind")
	after := k.send("say after")
	require.Len(t, k.transcript().Queued, 2, "it waits behind the turn, and what was sent later behind it")
	k.crash()
	restarted := time.Now()
	k.boot()
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, running).State)
	require.Equal(t, chat.TurnDone, k.recovered("rewind behind a stream", restarted, rewind).State)
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, after).State)

	require.Equal(t, []string{"one", "two", "after"}, k.answers(), "only the turn that ran is taken back")
	require.Equal(t, []string{i18n.Say(i18n.English, i18n.Rewound, 1, "stream 40 50ms")}, k.notices())
	require.Equal(t, 1, k.rewinds())
	k.wellFormed()
}

func TestRewind_ServerKilledAtRandomMomentsAfterItWasAcceptedIsDoneOnce(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	for _, text := range []string{"one", "two", "three", "four"} {
		k.done("say " + text)
	}
	for left := 3; left >= 1; left-- {
		pause := time.Duration(rand.IntN(60)) * time.Millisecond
		id := k.send("/rewind")
		moment := time.NewTimer(pause)
		<-moment.C
		k.crash()
		k.boot()
		require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
		require.Len(t, k.answers(), left, "killed %s after it was accepted, one message is taken back", pause)
		require.Len(t, k.notices(), 1, "the answers of the ones before were taken back with what they followed")
	}
	require.Equal(t, []string{"one"}, k.answers())
	k.wellFormed()
	k.done("say five")
	require.Equal(t, []string{"one", "five"}, k.answers())
}

func TestRewind_TheModelSeesNoMoreOfItAndEachRequestCanBeShownAgain(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	k.done("say keep")
	k.done(k.shell("echo a secret word"), "say gone")
	gone := k.transcript().Messages
	var asked chat.MessageID
	for _, m := range gone {
		if m.Role == chat.RoleUser {
			asked = m.ID
		}
	}
	accepted, err := k.client.RewindSession(t.Context(), k.key, apiclient.RewindBody{ClientMessageID: "rewind-1", MessageID: asked})
	require.NoError(t, err)
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, accepted.ID).State)
	again, err := k.client.RewindSession(t.Context(), k.key, apiclient.RewindBody{ClientMessageID: "rewind-1", MessageID: asked})
	require.NoError(t, err)
	require.Equal(t, apiclient.Accepted{ID: accepted.ID, Duplicate: true}, again)
	last := k.untilEnded(time.Minute, k.send("say new"))

	now, err := k.client.GetRequest(t.Context(), k.key, last.ID, 0)
	require.NoError(t, err)
	require.True(t, now.Exact)
	require.NotContains(t, fmt.Sprint(now.Messages), "secret")
	require.Contains(t, fmt.Sprint(now.Messages), "say keep")
	then, err := k.client.GetRequest(t.Context(), k.key, gone[len(gone)-1].Turn, 1)
	require.NoError(t, err)
	require.True(t, then.Exact, "a step that was taken back is shown as it was")
	require.Contains(t, fmt.Sprint(then.Messages), "a secret word")
}

func TestFork_GoesItsOwnWayAfterKillsAndWithoutItsOriginal(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	k := s.newTalk()
	k.done(k.shell("echo shared"), "say one")
	k.done("say two")
	running := k.send(k.shell("%s", k.untilFile("killed")), "say held")
	k.untilTool(time.Minute, chat.CallRunning)
	fork, err := k.client.ForkSession(t.Context(), k.key, 0)
	require.NoError(t, err)
	require.Equal(t, k.key, fork.ForkOf)
	k.crash()
	k.touch("killed")
	k.boot()
	copied := &talk{server: s, key: fork.Key}
	require.Equal(t, []string{"one", "two"}, copied.answers(), "without the turn that was running")
	turn := copied.untilEnded(crashLimit, copied.send("say three"))
	require.Equal(t, chat.TurnDone, turn.State)
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, running).State)

	sent, err := k.client.GetRequest(t.Context(), fork.Key, turn.ID, 0)
	require.NoError(t, err)
	require.True(t, sent.Exact)
	require.Contains(t, fmt.Sprint(sent.Messages), "shared", "the model sees the results of the original")
	require.Len(t, k.answers(), 3)
	require.NotContains(t, k.answers(), "three")

	require.NoError(t, deleteSession(t, s, k.key))
	copied.done("say four")
	require.Equal(t, []string{"one", "two", "three", "four"}, copied.answers())
}

// deleteSession deletes a conversation as the page does.
func deleteSession(t *testing.T, s *server, key chat.SessionKey) error {
	t.Helper()
	at, err := s.Endpoint(t.Context())
	require.NoError(t, err)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, strings.TrimSuffix(at.URL, "/")+"/api/sessions/"+string(key), nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+at.Token)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	require.Equal(t, http.StatusNoContent, resp.StatusCode)
	return nil
}
