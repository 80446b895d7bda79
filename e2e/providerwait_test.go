package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"

	"xbot/internal/channel/feishu/feishutest"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/workflows"
)

// soonAgain are short pauses between the attempts: the first ones are over after 100 ms, and the longest of a wait is a second.
var soonAgain = []string{"LLM_RETRY_DELAY=10ms", "LLM_RETRY_MAX_DELAY=100ms"}

// untilWaits waits until a turn of the conversation is said to wait for its provider, for the n-th time.
func (k *talk) untilWaits(n int) (turn chat.Turn) {
	k.t.Helper()
	seen, since := 0, time.Time{}
	k.until(time.Minute, "that the turn waits", func(e chat.Event) bool {
		if e.Kind == chat.EventTurn {
			// Each attempt of a wait emits an event.
			if turn = decode[chat.Turn](k.t, e); turn.Waits != nil && !turn.Waits.Since.Equal(since) {
				seen, since = seen+1, turn.Waits.Since
			}
		}
		return seen == n
	})
	return turn
}

// saying counts the notices of a conversation that hold a text.
func (k *talk) saying(text string) (n int) {
	k.t.Helper()
	for _, m := range k.transcript().Messages {
		if m.Role == chat.RoleNotice && strings.Contains(m.Content, text) {
			n++
		}
	}
	return n
}

func TestProviderWait_ATurnThatHasRunACommandGoesOnOverAKill(t *testing.T) {
	t.Parallel()
	s := newServer(t, soonAgain...)
	s.inForce(`{limits: {turns: 1}}`)
	k, db := s.newTalk(), s.look()
	id := k.send(k.shell("echo a >> %s; %s", k.file("once"), k.untilFile("stopped")), "then", "delay 2s", "say after all")
	k.untilTool(time.Minute, chat.CallRunning)
	s.model.Stop() // before the model is asked again
	k.touch("stopped")
	waiting := k.untilWaits(1)
	require.Equal(t, "network", waiting.Waits.Reason)
	require.Equal(t, 24*time.Hour, waiting.Waits.Until.Sub(waiting.Waits.Since))
	require.Equal(t, 1, k.saying("cannot be reached (network)"))
	require.Eventually(t, func() bool { return count(t, db, "SELECT count(*) FROM llm_leases") == 0 }, time.Minute, time.Millisecond, "it holds no lease between two attempts")
	require.Zero(t, count(t, db, "SELECT count(*) FROM turn_slots"), "nor a turn")
	before := len(s.history(workflows.TurnID(k.key), waiting.RunID).Events)

	other := s.newTalk() // the only turn that there may be at once
	other.send("say after a while")
	require.Equal(t, "network", other.untilWaits(1).Waits.Reason, "a first step at the page waits, too")
	require.Equal(t, 1, other.saying("cannot be reached (network)"))
	require.Zero(t, other.saying("could not answer"))

	s.crash()
	s.boot()
	db = s.look()
	failed := func() int {
		return count(t, db, "SELECT coalesce(sum(failures), 0) FROM steps WHERE turn_id = '"+string(waiting.ID)+"'")
	}
	asked := failed()
	require.Eventually(t, func() bool { return failed() > asked+2 }, crashLimit, 20*time.Millisecond, "it is asked again and again")
	require.InDelta(t, before, len(s.history(workflows.TurnID(k.key), waiting.RunID).Events), 6, "attempts leave nothing in the history; a kill may leave two tasks that timed out")
	require.NoError(t, s.model.Restart())
	ended := k.untilEnded(crashLimit, id)
	require.Equal(t, chat.TurnDone, ended.State)
	require.Nil(t, ended.Waits)
	require.Equal(t, []string{"a"}, k.trace("once"), "the command ran once")
	require.Equal(t, []string{"after all"}, k.answers())
	require.Equal(t, 1, k.saying("cannot be reached"), "it is said once")
	k.wellFormed()
}

func TestProviderWait_AStopEndsIt(t *testing.T) {
	t.Parallel()
	s := newServer(t, "LLM_RETRY_DELAY=10ms", "LLM_RETRY_MAX_DELAY=10m")
	k := s.newTalk()
	for n, stop := range []func(){
		func() { k.send("/stop") },
		func() {
			_, err := s.client.StopTurn(t.Context(), k.key)
			require.NoError(t, err)
		},
	} {
		id := k.send(k.shell("true"), "then", "fail 503", "say never")
		k.untilWaits(n + 1)
		stop()
		require.Equal(t, chat.TurnStopped, k.untilEnded(time.Minute, id).State, "it does not wait for the next attempt")
	}
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, k.send("say again")).State)
	k.wellFormed()
}

