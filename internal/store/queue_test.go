package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/edits"
	"xbot/internal/turn/engine"
	"xbot/internal/user/users"
)

// say accepts a message that waits in the given way.
func (b *bundle) say(id string, q chat.Queue) engine.Accepted {
	b.t.Helper()
	in := b.inbound(id, "text "+id)
	in.Queue = q
	got, err := b.Turns.Accept(b.t.Context(), in)
	require.NoError(b.t, err)
	return got
}

// quiet lets the window of all bursts pass.
func (b *bundle) quiet() {
	b.t.Helper()
	_, err := b.pool.Exec(b.t.Context(), "UPDATE inbox SET not_before = not_before - interval '1 minute', accepted_at = accepted_at - interval '1 minute'")
	require.NoError(b.t, err)
}

// dropped returns the events of messages that got no turn, by their ids.
func (b *bundle) dropped() map[chat.InboxID]string {
	b.t.Helper()
	out := map[chat.InboxID]string{}
	for _, e := range b.events(0) {
		if e.Kind != chat.EventDropped {
			continue
		}
		var d chat.Dropped
		require.NoError(b.t, json.Unmarshal(e.Data, &d))
		require.NotEmpty(b.t, d.Text, "the sender is told in words")
		require.Empty(b.t, out[d.Inbox], "told once")
		out[d.Inbox] = d.Outcome
	}
	return out
}

// said returns what the transcript holds, each with its origin.
func (b *bundle) spoken() (out []string) {
	b.t.Helper()
	for _, m := range b.transcript().Messages {
		line := m.Content
		if m.Origin != "" {
			line = m.Origin + ": " + line
		}
		out = append(out, line)
	}
	return out
}

func (b *bundle) steer(turn chat.TurnID, n int) chat.Steered {
	b.t.Helper()
	got, err := b.Turns.Steer(b.t.Context(), key, turn, n)
	require.NoError(b.t, err)
	return got
}

func (b *bundle) writer(name string) chat.UserID {
	b.t.Helper()
	u, err := b.Users.CreateUser(b.t.Context(), name, users.RoleMember)
	require.NoError(b.t, err)
	return u.ID
}

var (
	steer     = chat.Queue{Mode: chat.QueueSteer}
	collect   = chat.Queue{Mode: chat.QueueCollect}
	patient   = chat.Queue{Mode: chat.QueueCollect, DebounceMS: 60_000} // as long as a burst may last
	interrupt = chat.Queue{Mode: chat.QueueInterrupt}
	supersede = chat.Queue{Mode: chat.QueueSupersede}
)

func TestClaim_TakesWhatWasWrittenFirstAlsoIfItCameLate(t *testing.T) {
	b := setup(t)
	at := time.Now().Add(-time.Minute)
	for _, m := range []struct {
		id  string
		at  time.Time
		seq int64
	}{{"c", at.Add(time.Second), 0}, {"b", at, 2}, {"a", at, 1}, {"future", at.Add(time.Hour), 0}, {"now", time.Time{}, 0}} {
		in := b.inbound(m.id, m.id)
		in.SentAt, in.Seq = m.at, m.seq
		_, err := b.Turns.Accept(t.Context(), in)
		require.NoError(t, err)
	}
	for i, want := range []string{"a", "b", "c", "future", "now"} {
		turn := chat.TurnID(fmt.Sprint("t", i))
		c, ok := b.claim(turn)
		require.True(t, ok)
		require.Equal(t, want, c.Text, "no clock of a platform counts beyond the acceptance")
		b.finish(turn, chat.TurnDone)
	}
}

