package api_test

import (
	"maps"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/automation/cron"
	"xbot/internal/chat"
	"xbot/internal/secret"
	"xbot/internal/service"
	"xbot/internal/service/servicestore"
)

// served makes a service of alice's with conversations.
func (b *bundle) served(conversations int) (service.Service, []service.Conversation) {
	b.t.Helper()
	ctx := b.t.Context()
	d, err := service.Defaults().Apply(service.Patch{Name: new("Help desk"), Capabilities: &[]service.Capability{service.Scheduler}})
	require.NoError(b.t, err)
	made, err := b.store.Services.AddService(ctx, b.alice.user.ID, d, true)
	require.NoError(b.t, err)
	_, key, err := b.store.Services.AddServiceKey(ctx, made.ID, "shop")
	require.NoError(b.t, err)
	by, err := b.store.Services.CallerOf(ctx, secret.HashToken(key))
	require.NoError(b.t, err)
	var out []service.Conversation
	for range conversations {
		c, err := b.store.Services.BeginConversation(ctx, servicestore.NewConversation{Caller: by, Source: service.SourceAPI})
		require.NoError(b.t, err)
		out = append(out, c)
	}
	return made, out
}

type published struct {
	Jobs []chat.Job `json:"jobs"`
}

func TestServiceTasks_AnAdministratorPublishesToServicesAndConversations(t *testing.T) {
	b := setup(t)
	of, there := b.served(3)
	task := object{"message": "say hello", "task_name": "hello", "service_ids": []string{of.ID}, "session_ids": []string{there[0].ID, string(there[1].Session)}, "schedule_type": "interval", "schedule": "3600", "run_now": true, "once": "a"}
	var made, again published
	b.alice.post("/api/service-tasks", task).is(http.StatusCreated, &made)
	require.Len(t, made.Jobs, 3)
	require.Equal(t, "every 1h", made.Jobs[0].When)
	require.Empty(t, made.Jobs[0].Target, "it tells all conversations")
	require.Equal(t, of.ID, made.Jobs[0].Service)
	b.alice.post("/api/service-tasks", task).is(http.StatusCreated, &again)
	require.Equal(t, made.Jobs[1].ID, again.Jobs[1].ID, "the same request makes one job")

	out, err := b.store.Cron.AdvanceTrack(t.Context(), chat.TrackPlaces, chat.TrackRunTime)
	require.NoError(t, err)
	for out.Waiting && out.Wait == 0 {
		out, err = b.store.Cron.AdvanceTrack(t.Context(), chat.TrackPlaces, chat.TrackRunTime)
		require.NoError(t, err)
	}
	require.Equal(t, 4, out.Posted, "five runs, and four places")
	require.Len(t, b.alice.jobs("?track=services").Jobs, 3)
	require.Len(t, b.alice.jobs("?service="+of.ID).Jobs, 3)
	require.Empty(t, b.alice.jobs("?track=house").Jobs)

	var runs struct {
		Runs []chat.JobRun `json:"runs"`
	}
	path := "/api/cron/" + string(made.Jobs[0].ID)
	b.alice.get(path+"/runs").is(http.StatusOK, &runs)
	require.Len(t, runs.Runs, 3)
	var run chat.JobRunDetails
	b.alice.get(path+"/runs/"+strconv.FormatInt(runs.Runs[2].ID, 10)).is(http.StatusOK, &run)
	require.Equal(t, runs.Runs[2].Session, run.Session)
	require.Empty(t, run.Status, "it is not over")
	b.alice.get(path+"/runs/999999").is(http.StatusNotFound, nil)

	var line cron.Timeline
	b.alice.get("/api/cron-timeline?track=services&days=1").is(http.StatusOK, &line)
	ran, comes := 0, 0
	for _, item := range line.Items {
		require.Equal(t, of.ID, item.Service)
		if item.Run != nil {
			ran++
			require.False(t, item.At.After(line.Now))
			continue
		}
		comes++
		require.WithinDuration(t, line.Now, item.At, 24*time.Hour)
	}
	require.Equal(t, 5, ran)
	require.InDelta(t, 3*24, comes, 3)
}

func TestServiceTasks_AreForAdministratorsAndForWhatIsPublished(t *testing.T) {
	b := setup(t)
	of, there := b.served(1)
	task := func(change object) object {
		out := object{"message": "say hello", "service_ids": []string{of.ID}, "schedule_type": "once"}
		maps.Copy(out, change)
		return out
	}
	b.bob.post("/api/service-tasks", task(nil)).is(http.StatusForbidden, nil)
	b.bob.post("/api/cron", object{"message": "hello", "when": "@daily", "target": there[0].Session}).is(http.StatusNotFound, nil)
	for what, c := range map[string]struct {
		change object
		status int
	}{
		"nobody":                    {object{"service_ids": []string{}}, http.StatusBadRequest},
		"an unknown service":        {object{"service_ids": []string{"svc_00000000"}}, http.StatusNotFound},
		"an unknown conversation":   {object{"session_ids": []string{"0123456789"}}, http.StatusNotFound},
		"a session of the house":    {object{"session_ids": []string{string(b.alice.session("agent:main:web:thread:house").Key)}}, http.StatusBadRequest},
		"no such type":              {object{"schedule_type": "sometimes"}, http.StatusUnprocessableEntity},
		"an interval that is short": {object{"schedule_type": "interval", "schedule": "5"}, http.StatusBadRequest},
		"an expression as interval": {object{"schedule_type": "cron", "schedule": "every 1h"}, http.StatusBadRequest},
		"no message":                {object{"message": " "}, http.StatusBadRequest},
		"no such timezone":          {object{"timezone": "Atlantis/Capital"}, http.StatusBadRequest},
	} {
		got := b.alice.post("/api/service-tasks", task(c.change))
		require.Equal(t, c.status, got.status, "%s: %s", what, got.body)
	}
	var job chat.Job
	b.alice.post("/api/cron", object{"message": "hello", "when": "@daily", "target": there[0].Session}).is(http.StatusCreated, &job)
	require.Equal(t, of.ID, job.Service, "whatever tells a conversation of a service waits in line")
	b.alice.put("/api/cron/"+string(job.ID), object{"message": "hello", "when": "@daily", "target": ""}).is(http.StatusOK, &job)
	require.Equal(t, of.ID, job.Service)

	_, err := b.store.Services.ChangeService(t.Context(), of.ID, 0, service.Patch{Published: new(false)})
	require.NoError(t, err)
	b.alice.post("/api/service-tasks", task(nil)).is(http.StatusConflict, nil)
	b.alice.post("/api/cron/"+string(job.ID)+"/run", object{"once": "a"}).is(http.StatusConflict, nil)
	require.True(t, b.alice.jobs("").Jobs[0].Held)
}
