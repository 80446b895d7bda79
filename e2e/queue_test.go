package e2e

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/i18n"
)

// queue sets how messages wait in the conversation.
func (k *talk) queue(args string) {
	k.t.Helper()
	k.send("/queue " + args)
}

// waits returns a conversation in which messages wait in the given way, and a turn runs until its command has ended.
func (s *server) waits(args string) (k *talk, running chat.InboxID) {
	s.t.Helper()
	k = s.newTalk()
	k.queue(args)
	running = k.send(k.shell("%s", k.untilFile("sent")), "say first")
	k.untilTool(time.Minute, chat.CallRunning)
	return k, running
}

// untilDropped waits until the sender of a message was told that it gets no turn of its own.
func (k *talk) untilDropped(id chat.InboxID) chat.Dropped {
	k.t.Helper()
	var found chat.Dropped
	k.until(time.Minute, fmt.Sprintf("the end of message %d", id), func(e chat.Event) bool {
		if e.Kind == chat.EventDropped {
			if d := decode[chat.Dropped](k.t, e); d.Inbox == id {
				found = d
			}
		}
		return found.Inbox != 0
	})
	return found
}

// places returns where each message stands in the transcript, by its row: the turns, or its origin where it has one.
func (k *talk) places() map[chat.InboxID][]string {
	k.t.Helper()
	out := map[chat.InboxID][]string{}
	for _, m := range k.transcript().Messages {
		if m.Role != chat.RoleUser || m.Inbox == 0 || m.Origin == chat.OriginCommand {
			continue
		}
		place := string(m.Turn)
		if m.Origin != "" {
			place = m.Origin
		}
		out[m.Inbox] = append(out[m.Inbox], place)
	}
	return out
}

func (k *talk) once(ids ...chat.InboxID) {
	k.t.Helper()
	places := k.places()
	for _, id := range ids {
		require.Len(k.t, places[id], 1, "message %d stands once in the transcript: %v", id, places)
	}
	k.wellFormed()
}

// TestQueue_ServerKilledWhileMessagesWaitInEveryMode kills the server once while conversations of all modes have messages
// that were accepted and not claimed.
func TestQueue_ServerKilledWhileMessagesWaitInEveryMode(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	steer, steering := s.waits("steer")
	followup, following := s.waits("followup")
	supersede, superseding := s.waits("supersede")
	interrupt, interrupted := s.waits("interrupt")
	full, filled := s.waits("followup cap:1 drop:summarize")
	collect := s.newTalk()
	collect.queue("collect debounce:4s")

	wakes := steer.wakes()
	steered := steer.send("say steered")
	followed := followup.send("say followed")
	older, newer := supersede.send("# old"), supersede.send("say new")
	burst := []chat.InboxID{collect.send("# one"), collect.send("# two"), collect.send("say three")}
	summarized, last := full.send("say summarized"), full.send("say last")
	instead := interrupt.send("say instead")
	s.crash()
	restarted := time.Now()
	s.boot()
	steer.untilWoken(wakes + 1)
	for _, k := range []*talk{steer, followup, supersede, full} {
		k.touch("sent")
	}

	require.Equal(t, chat.TurnDone, steer.recovered("a message to the turn waits", restarted, steered).State)
	require.Equal(t, []string{"steered"}, steer.answers(), "one turn for both")
	require.Equal(t, steer.places()[steering], steer.places()[steered])
	steer.once(steering, steered)

	require.Equal(t, chat.TurnDone, followup.untilEnded(time.Minute, followed).State)
	require.Equal(t, []string{"first", "followed"}, followup.answers())
	followup.once(following, followed)

	require.Equal(t, chat.TurnDone, supersede.untilEnded(time.Minute, newer).State)
	require.Equal(t, []string{"first", "new"}, supersede.answers())
	require.Equal(t, "superseded", supersede.untilDropped(older).Outcome)
	require.Equal(t, []string{chat.OriginSuperseded}, supersede.places()[older])
	supersede.once(superseding, older, newer)

	require.Equal(t, chat.TurnDone, interrupt.untilEnded(time.Minute, instead).State)
	require.Equal(t, []string{"instead"}, interrupt.answers())
	require.Equal(t, i18n.Say(i18n.English, i18n.Interrupted), interrupt.lastNotice())
	interrupt.once(interrupted, instead)

	require.Equal(t, chat.TurnDone, full.untilEnded(time.Minute, last).State)
	require.Equal(t, "summarized", full.untilDropped(summarized).Outcome)
	require.Equal(t, []string{"first", "last"}, full.answers())
	full.once(filled, last)

	require.Equal(t, chat.TurnDone, collect.untilEnded(time.Minute, burst[2]).State)
	require.Equal(t, []string{"three"}, collect.answers(), "one turn for the burst")
	require.Equal(t, collect.places()[burst[0]], collect.places()[burst[2]])
	collect.once(burst...)
}

