package store_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/window"
)

// jobs returns what waits to be memorized, in the order in which it was noted.
func (b *bundle) jobs() (out []chat.MemorizeJob) {
	b.t.Helper()
	rows, err := b.pool.Query(b.t.Context(), "SELECT id FROM memorize_jobs WHERE state = 'waiting' ORDER BY id")
	require.NoError(b.t, err)
	var ids []chat.MemorizeID
	for rows.Next() {
		var id chat.MemorizeID
		require.NoError(b.t, rows.Scan(&id))
		ids = append(ids, id)
	}
	for _, id := range ids {
		j, err := b.Conversations.MemorizeJob(b.t.Context(), id)
		require.NoError(b.t, err)
		out = append(out, j)
	}
	return out
}

// goesIntoMemory returns what the model that memorizes reads of a job.
func (b *bundle) goesIntoMemory(j chat.MemorizeJob) (out []string) {
	b.t.Helper()
	w, err := b.Conversations.MemorizeWindow(b.t.Context(), j)
	require.NoError(b.t, err)
	for _, l := range window.View(w) {
		out = append(out, l.Message.Content)
	}
	return out
}

func (b *bundle) state(id chat.MemorizeID) (state string) {
	b.t.Helper()
	require.NoError(b.t, b.pool.QueryRow(b.t.Context(), "SELECT state FROM memorize_jobs WHERE id = $1", id).Scan(&state))
	return state
}

var lasting = "I moved to Lisbon in May and work on the billing service; please answer in Portuguese from now on, and keep it short, if you can."

func TestMemorize_AResetNotesWhatTheModelSawOnce(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "old: "+lasting)
	b.compact(b.id("answer to old: "+lasting), "they moved")
	b.exchange("t1", "new: "+lasting)
	b.reset("r1", "hello")
	jobs := b.jobs()
	require.Len(t, jobs, 1)
	told := b.goesIntoMemory(jobs[0])
	require.Len(t, told, 3, "the summary stands for what it stands for")
	require.Contains(t, told[0], "they moved")
	require.Equal(t, []string{"new: " + lasting, "answer to new: " + lasting}, told[1:])
	require.Equal(t, b.user.ID, jobs[0].User)

	b.exchange("t2", "third: "+lasting)
	b.reset("r2", "hello")
	require.Len(t, b.jobs(), 2)
	require.Equal(t, []string{"third: " + lasting, "answer to third: " + lasting}, b.goesIntoMemory(b.jobs()[1]))
}

func TestMemorize_WhatWasMemorizedIsNotMemorizedAgainAfterARewind(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "first: "+lasting)
	b.exchange("t1", "second: "+lasting)
	b.reset("r1", "hello")
	b.rewind("w", 0, b.id("second: "+lasting))
	b.exchange("t2", "third: "+lasting)
	b.reset("r2", "hello")
	jobs := b.jobs()
	require.Len(t, jobs, 2)
	require.Equal(t, []string{"first: " + lasting, "answer to first: " + lasting, "second: " + lasting, "answer to second: " + lasting}, b.goesIntoMemory(jobs[0]),
		"what a later rewind takes out is memorized all the same")
	require.Equal(t, []string{"third: " + lasting, "answer to third: " + lasting}, b.goesIntoMemory(jobs[1]))
}

func TestMemorize_AConversationWithLittleInItIsLeftOut(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "hello")
	b.reset("r1", "hello")
	require.Empty(t, b.jobs())
	b.reset("r2", "hello")
	_, err := b.Inbox.Post(t.Context(), chat.InternalMessage{Session: key, Key: "1", Origin: chat.OriginCron, Text: strings.Repeat("what no person says ", 20)})
	require.NoError(t, err)
	b.claim("c1")
	b.finish("c1", chat.TurnDone)
	require.NoError(t, b.Conversations.Renew(t.Context(), key, "run 1", chat.ResetNew))
	require.Empty(t, b.jobs())
	for _, turn := range []chat.TurnID{"a", "b", "c"} {
		b.exchange(turn, "hm")
	}
	b.reset("r3", "hello")
	require.Len(t, b.jobs(), 1, "many short ones are worth a look")
}

func TestMemorize_PartsFollowEachOtherAndTheFirstWhoCutsIsRight(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "first: "+lasting)
	b.exchange("t1", "second: "+lasting)
	b.reset("r1", "hello")
	j := b.jobs()[0]
	half := b.id("answer to first: " + lasting)
	got, err := b.Conversations.MemorizePart(t.Context(), j, half, false)
	require.NoError(t, err)
	require.Equal(t, half, got)
	got, err = b.Conversations.MemorizePart(t.Context(), j, j.Upto, false)
	require.NoError(t, err)
	require.Equal(t, half, got, "another attempt means the same part")
	got, err = b.Conversations.MemorizePart(t.Context(), j, half-1, true)
	require.NoError(t, err)
	require.Equal(t, half-1, got, "unless it was too long")

	require.NoError(t, b.Conversations.Memorized(t.Context(), j, half))
	_, err = b.Conversations.MemorizePart(t.Context(), j, j.Upto, false)
	require.Equal(t, fault.Unavailable, fault.KindOf(err), "an attempt that is behind begins again")
	require.NoError(t, b.Conversations.Memorized(t.Context(), j, half-1), "and takes nothing back")
	j = b.jobs()[0]
	require.Equal(t, half, j.Done)
	require.Equal(t, []string{"second: " + lasting, "answer to second: " + lasting}, b.goesIntoMemory(j))
}

