package cron_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/automation/cron"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/store"
	"xbot/internal/testing/pgtest"
	"xbot/internal/turn/policy"
	"xbot/internal/user/users"
)

// set is a policy that a test sets.
type set struct{ *policy.Policy }

func (s *set) Get(context.Context) (*policy.Policy, error) { return s.Policy, nil }

func (s *set) to(t *testing.T, document string) {
	t.Helper()
	var err error
	s.Policy, _, err = policy.Parse([]byte(document))
	require.NoError(t, err)
}

// utc is where everybody lives.
type utc struct{}

func (utc) ZoneOf(context.Context, chat.UserID) (cron.Zone, error) {
	return cron.Zone{Name: "UTC", From: cron.FromServer}, nil
}

func TestHearts_FollowThePolicyAndCostNothingWithNothingToDo(t *testing.T) {
	t.Parallel()
	s := store.New(pgtest.NewPool(t, pg.MigrationsHash(), pg.Migrate), store.Options{})
	alice, err := s.Users.EnsureAdmin(t.Context(), "alice")
	require.NoError(t, err)
	desk := &cron.Jobs{Conversations: s.Conversations, Cron: s.Cron, Services: s.Services, Zones: utc{}}
	p := &set{}
	h := &cron.Heartbeats{Jobs: desk, Policies: p, Home: t.TempDir(), People: s.Users, Admin: "alice"}
	who := cron.Caller{User: alice.ID, Admin: true}
	jobs := func() []chat.Job {
		t.Helper()
		require.NoError(t, h.Follow(t.Context()))
		all, err := desk.List(t.Context(), who, true)
		require.NoError(t, err)
		return all
	}
	p.to(t, `{}`)
	require.Empty(t, jobs(), "it is off unless the policy says otherwise")
	p.to(t, `{agents: {list: [{id: "main", heartbeat: {every: "30m"}}]}}`)
	first := jobs()
	require.Len(t, first, 1)
	require.Equal(t, "every 30m", first[0].When)
	require.Equal(t, first, jobs(), "following again changes nothing")
	_, err = desk.Pause(t.Context(), who, first[0].ID)
	require.True(t, fault.Is(err, fault.Denied), "%v", err)

	beat, err := h.Heartbeat(t.Context(), first[0].ID)
	require.NoError(t, err)
	require.Equal(t, &chat.Heartbeat{Skip: "empty"}, beat)
	require.NoError(t, os.WriteFile(filepath.Join(h.Home, "HEARTBEAT.md"), []byte("- is the backup done?\n"), 0o600))
	beat, err = h.Heartbeat(t.Context(), first[0].ID)
	require.NoError(t, err)
	require.Contains(t, beat.Text, "is the backup done?")
	require.Contains(t, beat.Text, "HEARTBEAT_OK")

	p.to(t, `{agents: {list: [{id: "main", heartbeat: {every: "1h", target: "last", activeHours: {start: "00:00", end: "00:00"}}}]}}`)
	changed := jobs()
	require.Equal(t, first[0].ID, changed[0].ID)
	require.Equal(t, "every 1h", changed[0].When)
	beat, err = h.Heartbeat(t.Context(), first[0].ID)
	require.NoError(t, err)
	require.Equal(t, &chat.Heartbeat{Skip: "hours"}, beat)
	p.to(t, `{}`)
	require.Empty(t, jobs())
}

func TestHearts_FollowThePolicyHoweverManyJobsThereAre(t *testing.T) {
	t.Parallel()
	pool := pgtest.NewPool(t, pg.MigrationsHash(), pg.Migrate)
	s := store.New(pool, store.Options{})
	alice, err := s.Users.EnsureAdmin(t.Context(), "alice")
	require.NoError(t, err)
	_, err = pool.Exec(t.Context(), `INSERT INTO cron_jobs (id, user_id, name, message, kind, every_s, zone, missed, max_age_s, next_at, due_at)
		SELECT 'job_' || lpad(to_hex(n), 8, '0'), $1, 'x', 'x', 'every', 60, 'UTC', 'once', 1, now(), now() FROM generate_series(1, 600) n`, alice.ID)
	require.NoError(t, err)
	p := &set{}
	h := &cron.Heartbeats{
		Jobs:     &cron.Jobs{Conversations: s.Conversations, Cron: s.Cron, Services: s.Services, Zones: utc{}},
		Policies: p, Home: t.TempDir(), People: s.Users, Admin: "alice",
	}
	for every, want := range map[string]int{`{agents: {list: [{id: "main", heartbeat: {every: "30m"}}]}}`: 1, `{}`: 0} {
		p.to(t, `{agents: {list: [{id: "main", heartbeat: {every: "1h"}}]}}`)
		require.NoError(t, h.Follow(t.Context()))
		p.to(t, every)
		require.NoError(t, h.Follow(t.Context()))
		found := 0
		require.NoError(t, pool.QueryRow(t.Context(), "SELECT count(*) FROM cron_jobs WHERE heartbeat <> '' AND state <> 'deleted' AND every_s = 1800").Scan(&found))
		require.Equal(t, want, found, every)
		require.NoError(t, pool.QueryRow(t.Context(), "SELECT count(*) FROM cron_jobs WHERE heartbeat <> '' AND state <> 'deleted'").Scan(&found))
		require.Equal(t, want, found, every)
	}
}