func TestSteer_TakesWhatWaitsAndSkipsCallsThatHaveNotBegun(t *testing.T) {
	b := setup(t)
	b.say("m1", steer)
	b.claim("t1")
	step := b.begin("t1", 0)
	_, err := b.Turns.CommitStep(t.Context(), step, twoCalls("t1"))
	require.NoError(t, err)
	_, err = b.Calls.BeginCall(t.Context(), chat.Call{ToolCall: chat.ToolCall{ID: chat.NewCallID("t1", 0, 0)}, Runner: "local"})
	require.NoError(t, err)
	require.Zero(t, b.steer("t1", 1).Messages)
	calls := b.transcript().Messages[1].ToolCalls
	require.Equal(t, chat.CallRunning, calls[0].State, "what runs goes on")
	require.Equal(t, i18n.Say(i18n.English, i18n.CallSkipped), calls[1].Result)

	b.say("m2", steer)
	b.say("m3", steer)
	b.send("m4", "for a turn of its own")
	b.say("m5", steer)
	waits, err := b.Turns.SteerWaits(t.Context(), key, "t1")
	require.NoError(t, err)
	require.True(t, waits)
	require.Equal(t, 2, b.steer("t1", 2).Messages)
	require.Equal(t, 2, b.steer("t1", 2).Messages, "repeated it finds its own")
	require.Zero(t, b.steer("t1", 3).Messages, "nothing passes a message that waits for its own turn")
	require.Equal(t, []string{"text m1", "let me look", "text m2", "text m3"}, b.spoken())
	require.True(t, b.finish("t1", chat.TurnDone))
	require.Zero(t, b.steer("t1", 4).Messages, "a closed turn takes nothing")
	c, _ := b.claim("t2")
	require.Equal(t, "for a turn of its own", c.Text)
	require.True(t, c.Steer, "the next one reaches it before its first step")
}

// A claim that a lost workflow task made is not counted by the task that is done again: it takes no message for it, and gives the number to the
// next one.
func TestSteer_ARepeatedClaimTakesWhatCameSince(t *testing.T) {
	b := setup(t)
	b.say("m1", steer)
	b.claim("t1")
	b.say("m2", steer)
	require.Equal(t, 1, b.steer("t1", 1).Messages)
	b.say("m3", steer)
	require.Equal(t, 2, b.steer("t1", 1).Messages)
	require.Equal(t, []string{"text m1", "text m2", "text m3"}, b.spoken())
}

func TestClaim_ARepeatedWorkflowTaskFindsTheTurnThatItEnded(t *testing.T) {
	b := setup(t)
	b.send("m1", "text m1")
	first, _ := b.claim("t1")
	b.finish("t1", chat.TurnStopped)
	for _, waiting := range []string{"", "m2"} {
		if waiting != "" {
			b.send(waiting, "text "+waiting)
		}
		again, ok := b.claim("t1")
		require.True(t, ok)
		require.Equal(t, chat.TurnStopped, again.Ended)
		require.Equal(t, first.Inbox, again.Inbox)
		require.Equal(t, []string{"text m1"}, b.spoken(), "it takes nothing more")
	}
	_, ok, err := b.Turns.Claim(t.Context(), key, "t1", "another run", 0)
	require.NoError(t, err)
	require.False(t, ok, "a run that an operator began anew has nothing to end")
	c, _ := b.claim("t2")
	require.Equal(t, "text m2", c.Text)
	require.Empty(t, c.Ended)
}

func TestSteer_LeavesWhoeverHasOtherRightsATurnOfTheirOwn(t *testing.T) {
	b := setup(t)
	_, err := b.pool.Exec(t.Context(), "UPDATE sessions SET chat_type = 'group'")
	require.NoError(t, err)
	members := map[string]chat.UserID{"eve": b.writer("eve"), "mallory": b.writer("mallory")}
	from := func(id string, user chat.UserID) {
		in := b.inbound(id, "text "+id)
		in.User, in.Queue, in.Sender = user, steer, id
		_, err := b.Turns.Accept(t.Context(), in)
		require.NoError(t, err)
	}
	from("admin", b.user.ID)
	b.claim("t1")
	from("eve", members["eve"])
	waits, err := b.Turns.SteerWaits(t.Context(), key, "t1")
	require.NoError(t, err)
	require.False(t, waits)
	require.Zero(t, b.steer("t1", 1).Messages, "a member does not speak into a turn of an administrator")
	b.finish("t1", chat.TurnDone)
	b.claim("t2")
	from("mallory", members["mallory"])
	require.Equal(t, 1, b.steer("t2", 1).Messages, "members of a group are alike")
	var asked chat.UserID
	require.NoError(t, b.pool.QueryRow(t.Context(), "SELECT user_id FROM turns WHERE id = 't2'").Scan(&asked))
	require.Equal(t, members["eve"], asked)
}