func TestMemorize_OneOfATenantAtATimeAndOnlyWhereAnAnswerCouldBegin(t *testing.T) {
	b := setup(t)
	other := chat.SessionKey("agent:main:web:thread:other")
	b.session(other)
	for i, turn := range []chat.TurnID{"a", "b"} {
		b.exchange(turn, lasting)
		b.reset("r"+turn, "hello")
		require.Len(t, b.jobs(), i+1)
	}
	first, second := b.jobs()[0], b.jobs()[1]
	require.NoError(t, b.Conversations.HoldMemorize(t.Context(), first))
	require.NoError(t, b.Conversations.HoldMemorize(t.Context(), first), "an attempt that died left it")
	require.Equal(t, fault.RateLimited, fault.KindOf(b.Conversations.HoldMemorize(t.Context(), second)))
	require.NoError(t, b.Conversations.ReleaseMemorize(t.Context(), first.ID))
	require.NoError(t, b.Conversations.HoldMemorize(t.Context(), second))
	require.NoError(t, b.Conversations.ReleaseMemorize(t.Context(), second.ID))

	for i := range 5 { // limits.llm.global
		_, err := b.pool.Exec(t.Context(), `INSERT INTO llm_leases (turn_id, step, user_id, pool, asked_at, asks_at, held_until)
			VALUES ('a', 10 + $1, $2, 'global', now(), now(), now() + interval '1 minute')`, i, b.user.ID)
		require.NoError(t, err)
	}
	require.Equal(t, fault.RateLimited, fault.KindOf(b.Conversations.HoldMemorize(t.Context(), first)), "answers come first")
}

func TestEndMemorize_TellsOnceThatItFailedAndHasThePromptReadAnewWhereItDidNot(t *testing.T) {
	b := setup(t)
	b.exchange("t0", lasting)
	b.reset("r1", "hello")
	b.exchange("t1", lasting)
	b.reset("r2", "hello")
	b.exchange("t2", "and now?")
	part := func() int {
		parts, err := b.Conversations.PromptParts(t.Context(), key)
		require.NoError(t, err)
		return len(parts)
	}
	b.send("p", "x")
	b.claim("p")
	_, err := b.Turns.FreezeSystem(t.Context(), b.begin("p", 0), "s", []chat.Part{{Key: "20_memory", Source: "s", Body: "m"}, {Key: "40_x", Source: "s", Body: "m"}})
	require.NoError(t, err)
	require.Equal(t, 2, part())
	jobs := b.jobs()
	for range 2 {
		require.NoError(t, b.Conversations.EndMemorize(t.Context(), jobs[0], chat.MemorizeFailed, "the provider is away", false))
	}
	say := i18n.Say(i18n.English, i18n.MemorizeFailed, "the provider is away")
	n := 0
	for _, text := range b.said() {
		if text == say {
			n++
		}
	}
	require.Equal(t, 1, n)
	require.Equal(t, 2, part())
	require.NoError(t, b.Conversations.EndMemorize(t.Context(), jobs[0], chat.MemorizeDone, "", true))
	require.Equal(t, chat.MemorizeFailed, b.state(jobs[0].ID), "it has ended")

	require.NoError(t, b.Conversations.EndMemorize(t.Context(), jobs[1], chat.MemorizeDone, "", true))
	require.Equal(t, 1, part(), "the next turn knows what was memorized")
	notes, err := b.Conversations.MemorizeJobs(t.Context(), b.user.ID, 10)
	require.NoError(t, err)
	require.Len(t, notes, 2)
	require.Equal(t, chat.MemorizeDone, notes[0].State)
	require.Equal(t, "the provider is away", notes[1].Error)
	require.Equal(t, i18n.English, i18n.Of(notes[1].Error))

	require.NoError(t, b.Agents.DeleteSession(t.Context(), key))
	_, err = b.Conversations.MemorizeJob(t.Context(), jobs[1].ID)
	require.Equal(t, fault.NotFound, fault.KindOf(err))
}

func TestMemorize_OfASubagentThatMayRememberWhenItIsUnloaded(t *testing.T) {
	b := setup(t)
	b.exchange("t0", lasting)
	for i, remembers := range []string{"false", "true"} {
		_, err := b.pool.Exec(t.Context(), `INSERT INTO subagents (session_key, parent, root, role, instance, depth, call_id, profile)
			VALUES ($1, $1, $1, 'explorer', 'a', 1, 'c', '{"memory": false}') ON CONFLICT (session_key) DO UPDATE SET profile = jsonb_build_object('memory', $2::boolean), unloaded_at = NULL`,
			key, remembers)
		require.NoError(t, err)
		for range 2 {
			unloaded, err := b.Agents.UnloadSubagent(t.Context(), key, false)
			require.NoError(t, err)
			require.True(t, unloaded)
		}
		require.Len(t, b.jobs(), i, "once, and only where its role may")
	}
	require.Equal(t, []string{lasting, "answer to " + lasting}, b.goesIntoMemory(b.jobs()[0]))
	require.Equal(t, chat.MemorizeSubagent, b.jobs()[0].Trigger)
}