func TestProviderWait_AJobGoesOnByItself(t *testing.T) {
	t.Parallel()
	s := newServer(t, soonAgain...)
	j := s.job(chat.JobPlan{When: "in 1s", Message: "fail 503 9\nsay done at last"})
	runs := s.untilRuns(time.Minute, j.ID, "it has run", ended(1))
	require.Equal(t, "done", runs[0].Outcome)
	require.Equal(t, []string{"done at last"}, s.own(j.ID).answers())
	require.Equal(t, 1, s.own(j.ID).saying("cannot be reached"))
}

func TestProviderWait_ASubagentGoesOnAndItsPersonIsToldOnce(t *testing.T) {
	t.Parallel()
	k := newServer(t, soonAgain...).newTalk()
	hand := k.subagent(args{"role": "explorer"}, "fail 503 9", "say found")
	id := k.send(hand, hand, "then", "say all found")
	require.Equal(t, chat.TurnDone, k.untilEnded(2*time.Minute, id).State)
	for _, call := range lastCalls(k) {
		require.Contains(t, call.Result, "found")
	}
	require.Equal(t, 1, k.saying("cannot be reached"))
}

func TestProviderWait_OnAPlatformTheCardSaysItAndAKillChangesNothing(t *testing.T) {
	t.Parallel()
	f := newFeishu(t, 0, 0)
	s := newServer(t, append(f.env(), soonAgain...)...)
	s.inForce(letAllIn)
	require.Eventually(t, f.connected, time.Minute, 20*time.Millisecond)
	carol := feishutest.Person{OpenID: "ou_carol", Name: "Carol"}
	direct := f.Direct(carol)
	saw := func(text string) {
		t.Helper()
		require.Eventually(t, func() bool { return strings.Contains(shownAt(f.Server, direct), text) }, crashLimit, 20*time.Millisecond, "%q is not read", text)
	}
	s.model.Stop()
	f.Write(feishutest.Incoming{From: carol, Text: "say after all"})
	saw("cannot be reached (network). This turn waits")
	saw(i18n.Say(i18n.English, i18n.ProgressProvider))
	db := s.look()
	require.Eventually(t, func() bool {
		return count(t, db, "SELECT count(*) FROM progress_cards WHERE rests_for IS NOT NULL") == 1
	}, time.Minute, 20*time.Millisecond)
	s.crash()
	s.boot()
	f.Write(feishutest.Incoming{From: carol, Text: "say both"})
	require.NoError(t, s.model.Restart())
	saw("both")
	require.Eventually(t, func() bool { return !strings.Contains(shownAt(f.Server, direct), "Waiting for the model") }, time.Minute, 20*time.Millisecond)
	shown := shownAt(f.Server, direct)
	require.Equal(t, 1, strings.Count(shown, "cannot be reached"), shown)
	require.Equal(t, 1, strings.Count(shown, "both"), shown)
	require.NotContains(t, shown, "could not answer")
	require.Empty(t, f.Broken(), "the protocol was kept")
}

// TestHistories_OfAWaitForTheProvider captures a turn that waits, and takes in what is written meanwhile.
func TestHistories_OfAWaitForTheProvider(t *testing.T) {
	t.Parallel()
	s := newServer(t, soonAgain...)
	k := s.newTalk()
	const spoken = "a long secret tale that goes on and on well past the first words of it"
	id := k.send(k.shell("true"), "then", "fail 503 9", "say "+spoken)
	turn := k.untilEnded(time.Minute, id)
	require.Equal(t, chat.TurnDone, turn.State)
	small(t, "waited", s.capture("waited", turn), 60, 12<<10)
	id = k.send(k.shell("true"), "then", "fail 503", "say never")
	k.untilWaits(2)
	k.send("say both")
	turn = k.untilEnded(time.Minute, id)
	require.Equal(t, chat.TurnDone, turn.State)
	small(t, "waited-steered", s.capture("waited-steered", turn), 80, 16<<10)
}

// TestHistories_OfAHastenedWait captures a turn whose next attempt a message brings forward, between two attempts that are far apart.
func TestHistories_OfAHastenedWait(t *testing.T) {
	t.Parallel()
	s := newServer(t, "LLM_RETRY_DELAY=10ms", "LLM_RETRY_MAX_DELAY=3s") // it waits for 3, 6, 12 s, each a quarter longer at most
	k, db := s.newTalk(), s.look()
	id := k.send(k.shell("true"), "then", "fail 503", "say never")
	k.untilWaits(1)
	require.Eventually(t, func() bool {
		return count(t, db, "SELECT count(*) FROM turns WHERE asks_at > asks_from + interval '1 s'") == 1
	}, time.Minute, 20*time.Millisecond)
	k.send("say both")
	turn := k.untilEnded(time.Minute, id)
	require.Equal(t, chat.TurnDone, turn.State)
	h := s.capture("waited-hastened", turn)
	small(t, "waited-hastened", h, 80, 16<<10)
	require.Equal(t, 1, happened(h, enums.EVENT_TYPE_ACTIVITY_TASK_CANCELED), "the pause was cut off")
}