func TestToWake_FindsWhatIsMeantForTheTurnThatRuns(t *testing.T) {
	b := setup(t)
	b.send("m0", "running")
	b.claim("t0")
	due := func() (ids []chat.InboxID) {
		t.Helper()
		_, err := b.pool.Exec(t.Context(), "UPDATE inbox SET woken_at = now() - interval '1 hour'")
		require.NoError(t, err)
		rows, err := b.ToWake(t.Context())
		require.NoError(t, err)
		for _, r := range rows {
			ids = append(ids, r.Inbox)
		}
		return ids
	}
	meant := b.say("m1", steer)
	b.send("m2", "for a turn of its own")
	b.say("m3", steer)
	require.Equal(t, []chat.InboxID{meant.ID}, due(), "the turn reads it only when it is woken, and what is behind another one when it ends")
	_, err := b.pool.Exec(t.Context(), "UPDATE turns SET user_id = $1", b.writer("mallory"))
	require.NoError(t, err)
	require.Empty(t, due(), "the turn does not take it in: another person wrote what it answers")
}

func TestCollect_HoldsABurstAndClaimsItAsOneTurn(t *testing.T) {
	b := setup(t)
	first := b.say("m1", patient)
	require.Greater(t, first.Wait, time.Duration(0))
	_, ok := b.claim("early")
	require.False(t, ok, "more may follow")
	_, err := b.pool.Exec(t.Context(), "UPDATE inbox SET woken_at = now() - interval '1 hour'")
	require.NoError(t, err)
	rows, err := b.ToWake(t.Context())
	require.NoError(t, err)
	require.Empty(t, rows, "what cannot be claimed is not woken")
	b.say("m2", patient)
	b.quiet()
	in := b.inbound("m3", "text m3")
	in.Queue, in.Options = patient, chat.Options{Think: "high"}
	_, err = b.Turns.Accept(t.Context(), in)
	require.NoError(t, err)
	_, ok = b.claim("early")
	require.False(t, ok, "the burst goes on")
	b.quiet()
	_, err = b.pool.Exec(t.Context(), "UPDATE inbox SET woken_at = now() - interval '1 hour'")
	require.NoError(t, err)
	rows, err = b.ToWake(t.Context())
	require.NoError(t, err)
	require.Len(t, rows, 3, "the relay finds a burst whose ingress has died")
	c, ok := b.claim("t1")
	require.True(t, ok)
	require.Equal(t, first.ID, c.Inbox)
	require.Equal(t, []string{"text m1", "text m2", "text m3"}, b.spoken())
	var options string
	require.NoError(t, b.pool.QueryRow(t.Context(), "SELECT options->>'think' FROM turns WHERE id = 't1'").Scan(&options))
	require.Equal(t, "high", options)
	again, _ := b.claim("t1")
	require.Equal(t, c, again)
	require.Len(t, b.spoken(), 3)
	require.False(t, b.finish("t1", chat.TurnDone))
}

func TestCollect_ATurnThatEndsMeanwhileDoesNotCutTheBurst(t *testing.T) {
	b := setup(t)
	b.send("m0", "running")
	b.claim("t0")
	require.LessOrEqual(t, b.say("m1", collect).Wait, 500*time.Millisecond)
	b.quiet()
	b.say("m2", patient)
	require.False(t, b.finish("t0", chat.TurnDone), "no successor is promised that would find nothing")
	_, ok := b.claim("t1")
	require.False(t, ok)
	b.quiet()
	_, ok = b.claim("t1")
	require.True(t, ok)
	require.Equal(t, []string{"running", "text m1", "text m2"}, b.spoken())
}

