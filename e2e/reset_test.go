package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/i18n"
)

// dividers returns what stands where the conversation began anew.
func (k *talk) dividers() (out []string) {
	k.t.Helper()
	for _, m := range k.transcript().Messages {
		if m.Role == chat.RoleNotice && m.Origin == chat.OriginReset {
			out = append(out, m.Content)
		}
	}
	return out
}

func TestReset_TakesItsPlaceWithItsMessageAndSurvivesAKillBeforeIt(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	k.done("# a secret word", "say one")
	old := k.transcript().Messages
	k.queue("followup")
	running := k.send(k.shell("%s", k.untilFile("killed")), "say held")
	k.untilTool(time.Minute, chat.CallRunning)
	fresh := k.send("/new", "say fresh")
	require.Len(t, k.transcript().Queued, 2, "the command, and its message behind it")
	k.crash()
	k.touch("killed")
	restarted := time.Now()
	k.boot()
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, running).State)
	turn := k.recovered("a reset behind a command", restarted, fresh)
	require.Equal(t, chat.TurnDone, turn.State)
	require.Equal(t, []string{i18n.Say(i18n.English, i18n.ResetNew)}, k.dividers(), "once")
	answers := k.answers()
	require.Equal(t, "one", answers[0], "what was there stays readable")
	require.Equal(t, "fresh", answers[len(answers)-1])

	now, err := k.client.GetRequest(t.Context(), k.key, turn.ID, 0)
	require.NoError(t, err)
	require.True(t, now.Exact)
	require.Contains(t, fmt.Sprint(now.Messages), "say fresh")
	for _, gone := range []string{"a secret word", "say one", "say held", "/new"} {
		require.NotContains(t, fmt.Sprint(now.Messages), gone)
	}
	then, err := k.client.GetRequest(t.Context(), k.key, old[len(old)-1].Turn, 0)
	require.NoError(t, err)
	require.True(t, then.Exact, "a step from before is shown as it was")
	require.Contains(t, fmt.Sprint(then.Messages), "a secret word")

	k.send("/search secret word")
	require.Contains(t, k.notices()[len(k.notices())-1], "a secret word")
	k.wellFormed()
}

func TestReset_AloneGreetsWithoutAModel(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	k.done("say one")
	k.done("/new")
	notices := k.notices()
	require.Contains(t, notices[len(notices)-1], "Answers come from")
	require.Equal(t, []string{"one"}, k.answers())
	k.done("say two")
	k.done("/reset")
	require.Len(t, k.dividers(), 2)
}

func TestContinue_GoesOnWithATurnThatWasStopped(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	id := k.send("stream 400 50ms")
	k.untilDelta(time.Minute)
	_, err := k.client.StopTurn(t.Context(), k.key)
	require.NoError(t, err)
	require.Equal(t, chat.TurnStopped, k.untilEnded(time.Minute, id).State)
	turn := k.untilEnded(time.Minute, k.send("/continue"))
	now, err := k.client.GetRequest(t.Context(), k.key, turn.ID, 0)
	require.NoError(t, err)
	require.Contains(t, fmt.Sprint(now.Messages), "Continue where you stopped.")
}

// TestHistories_OfACommandThatBeginsAnew keeps the history of /new for the replay tests, when CAPTURE_HISTORIES=1.
func TestHistories_OfACommandThatBeginsAnew(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	k := s.newTalk()
	k.done("say one")
	turn := k.untilEnded(time.Minute, k.send("/new"))
	small(t, "new", s.capture("new", turn), 20, 4<<10)
}
