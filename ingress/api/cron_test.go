package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

func (p *person) jobs(query string) (out struct {
	Jobs     []chat.Job `json:"jobs"`
	Timezone string     `json:"timezone"`
	From     string     `json:"timezone_from"`
},
) {
	p.t.Helper()
	p.get("/api/cron"+query).is(http.StatusOK, &out)
	return out
}

func (p *person) job(plan map[string]any) (out chat.Job) {
	p.t.Helper()
	p.post("/api/cron", plan).is(http.StatusCreated, &out)
	return out
}

func TestCron_JobsAreKeptChangedRunAndRemoved(t *testing.T) {
	b := setup(t)
	plan := map[string]any{"when": "0 9 * * 1-5", "message": "read the news", "once": "1"}
	j := b.bob.job(plan)
	require.Equal(t, "Europe/Berlin/server", b.bob.jobs("").Timezone+"/"+b.bob.jobs("").From)
	require.Equal(t, j.ID, b.bob.job(plan).ID, "the same request makes one job")
	require.Equal(t, "Europe/Berlin", j.Zone)
	require.Equal(t, "read the news", j.Name)
	require.Equal(t, "once", j.Missed)
	require.NotNil(t, j.Next)

	path := "/api/cron/" + string(j.ID)
	change := map[string]any{"when": "@daily", "timezone": "Asia/Shanghai", "message": "read it all", "name": "news", "revision": j.Revision}
	var changed chat.Job
	b.bob.put(path, change).is(http.StatusOK, &changed)
	require.Equal(t, "@daily", changed.When)
	b.bob.put(path, change).is(http.StatusConflict, nil)

	var paused chat.Job
	b.bob.post(path+"/pause", nil).is(http.StatusOK, &paused)
	require.Equal(t, chat.JobPaused, paused.State)
	require.Nil(t, paused.Next)
	b.bob.post(path+"/resume", nil).is(http.StatusOK, &paused)
	require.Equal(t, chat.JobActive, paused.State)

	for range 2 {
		b.bob.post(path+"/run", map[string]any{"once": "a"}).is(http.StatusAccepted, nil)
	}
	var runs struct {
		Runs []chat.JobRun `json:"runs"`
	}
	b.bob.get(path+"/runs").is(http.StatusOK, &runs)
	require.Len(t, runs.Runs, 1)
	require.Equal(t, chat.SessionKey("cron:"+j.ID), runs.Runs[0].Session)
	b.bob.get("/api/sessions/cron:"+string(j.ID)).is(http.StatusOK, nil)

	b.bob.delete(path).is(http.StatusNoContent, nil)
	require.Empty(t, b.bob.jobs("").Jobs)
	b.bob.post(path+"/resume", nil).is(http.StatusNotFound, nil)
}

func TestCron_NobodySeesTheJobsOfOthersButAdministrators(t *testing.T) {
	b := setup(t)
	j := b.alice.job(map[string]any{"when": "every 1h", "message": "look"})
	path := "/api/cron/" + string(j.ID)
	require.Empty(t, b.bob.jobs("?all=true").Jobs)
	b.bob.get(path+"/runs").is(http.StatusNotFound, nil)
	b.bob.put(path, map[string]any{"when": "every 1h", "message": "mine"}).is(http.StatusNotFound, nil)
	b.bob.post(path+"/run", map[string]any{"once": "a"}).is(http.StatusNotFound, nil)
	b.bob.delete(path).is(http.StatusNotFound, nil)

	bobs := b.bob.job(map[string]any{"when": "every 1h", "message": "look"})
	require.Len(t, b.alice.jobs("").Jobs, 1)
	require.Len(t, b.alice.jobs("?all=true").Jobs, 2)
	b.alice.post("/api/cron/"+string(bobs.ID)+"/pause", nil).is(http.StatusOK, nil)
}

func TestCron_AJobSpeaksInConversationsOfItsOwnerOnly(t *testing.T) {
	b := setup(t)
	const key = chat.SessionKey("agent:main:web:thread:jobs")
	b.alice.session(key)
	for _, where := range []string{"target", "deliver"} {
		b.bob.post("/api/cron", map[string]any{"when": "every 1h", "message": "look", where: key}).is(http.StatusNotFound, nil)
	}
	require.Equal(t, key, b.alice.job(map[string]any{"when": "every 1h", "message": "look", "target": key}).Target)
}

func TestCron_SaysWhatIsWrong(t *testing.T) {
	b := setup(t)
	for _, plan := range []map[string]any{
		{"when": "tomorrow", "message": "look"}, {"when": "every 5s", "message": "look"}, {"when": "@daily", "message": " "}, {"when": "@daily", "message": "x", "timezone": "Mars"},
		{"when": "@daily", "message": "x", "max_age_s": 99999999}, {"when": "@daily", "message": "x", "missed": "never"}, {"when": "at 2020-01-01 00:00", "message": "x"},
	} {
		require.Contains(t, []int{http.StatusBadRequest, http.StatusUnprocessableEntity}, b.bob.post("/api/cron", plan).status, "%v", plan)
	}
	var preview struct {
		When  string   `json:"when"`
		Times []string `json:"times"`
	}
	b.bob.post("/api/cron/preview", map[string]any{"when": "every 90 minutes"}).is(http.StatusOK, &preview)
	require.Equal(t, "every 1h30m", preview.When)
	require.Len(t, preview.Times, 5)
	b.bob.post("/api/cron/preview", map[string]any{"when": "soon"}).is(http.StatusBadRequest, nil)
}