func TestCollect_EndsFiveSecondsAfterItsFirstMessage(t *testing.T) {
	b := setup(t)
	b.say("m1", chat.Queue{Mode: chat.QueueCollect, DebounceMS: 60_000})
	_, err := b.pool.Exec(t.Context(), "UPDATE inbox SET accepted_at = accepted_at - interval '4 seconds', not_before = now() + interval '1 minute'")
	require.NoError(t, err)
	require.LessOrEqual(t, b.say("m2", chat.Queue{Mode: chat.QueueCollect, DebounceMS: 60_000}).Wait, time.Second)
}

func TestCollect_KeepsTogetherOnlyWhatBelongsTogether(t *testing.T) {
	b := setup(t)
	_, err := b.pool.Exec(t.Context(), "UPDATE sessions SET chat_type = 'group'")
	require.NoError(t, err)
	eve, mallory := b.writer("eve"), b.writer("mallory")
	for _, m := range []struct {
		id, channel string
		user        chat.UserID
	}{{"1", "web", eve}, {"2", "web", mallory}, {"3", "web", b.user.ID}, {"4", "cli", b.user.ID}, {"5", "cli", b.user.ID}} {
		in := b.inbound(m.id, m.id)
		in.User, in.Channel, in.Queue = m.user, m.channel, collect
		_, err := b.Turns.Accept(t.Context(), in)
		require.NoError(t, err)
	}
	b.send("6", "6")
	b.quiet()
	for i, want := range [][]string{{"1", "2"}, {"3"}, {"4", "5"}, {"6"}} {
		turn := chat.TurnID(fmt.Sprint("t", i))
		_, ok := b.claim(turn)
		require.True(t, ok)
		var got []string
		for _, m := range b.transcript().Messages {
			if m.Turn == turn {
				got = append(got, m.Content)
			}
		}
		require.Equal(t, want, got)
		b.finish(turn, chat.TurnDone)
	}
}

func TestSupersede_BringsWhatItReplacedIntoTheTranscriptAsSuch(t *testing.T) {
	b := setup(t)
	b.send("m0", "running")
	b.claim("t0")
	first := b.send("m1", "one")
	in := b.inbound("c1", "/compact")
	in.Control, in.Queue = true, supersede
	command, err := b.Turns.Accept(t.Context(), in)
	require.NoError(t, err)
	require.Empty(t, command.Dropped, "a command takes nobody's place")
	second := b.say("m2", supersede)
	require.Equal(t, []chat.InboxID{first.ID}, second.Dropped)
	third := b.say("m3", supersede)
	require.Equal(t, []chat.InboxID{second.ID}, third.Dropped)
	require.True(t, b.say("m2", supersede).Duplicate, "a repeated delivery replaces nothing")
	require.Equal(t, map[chat.InboxID]string{first.ID: "superseded", second.ID: "superseded"}, b.dropped())
	require.True(t, b.finish("t0", chat.TurnDone))
	c, _ := b.claim("t1")
	require.True(t, c.Control, "commands are never superseded")
	b.finish("t1", chat.TurnDone)
	c, _ = b.claim("t2")
	require.Equal(t, "text m3", c.Text)
	require.Equal(t, []string{"running", "command: /compact", "superseded: one", "superseded: text m2", "text m3"}, b.spoken())
	var preface string
	require.NoError(t, b.pool.QueryRow(t.Context(), "SELECT preface FROM messages WHERE origin = 'superseded' LIMIT 1").Scan(&preface))
	require.Contains(t, preface, "superseded by a newer message", "the model sees it as such")
}

