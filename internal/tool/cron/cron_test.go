package cron_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	jobs "xbot/internal/automation/cron"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/tool"
	"xbot/internal/tool/cron"
)

const here = chat.SessionKey("agent:main:web:thread:here")

// fakeStore stands in for the store of jobs, with what was asked of it.
type fakeStore struct {
	t     *testing.T
	jobs  []chat.Job
	runs  []chat.JobRun
	asked []string
	plan  chat.JobPlan
	from  jobs.From
	fail  error
}

func setup(t *testing.T) *fakeStore {
	t.Helper()
	t.Parallel()
	next := time.Date(2026, 3, 29, 6, 0, 0, 0, time.UTC)
	return &fakeStore{t: t, jobs: []chat.Job{{ID: "job_1", State: chat.JobActive, Next: &next, JobPlan: chat.JobPlan{Name: "news", When: "0 8 * * *", Zone: "Europe/Berlin", Message: "read"}}}}
}

func (d *fakeStore) note(w jobs.Caller, what string, of ...any) {
	require.Equal(d.t, chat.UserID(7), w.User, "whose jobs")
	d.asked = append(d.asked, strings.TrimSpace(what+" "+fmt.Sprint(of...)))
}

func (d *fakeStore) List(_ context.Context, w jobs.Caller, all bool) ([]chat.Job, error) {
	d.note(w, "list", all)
	return d.jobs, d.fail
}

func (d *fakeStore) Find(_ context.Context, w jobs.Caller, word string) (chat.Job, error) {
	d.note(w, "find", word)
	for _, j := range d.jobs {
		if string(j.ID) == word || j.Name == word {
			return j, nil
		}
	}
	return chat.Job{}, fault.Errorf(fault.NotFound, "there is no job %q", word)
}

func (d *fakeStore) Add(_ context.Context, w jobs.Caller, p chat.JobPlan, from jobs.From) (chat.Job, error) {
	d.note(w, "add")
	d.plan, d.from = p, from
	return d.jobs[0], d.fail
}

func (d *fakeStore) Change(_ context.Context, w jobs.Caller, id chat.JobID, revision int64, edit func(p *chat.JobPlan)) (chat.Job, error) {
	d.note(w, "change", id, " ", revision)
	d.plan = d.jobs[0].JobPlan
	edit(&d.plan)
	return d.jobs[0], d.fail
}

func (d *fakeStore) Pause(_ context.Context, w jobs.Caller, id chat.JobID) (chat.Job, error) {
	d.note(w, "pause", id)
	j := d.jobs[0]
	j.State, j.Next = chat.JobPaused, nil
	return j, d.fail
}

func (d *fakeStore) Resume(_ context.Context, w jobs.Caller, id chat.JobID) (chat.Job, error) {
	d.note(w, "resume", id)
	return d.jobs[0], d.fail
}

func (d *fakeStore) Remove(_ context.Context, w jobs.Caller, id chat.JobID) error {
	d.note(w, "remove", id)
	return d.fail
}

func (d *fakeStore) Run(_ context.Context, w jobs.Caller, id chat.JobID, once string) error {
	d.note(w, "run", id, " ", once)
	return d.fail
}

func (d *fakeStore) Runs(_ context.Context, w jobs.Caller, id chat.JobID, most int) ([]chat.JobRun, error) {
	d.note(w, "runs", id, " ", most)
	return d.runs, d.fail
}

func (d *fakeStore) run(arguments string) chat.ToolResult {
	d.t.Helper()
	result, err := cron.New(d).Run(d.t.Context(), tool.Call{ID: "t1.0.0", Session: here, User: 7, Arguments: arguments})
	require.NoError(d.t, err)
	return result
}

const shown = "job_1 · news · 0 8 * * * (Europe/Berlin) · next 2026-03-29 08:00 CEST"