func TestDesk_FindsAJobByItsIDOrItsName(t *testing.T) {
	t.Parallel()
	s := store.New(pgtest.NewPool(t, pg.MigrationsHash(), pg.Migrate), store.Options{})
	alice, err := s.Users.EnsureAdmin(t.Context(), "alice")
	require.NoError(t, err)
	desk := &cron.Jobs{Conversations: s.Conversations, Cron: s.Cron, Services: s.Services, Zones: utc{}}
	who := cron.Caller{User: alice.ID}
	j, err := desk.Add(t.Context(), who, chat.JobPlan{When: "@daily", Message: "water the plants"}, cron.From{})
	require.NoError(t, err)
	for _, word := range []string{string(j.ID), string(j.ID)[4:], "Water the plants", "`" + string(j.ID) + "`"} {
		found, err := desk.Find(t.Context(), who, word)
		require.NoError(t, err)
		require.Equal(t, j.ID, found.ID, word)
	}
	_, err = desk.Add(t.Context(), who, chat.JobPlan{When: "@hourly", Message: "water the plants"}, cron.From{})
	require.NoError(t, err)
	_, err = desk.Find(t.Context(), who, "water the plants")
	require.True(t, fault.Is(err, fault.Conflict), "%v", err)
	_, err = desk.Find(t.Context(), cron.Caller{User: alice.ID + 1}, string(j.ID))
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
}

func TestHearts_EachPersonThatThePolicyNamesHasTheirOwn(t *testing.T) {
	t.Parallel()
	s := store.New(pgtest.NewPool(t, pg.MigrationsHash(), pg.Migrate), store.Options{})
	alice, err := s.Users.EnsureAdmin(t.Context(), "alice")
	require.NoError(t, err)
	bob, err := s.Users.CreateUser(t.Context(), "bob", users.RoleMember)
	require.NoError(t, err)
	p := &set{}
	h := &cron.Heartbeats{
		Jobs: &cron.Jobs{Conversations: s.Conversations, Cron: s.Cron, Services: s.Services, Zones: utc{}}, Policies: p, Home: t.TempDir(), People: s.Users, Admin: "alice",
	}
	beats := func() map[string]chat.JobID {
		t.Helper()
		all, err := s.Cron.Heartbeats(t.Context())
		require.NoError(t, err)
		out := map[string]chat.JobID{}
		for _, j := range all {
			out[fmt.Sprint(j.Heartbeat, " ", j.Owner)] = j.ID
		}
		require.Len(t, out, len(all))
		return out
	}
	alices, bobs, ops := fmt.Sprint("main ", alice.ID), fmt.Sprint("main ", bob.ID), fmt.Sprint("ops ", bob.ID)
	p.to(t, `{agents: {list: [{id: "main", heartbeat: {every: "30m"}}]}}`)
	require.NoError(t, h.Follow(t.Context()))
	before := beats()
	require.Contains(t, before, alices)

	p.to(t, `{agents: {list: [{id: "main", heartbeat: {every: "30m", people: ["bob", "nobody", "alice"]}}, {id: "ops", heartbeat: {every: "2h", people: ["bob"]}}]}}`)
	err = h.Follow(t.Context())
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	require.ErrorContains(t, err, "nobody")
	now := beats()
	require.Len(t, now, 3)
	require.Equal(t, before[alices], now[alices], "what there was stays")
	require.Contains(t, now, bobs)
	require.Contains(t, now, ops)

	p.to(t, `{agents: {list: [{id: "main", heartbeat: {every: "30m", people: ["bob"]}}]}}`)
	require.NoError(t, h.Follow(t.Context()))
	require.Equal(t, map[string]chat.JobID{bobs: now[bobs]}, beats())
}