func TestSupersede_OneThatComesLateIsItselfReplaced(t *testing.T) {
	b := setup(t)
	newer := b.say("newer", supersede)
	in := b.inbound("late", "late")
	in.Queue, in.SentAt = supersede, time.Now().Add(-time.Hour)
	late, err := b.Turns.Accept(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, []chat.InboxID{late.ID}, late.Dropped)
	require.Zero(t, late.Position)
	c, _ := b.claim("t1")
	require.Equal(t, newer.ID, c.Inbox)
	require.Equal(t, []string{"superseded: late", "text newer"}, b.spoken())
}

func TestSupersede_AReleasedClaimBringsEverythingAgain(t *testing.T) {
	b := setup(t)
	b.send("m1", "one")
	b.say("m2", supersede)
	b.claim("gone")
	require.Len(t, b.spoken(), 2)
	b.claim("next")
	require.Equal(t, []string{"superseded: one", "text m2"}, b.spoken())
}

func TestInterrupt_StopsTheTurnThatRunsAndSaysWhy(t *testing.T) {
	b := setup(t)
	b.send("m1", "running")
	b.claim("t1")
	older := b.send("m2", "older")
	newer := b.say("m3", interrupt)
	require.Equal(t, []chat.InboxID{older.ID}, newer.Dropped)
	stop, err := b.Turns.StopRequested(t.Context(), key, "t1")
	require.NoError(t, err)
	require.True(t, stop)
	pending, err := b.Turns.FinishTurn(t.Context(), key, "t1", chat.TurnStopped, i18n.Stopped)
	require.NoError(t, err)
	require.True(t, pending)
	c, _ := b.claim("t2")
	require.Equal(t, newer.ID, c.Inbox)
	require.Equal(t, []string{"running", i18n.Say(i18n.English, i18n.Interrupted), "superseded: older", "text m3"}, b.spoken())
	stop, err = b.Turns.StopRequested(t.Context(), key, "t2")
	require.NoError(t, err)
	require.False(t, stop, "it never hits its own turn")
}

func TestInterrupt_APersonsStopIsSaidAsOne(t *testing.T) {
	b := setup(t)
	b.send("m1", "running")
	b.claim("t1")
	b.say("m2", interrupt)
	_, err := b.Turns.Stop(t.Context(), b.inbound("s1", ""), i18n.English)
	require.NoError(t, err)
	_, err = b.Turns.FinishTurn(t.Context(), key, "t1", chat.TurnStopped, i18n.Stopped)
	require.NoError(t, err)
	require.Equal(t, []string{"running", i18n.Say(i18n.English, i18n.Stopped)}, b.spoken())
}

func TestFull_DropsWhatThePolicySaysAndTells(t *testing.T) {
	for drop, want := range map[chat.DropPolicy]struct {
		outcome string
		dropped string
		said    []string
	}{
		chat.DropNew: {"dropped", "m3", []string{"text m1"}},
		chat.DropOld: {"dropped", "m1", []string{"text m2"}},
		chat.DropSummarize: {"summarized", "m1", []string{
			"summarized: " + i18n.Say(i18n.English, i18n.SummarizedHead, 1) + "\n- text m1", "text m2",
		}},
	} {
		t.Run(string(drop), func(t *testing.T) {
			b := setup(t)
			q := chat.Queue{Cap: 2, Drop: drop}
			ids := map[string]chat.InboxID{}
			for _, id := range []string{"m1", "m2"} {
				ids[id] = b.say(id, q).ID
			}
			got := b.say("m3", q)
			ids["m3"] = got.ID
			require.Equal(t, []chat.InboxID{ids[want.dropped]}, got.Dropped)
			require.Equal(t, map[chat.InboxID]string{ids[want.dropped]: want.outcome}, b.dropped())
			require.True(t, b.say("m3", q).Duplicate)
			require.Len(t, b.transcript().Queued, 2)
			b.claim("t1")
			require.Equal(t, want.said, b.spoken())
		})
	}
}