func TestCron_AddTellsTheConversationOrOneOfItsOwn(t *testing.T) {
	d := setup(t)
	require.Equal(t, shown, d.run(`{"action":" Add ","when":" @daily ","message":"read","name":"news","timezone":"Europe/Berlin","missed":"skip"}`).Content)
	require.Equal(t, chat.JobPlan{When: "@daily", Message: "read", Name: "news", Zone: "Europe/Berlin", Missed: "skip", Target: here}, d.plan)
	require.Equal(t, jobs.From{Home: here, Once: "t1.0.0"}, d.from, "a repeated call finds the job")
	d.run(`{"action":"add","when":"in 20m","message":"read","isolated":true}`)
	require.Equal(t, chat.JobPlan{When: "in 20m", Message: "read", Deliver: here}, d.plan)
}

func TestCron_EveryActionReachesTheJob(t *testing.T) {
	d := setup(t)
	require.Equal(t, shown, d.run(`{"action":"list"}`).Content)
	require.Equal(t, shown, d.run(`{"action":"edit","job":"news","when":"every 1h"}`).Content)
	require.Equal(t, chat.JobPlan{Name: "news", When: "every 1h", Zone: "Europe/Berlin", Message: "read"}, d.plan, "what is not said stays")
	require.Equal(t, "job_1 · news · 0 8 * * * (Europe/Berlin) · paused", d.run(`{"action":"pause","job":"news"}`).Content)
	require.Equal(t, shown, d.run(`{"action":"resume","job":"job_1"}`).Content)
	require.Equal(t, "news runs now; you are told after this turn.", d.run(`{"action":"run","job":"news"}`).Content)
	require.Equal(t, "Removed news.", d.run(`{"action":"remove","job":"news"}`).Content)
	d.runs = []chat.JobRun{{Scheduled: time.Date(2026, 1, 2, 7, 0, 0, 0, time.UTC), Reason: "missed", Outcome: "done", Said: "the news"}}
	require.Equal(t, shown+"\n2026-01-02 08:00 CET missed done the news", d.run(`{"action":"runs","job":"news"}`).Content)
	require.Equal(t, []string{
		"list false", "find news", "change job_1 0", "find news", "pause job_1", "find job_1", "resume job_1", "find news", "run job_1 t1.0.0",
		"find news", "remove job_1", "find news", "runs job_1 20",
	}, d.asked)
	d.jobs = nil
	require.Equal(t, "There are no jobs.", d.run(`{"action":"list"}`).Content)
	again := d.run(`{"action":"remove","job":"news"}`)
	require.False(t, again.IsError, "a repeated removal is one")
	require.Contains(t, again.Content, "There is no such job")
}

func TestCron_RefusesWithASentence(t *testing.T) {
	d := setup(t)
	for arguments, want := range map[string]string{
		`{}`:                                "action",
		`{"action":"start"}`:                "action is add, list, edit, pause, resume, run, remove or runs",
		`{"action":"add","message":"read"}`: "when is missing",
		`{"action":"edit"}`:                 `there is no job ""`,
		`{"action":"edit","job":"x"}`:       `there is no job "x"`,
		`{"action":"pause","job":"x"}`:      `there is no job "x"`,
		`{"action":"resume","job":"x"}`:     `there is no job "x"`,
		`{"action":"run","job":"x"}`:        `there is no job "x"`,
		`{"action":"runs","job":"x"}`:       `there is no job "x"`,
	} {
		result := d.run(arguments)
		require.True(t, result.IsError, arguments)
		require.Contains(t, result.Content, want, arguments)
	}
	d.fail = fault.Errorf(fault.Invalid, "the hour 25 is none")
	for _, action := range []string{"list", "add", "edit", "pause", "resume", "run", "remove", "runs"} {
		result := d.run(`{"action":"` + action + `","job":"news","when":"0 25 * * *"}`)
		require.True(t, result.IsError, action)
		require.Contains(t, result.Content, "the hour 25 is none", action)
	}
	d.fail = fault.Errorf(fault.Unavailable, "the database is away")
	_, err := cron.New(d).Run(t.Context(), tool.Call{ID: "t1.0.0", Session: here, User: 7, Arguments: `{"action":"list"}`})
	require.Error(t, err)
}
