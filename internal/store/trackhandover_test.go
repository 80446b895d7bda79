package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"xbot/internal/chat"
	"xbot/internal/service"
)

// ended ends whatever was begun, until nothing is.
func (d *desk) ended() {
	d.t.Helper()
	for n := 100; len(d.begun()) > 0; n++ {
		for _, key := range d.begun() {
			d.finish(key, d.turn(key, n), chat.TurnDone)
		}
		d.settled()
	}
}

func (d *desk) give(c service.Conversation) {
	d.t.Helper()
	given, err := d.Services.GiveConversation(d.t.Context(), c)
	require.NoError(d.t, err)
	require.True(d.t, given)
}

func TestTrack_TakenConversationsHoldUpNobodyAndAreToldWhenTheyAreGivenBack(t *testing.T) {
	d := deskOf(t, 5)
	for _, c := range d.there[:4] {
		d.take(c)
	}
	j := d.task("30 9 * * *", "")
	d.c.set("2026-03-02T08:30:00Z")
	d.fire(j.ID)
	out := d.settled()
	require.Equal(t, []chat.SessionKey{d.there[4].Session}, d.begun(), "four places, and four before it that wait for their person")
	require.Equal(t, 1, out.Posted)
	require.False(t, out.Waiting, "nobody asks for the others again and again")
	d.ended()
	d.c.set("2026-03-02T09:30:00Z")
	d.settled()
	require.Equal(t, map[string]int{"done": 1, "queued": 4}, d.outcomes(j.ID), "an hour is not too long for who waits")

	d.c.set("2026-03-03T08:30:00Z")
	d.fire(j.ID)
	d.settled()
	d.ended()
	require.Equal(t, map[string]int{"done": 2, "queued": 4, "skipped": 4}, d.outcomes(j.ID), "what waits is not heaped up")

	woken := d.waking()
	d.give(d.there[2])
	require.Contains(t, woken.wakes, chat.Wake{Kind: chat.WakeTrack, ID: chat.TrackID})
	d.settled()
	require.Equal(t, []chat.SessionKey{d.there[2].Session}, d.begun())
	for _, n := range []int{0, 1, 3} {
		d.give(d.there[n])
	}
	d.settled()
	d.ended()
	require.Equal(t, map[string]int{"done": 6, "skipped": 4}, d.outcomes(j.ID))
}

func TestTrack_ATakingPutsTheRunsBackInLineThatNobodyHasBegun(t *testing.T) {
	d := deskOf(t, 5)
	j := d.task("30 9 * * *", "")
	d.c.set("2026-03-02T08:30:00Z")
	d.fire(j.ID)
	require.Equal(t, 4, d.settled().Posted)
	first := d.begun()[0]
	begun := d.turn(first, 1)
	for _, c := range d.there {
		if c.Session == first {
			require.Equal(t, begun, d.take(c), "the turn that runs is stopped")
		}
	}
	for _, c := range d.there[:4] {
		if c.Session != first {
			d.take(c)
		}
	}
	out := d.settled()
	require.Equal(t, []chat.SessionKey{d.there[4].Session}, d.begun(), "a place is free for it")
	require.Equal(t, 2, out.Posted, "it, and the turn that stops")
	d.finish(first, begun, chat.TurnStopped)
	other := d.there[4].Session
	d.finish(other, d.turn(other, 1), chat.TurnDone)
	d.c.set("2026-03-02T10:30:00Z")
	d.settled()
	require.Equal(t, map[string]int{"stopped": 1, "done": 1, "queued": 3}, d.outcomes(j.ID))
	for _, c := range d.there[:4] {
		d.give(c)
	}
	d.settled()
	d.ended()
	require.Equal(t, map[string]int{"stopped": 1, "done": 4}, d.outcomes(j.ID), "each is told once")
	require.Len(t, d.told(), 5)
}

func TestTrack_ATakingAndTheLineMeet(t *testing.T) {
	d := deskOf(t, 8)
	for day := range 5 {
		j := d.task("30 9 * * *", "")
		d.c.set(fmt.Sprintf("2026-03-%02dT08:30:00Z", day+2))
		d.fire(j.ID)
		var g errgroup.Group
		for _, c := range d.there {
			g.Go(func() error { _, err := d.Cron.AdvanceTrack(t.Context(), 4, 30*time.Minute); return err })
			g.Go(func() error { _, err := d.Services.TakeIn(t.Context(), c, d.by(), d.Quota.Zones()); return err })
		}
		require.NoError(t, g.Wait())
		require.Empty(t, d.begun(), "whatever had a place gave it back")
		require.Zero(t, d.settled().Posted)
		for _, c := range d.there {
			d.give(c)
		}
		d.settled()
		d.ended()
		require.Equal(t, map[string]int{"done": 8}, d.outcomes(j.ID))
	}
}

func TestTrack_WhatWaitsIsToldHoweverManyJobsAreDoneMeanwhile(t *testing.T) {
	d := deskOf(t, 1)
	d.take(d.there[0])
	waits := d.task("in 1m", d.there[0].Session)
	d.c.set("2026-03-02T08:30:00Z")
	d.fire(waits.ID)
	d.settled()
	for _, at := range []string{"2026-03-02T09:00:00Z", "2026-03-02T10:00:00Z"} {
		var others []chat.JobID
		for range 60 {
			others = append(others, d.job("in 1m", nil).ID)
		}
		d.c.set(at)
		for _, id := range others {
			d.fire(id)
		}
	}
	d.give(d.there[0])
	d.settled()
	key := d.there[0].Session
	require.Contains(t, d.begun(), key)
	d.finish(key, d.turn(key, 1), chat.TurnDone)
	require.Equal(t, map[string]int{"done": 1}, d.outcomes(waits.ID))
}

func TestTrack_ARunOfADeletedJobKeepsItsPlaceUntilItsTurnIsOver(t *testing.T) {
	d := deskOf(t, 2)
	ctx := t.Context()
	j := d.task("30 9 * * *", "")
	d.c.set("2026-03-02T08:30:00Z")
	d.fire(j.ID)
	d.settled()
	first := d.begun()[0]
	turn := d.turn(first, 1)
	require.NoError(t, d.Cron.DeleteJob(ctx, j.ID))
	require.Equal(t, 1, d.settled().Posted, "the run that no turn has begun is dropped")
	d.c.set("2026-03-02T09:00:01Z")
	d.settled()
	stop, err := d.Turns.StopRequested(ctx, first, turn)
	require.NoError(t, err)
	require.True(t, stop, "it takes too long, as any other")
	d.finish(first, turn, chat.TurnStopped)
	require.Zero(t, d.settled().Posted)
	require.Zero(t, d.count("SELECT count(*) FROM cron_runs WHERE job_id = $1", string(j.ID)))
	d.settled()
	require.Zero(t, d.count("SELECT (SELECT count(*) FROM cron_firings WHERE job_id = $1) + (SELECT count(*) FROM cron_runs WHERE job_id = $1)", string(j.ID)))
}