func TestFull_ACommandIsNeverDropped(t *testing.T) {
	b := setup(t)
	for i := range 2 {
		in := b.inbound(fmt.Sprint("c", i), "/compact")
		in.Control, in.Queue = true, chat.Queue{Cap: 2, Drop: chat.DropNew}
		_, err := b.Turns.Accept(t.Context(), in)
		require.NoError(t, err)
	}
	for _, drop := range []chat.DropPolicy{chat.DropOld, chat.DropSummarize, chat.DropReject} {
		in := b.inbound("m1", "x")
		in.Queue = chat.Queue{Cap: 2, Drop: drop}
		_, err := b.Turns.Accept(t.Context(), in)
		require.Equal(t, fault.RateLimited, fault.KindOf(err), drop)
	}
	in := b.inbound("c3", "/compact")
	in.Control, in.Queue = true, chat.Queue{Cap: 2, Drop: chat.DropNew}
	_, err := b.Turns.Accept(t.Context(), in)
	require.Equal(t, fault.RateLimited, fault.KindOf(err), "a command is refused rather than dropped")
	require.Empty(t, b.dropped())
}

func TestFull_WhatADroppedMessageHadReplacedIsKept(t *testing.T) {
	b := setup(t)
	q := chat.Queue{Cap: 2, Drop: chat.DropSummarize}
	b.say("m1", q)
	b.say("m2", chat.Queue{Mode: chat.QueueSupersede})
	for i := range 3 {
		b.say(fmt.Sprint("n", i), q)
	}
	b.claim("t1")
	require.Equal(t, []string{
		"summarized: " + i18n.Say(i18n.English, i18n.SummarizedHead, 2) + "\n- text m2\n- text n0", "superseded: text m1", "text n1",
	}, b.spoken())
}

func TestEditWaiting_ChangesWhatWaitsAndKnowsTheOriginalStill(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	got := b.send("m1", "first")
	require.NoError(t, b.Turns.EditWaiting(ctx, key, got.ID, "second"))
	amendments := engine.Amendments{Store: b.Turns}
	message := edits.Message{Key: edits.Key{}, Channel: "web", User: b.user.ID, IDs: []string{"m1"}}
	changed, err := amendments.EditDelivered(ctx, message, "third\x00")
	require.NoError(t, err)
	require.True(t, changed)
	require.True(t, b.send("m1", "first").Duplicate, "a late delivery of the original")
	require.True(t, b.send("m1", "third").Duplicate)
	_, err = b.Turns.Accept(ctx, b.inbound("m1", "second"))
	require.Equal(t, fault.Conflict, fault.KindOf(err))
	require.Equal(t, "third", b.transcript().Queued[0].Text)
	c, _ := b.claim("t1")
	require.Equal(t, "third", c.Text)
	require.Equal(t, fault.Conflict, fault.KindOf(b.Turns.EditWaiting(ctx, key, got.ID, "late")))
	require.Equal(t, fault.Conflict, fault.KindOf(b.Turns.RecallWaiting(ctx, key, got.ID)))
	changed, err = b.RecallQueued(ctx, "m1")
	require.NoError(t, err)
	require.False(t, changed)
	require.Equal(t, []string{"third"}, b.spoken())
	require.Equal(t, fault.NotFound, fault.KindOf(b.Turns.EditWaiting(ctx, "agent:main:web:thread:other", got.ID, "x")))
	message.IDs = []string{"unknown"}
	_, err = amendments.EditDelivered(ctx, message, "x")
	require.Equal(t, fault.NotFound, fault.KindOf(err))
}

func TestRecall_TakesBackWhatWaitsAndKeepsWhatItReplaced(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	b.send("m0", "running")
	b.claim("t0")
	b.send("m1", "one")
	newer := b.say("m2", supersede)
	b.send("m3", "three")
	require.NoError(t, b.Turns.RecallWaiting(ctx, key, newer.ID))
	require.Equal(t, "recalled", b.dropped()[newer.ID])
	b.finish("t0", chat.TurnDone)
	b.claim("t1")
	require.Equal(t, []string{"running", "superseded: one", "three"}, b.spoken())
	in := b.inbound("c1", "/compact")
	in.Control = true
	command, err := b.Turns.Accept(ctx, in)
	require.NoError(t, err)
	require.Equal(t, fault.Conflict, fault.KindOf(b.Turns.EditWaiting(ctx, key, command.ID, "/rewind")))
	require.NoError(t, b.Turns.RecallWaiting(ctx, key, command.ID))
}