// TestQueue_ServerKilledBeforeTheWakeOfASteer kills the server after it has accepted a message for the running turn, and before Temporal has the wake.
func TestQueue_ServerKilledBeforeTheWakeOfASteer(t *testing.T) {
	t.Parallel()
	s := newServerWithStack(t)
	k, first := s.waits("steer")
	temporal := s.child("xbot-temporal")
	signal(t, temporal, syscall.SIGSTOP)
	id := k.send("say steered")
	s.crash()
	signal(t, temporal, syscall.SIGCONT)
	s.boot()
	k.untilWoken(1)
	k.touch("sent")
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
	require.Equal(t, []string{"steered"}, k.answers(), "one turn for both")
	require.Equal(t, k.places()[first], k.places()[id])
	k.once(first, id)
}

func TestQueue_ServerKilledBetweenTheClaimOfASteerAndTheNextStep(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	k, first := s.waits("steer")
	id := k.steer("delay 3s", "say steered")
	k.touch("sent")
	k.until(time.Minute, "the claim of the message", func(e chat.Event) bool {
		return e.Kind == chat.EventMessage && decode[chat.Message](t, e).Inbox == id
	})
	s.crash()
	restarted := time.Now()
	s.boot()
	require.Equal(t, chat.TurnDone, k.recovered("between the claim of a steer and its step", restarted, id).State)
	require.Equal(t, []string{"steered"}, k.answers())
	require.Equal(t, k.places()[first], k.places()[id])
	k.once(first, id)
}

func TestQueue_AMessageCanBeChangedAndTakenBackWhileItWaits(t *testing.T) {
	t.Parallel()
	k, _ := newServer(t).waits("followup")
	changed, recalled := k.send("say before"), k.send("say never")
	require.NoError(t, k.client.EditQueued(t.Context(), k.key, changed, "say after"))
	require.NoError(t, k.client.RecallQueued(t.Context(), k.key, recalled))
	require.Equal(t, "recalled", k.untilDropped(recalled).Outcome)
	k.touch("sent")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, changed).State)
	require.Equal(t, []string{"first", "after"}, k.answers())
	require.ErrorContains(t, k.client.EditQueued(t.Context(), k.key, changed, "say too late"), "does not wait any more")
	k.once(changed)
	require.Empty(t, k.places()[recalled])
}

// TestHistories_OfQueueModes captures a turn of each mode.
func TestHistories_OfQueueModes(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	const spoken = "a long secret tale that goes on and on well past the first words of it"

	k, first := s.waits("steer")
	k.steer("# "+spoken, "say steered")
	k.touch("sent")
	small(t, "steer", k.capture("steer", k.closed(k.untilEnded(time.Minute, first))), 60, 10<<10)

	k = s.newTalk()
	k.queue("steer")
	first = k.send(k.shell("%s", k.untilFile("sent")), k.shell("touch %s", k.file("never")), "say unheard")
	k.untilTool(time.Minute, chat.CallRunning)
	k.steer("# "+spoken, "say steered")
	k.touch("sent")
	small(t, "steer that skips", k.capture("steer-skips", k.closed(k.untilEnded(time.Minute, first))), 60, 10<<10)
	require.NoFileExists(t, k.file("never"))
	require.Equal(t, i18n.Say(i18n.English, i18n.CallSkipped), lastCalls(k)[1].Result)

	k, first = s.waits("followup")
	second := k.send("say " + spoken)
	k.touch("sent")
	small(t, "followup", k.capture("followup", k.closed(k.untilEnded(time.Minute, first))), 60, 10<<10)
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, second).State)

	k = s.newTalk()
	k.queue("collect debounce:700")
	k.send("say one")
	k.send("say two")
	small(t, "collect", k.capture("collect", k.closed(k.untilEnded(time.Minute, k.send("say "+spoken)))), 20, 4<<10)

	k, first = s.waits("interrupt")
	second = k.send("say " + spoken)
	interrupted := k.untilEnded(time.Minute, first)
	require.Equal(t, chat.TurnStopped, interrupted.State)
	small(t, "interrupt", k.capture("interrupt", k.closed(interrupted)), 60, 10<<10)
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, second).State)

	k, _ = s.waits("supersede")
	k.send("say old")
	second = k.send("say " + spoken)
	k.touch("sent")
	small(t, "supersede", k.capture("supersede", k.closed(k.untilEnded(time.Minute, second))), 20, 4<<10)
}