func TestStop_IsAnsweredWithWhatItFound(t *testing.T) {
	b := setup(t)
	stop := func(id string) string {
		in := b.inbound(id, "/stop")
		for range 2 { // a repeated delivery is answered once
			_, err := b.Turns.Stop(t.Context(), in, i18n.English)
			require.NoError(t, err)
		}
		said := b.spoken()
		require.Equal(t, "command: /stop", said[len(said)-2])
		return said[len(said)-1]
	}
	require.Equal(t, "command: Nothing was running.", stop("s1"))
	b.say("m1", collect)
	b.send("m2", "two")
	require.Equal(t, "command: Nothing was running. Waiting messages that were cleared: 2.", stop("s2"))
	b.send("m3", "three")
	b.claim("t1")
	require.Equal(t, "command: Stopping the turn.", stop("s3"))
	require.Equal(t, map[chat.InboxID]string{2: "stopped", 3: "stopped"}, b.dropped())
}

func TestAcceptPair_IsBothInOrderOrNeither(t *testing.T) {
	b := setup(t)
	first := b.inbound("p", "/compact")
	first.Control = true
	second := b.inbound("p#text", "hello")
	for n := range 2 {
		a, c, err := b.Turns.AcceptPair(t.Context(), first, second)
		require.NoError(t, err)
		require.Equal(t, n == 1, a.Duplicate && c.Duplicate)
	}
	got, _ := b.claim("t1")
	require.True(t, got.Control)
	b.finish("t1", chat.TurnDone)
	got, _ = b.claim("t2")
	require.Equal(t, "hello", got.Text)
	first.PlatformID, second.PlatformID, second.Queue.Cap = "q", "q#text", 1
	_, _, err := b.Turns.AcceptPair(t.Context(), first, second)
	require.Equal(t, fault.RateLimited, fault.KindOf(err))
	require.Empty(t, b.transcript().Queued)
}

func TestSetQueue_IsKeptWithTheSession(t *testing.T) {
	b := setup(t)
	want := chat.Queue{Mode: chat.QueueCollect, DebounceMS: 2000, Cap: 25, Drop: chat.DropSummarize}
	require.NoError(t, b.Turns.SetQueue(t.Context(), key, want))
	s, _, err := b.Conversations.Session(t.Context(), key)
	require.NoError(t, err)
	require.Equal(t, want, s.Queue)
	require.Equal(t, fault.NotFound, fault.KindOf(b.Turns.SetQueue(t.Context(), "agent:main:web:thread:none", want)))
}

func TestAccept_NotesThatTheConversationHadExpired(t *testing.T) {
	b := setup(t)
	in := b.inbound("m1", "one")
	in.Expired = func(last time.Time) string {
		require.WithinDuration(t, time.Now(), last, time.Hour)
		return chat.ResetIdle
	}
	got, err := b.Turns.Accept(t.Context(), in)
	require.NoError(t, err)
	var reset string
	require.NoError(t, b.pool.QueryRow(t.Context(), "SELECT reset FROM inbox WHERE id = $1", int64(got.ID)).Scan(&reset))
	require.Equal(t, chat.ResetIdle, reset)
}

// TestQueue_EveryMessageIsClaimedOnceOrToldOnce lets messages of all modes arrive at once, beside turns that claim, steer,
// finish and lose their runs.
func TestQueue_EveryMessageIsClaimedOnceOrToldOnce(t *testing.T) {
	b := setup(t)
	var senders, turns sync.WaitGroup
	done := make(chan struct{})
	sent := &sentIDs{ids: map[chat.InboxID]bool{}}
	for s := range 6 {
		senders.Go(func() { b.chatter(s, sent) })
	}
	turns.Go(func() {
		for i := 0; ; i++ {
			over := false
			select {
			case <-done:
				over = true
			default:
			}
			if over {
				_, _ = b.pool.Exec(context.Background(), "UPDATE inbox SET not_before = NULL WHERE outcome IS NULL")
			}
			claimed := b.live(chat.TurnID(fmt.Sprint("t", i)))
			if over && !claimed {
				return
			}
		}
	})
	senders.Wait()
	close(done)
	turns.Wait()
	b.eachOnce(sent.ids)
}

// sentIDs are the messages that were accepted.
type sentIDs struct {
	mu  sync.Mutex
	ids map[chat.InboxID]bool
}

func (s *sentIDs) add(id chat.InboxID) { s.mu.Lock(); defer s.mu.Unlock(); s.ids[id] = true }

// chatter sends messages that wait in all ways, and takes some of them back.
func (b *bundle) chatter(sender int, sent *sentIDs) {
	ctx := context.Background()
	modes := []chat.Queue{
		steer, collect, supersede, interrupt, {Mode: chat.QueueFollowup, Cap: 3, Drop: chat.DropOld}, {Cap: 3, Drop: chat.DropSummarize}, {Cap: 3, Drop: chat.DropNew},
	}
	for n := range 25 {
		in := b.inbound(fmt.Sprintf("%d-%d", sender, n), fmt.Sprintf("%d-%d", sender, n))
		in.Queue = modes[rand.IntN(len(modes))]
		got, err := b.Turns.Accept(ctx, in)
		for fault.Is(err, fault.Unavailable) { // nothing was accepted; a client repeats it
			got, err = b.Turns.Accept(ctx, in)
		}
		if fault.Is(err, fault.RateLimited) {
			continue
		}
		if err != nil {
			b.t.Error(err)
			return
		}
		sent.add(got.ID)
		if rand.IntN(8) == 0 {
			_, _ = b.RecallQueued(ctx, in.PlatformID) // it may be claimed
		}
	}
}

// live lets a turn claim, steer and end in one way or another.
func (b *bundle) live(turn chat.TurnID) bool {
	ctx := context.Background()
	for {
		_, ok, err := b.Turns.Claim(ctx, key, turn, "run", 0)
		if fault.Is(err, fault.Unavailable) {
			continue
		}
		if err != nil {
			b.t.Error(err)
		}
		if !ok {
			return false
		}
		break
	}
	if rand.IntN(4) == 0 {
		return true // its run is lost before its first step: the next claim settles it
	}
	_, _, _, _ = b.Turns.BeginStep(ctx, chat.Step{Session: key, Turn: turn})
	for n := range rand.IntN(3) {
		_, _ = b.Turns.Steer(ctx, key, turn, n+1) // what it does not take stays
	}
	_, _ = b.Turns.FinishTurn(ctx, key, turn, chat.TurnDone, "") // a turn left open is settled by the next claim
	return true
}

func (b *bundle) eachOnce(accepted map[chat.InboxID]bool) {
	b.t.Helper()
	told := b.dropped()
	seen := map[chat.InboxID]int{}
	rows, err := b.pool.Query(b.t.Context(), "SELECT inbox_id FROM messages WHERE inbox_id IS NOT NULL AND role = 'user' AND origin = ''")
	require.NoError(b.t, err)
	for rows.Next() {
		var id int64
		require.NoError(b.t, rows.Scan(&id))
		seen[chat.InboxID(id)]++
	}
	require.NoError(b.t, rows.Err())
	require.NotEmpty(b.t, seen)
	require.NotEmpty(b.t, told)
	for id := range accepted {
		n := seen[id]
		if told[id] != "" {
			n++
		}
		require.Equal(b.t, 1, n, "message %d: in %d turns, told %q", id, seen[id], told[id])
	}
	require.Empty(b.t, b.transcript().Queued)
}
