package e2e

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/service"
	"xbot/workflows"
)

// tasks has conversations of services told something, and returns the jobs.
func (c *consumer) tasks(body map[string]any) []chat.Job {
	c.t.Helper()
	var made struct{ Jobs []chat.Job }
	c.asAdmin(http.MethodPost, "/api/service-tasks", body, &made)
	return made.Jobs
}

// answered are what was said in a conversation.
func (c *consumer) answered(id string) (said []string) {
	c.t.Helper()
	for _, m := range c.conversation(id).Messages {
		if m.Role == "assistant" {
			said = append(said, m.Content)
		} else {
			said = append(said, m.Role+": "+m.Content)
		}
	}
	return said
}

func (c *consumer) over(n int) func([]chat.JobRun) bool {
	return func(runs []chat.JobRun) bool {
		for _, r := range runs {
			if r.Outcome == "queued" {
				return false
			}
		}
		return ended(n)(runs)
	}
}

func TestServiceTasks_KillsTellEachConversationOnceAndFourAtATime(t *testing.T) {
	t.Parallel()
	c := newServer(t).publishesService(service.Patch{})
	const many = 30
	ids := make([]string, many)
	for i := range ids {
		ids[i] = c.begins()
	}
	db := c.look()
	// posted_at is when a transaction began, before it waited for its lock. So a trigger counts the runs under way at each change.
	for _, statement := range []string{
		`CREATE TABLE runs_posted (n int)`,
		`CREATE FUNCTION count_runs_posted() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN INSERT INTO runs_posted SELECT count(*) FROM cron_runs WHERE lane = 'posted'; RETURN NULL; END $$`,
		`CREATE TRIGGER count_runs_posted AFTER UPDATE ON cron_runs FOR EACH ROW EXECUTE FUNCTION count_runs_posted()`,
	} {
		_, err := db.Exec(t.Context(), statement)
		require.NoError(t, err, statement)
	}
	held := c.held("BEFORE INSERT ON cron_firings", "true")
	held.also("BEFORE INSERT ON cron_runs", "NEW.lane = 'queued'")
	j := c.tasks(map[string]any{"message": "say hello", "service_ids": []string{c.of.ID}, "schedule_type": "once"})[0]
	held.waits(1) // it fires
	c.crash()
	held.release()
	c.boot()
	posted := func(n int) {
		t.Helper()
		require.Eventually(t, func() bool {
			var got int
			return db.QueryRow(context.Background(), `SELECT count(*) FROM cron_runs WHERE lane IN ('posted', 'over')`).Scan(&got) == nil && got >= n
		}, crashLimit, time.Millisecond)
	}
	posted(5)
	c.crash()
	c.boot()
	runs := c.untilRuns(crashLimit, j.ID, "are over", c.over(many))
	require.Len(t, runs, many)
	for _, id := range ids {
		require.Equal(t, []string{"hello"}, c.answered(id), "it was told once, and the consumer sees nothing of what the administrator wrote")
		require.Equal(t, 1, c.turns(id))
	}
	var peak int
	require.NoError(t, c.look().QueryRow(t.Context(), `SELECT max(n) FROM runs_posted`).Scan(&peak))
	require.Equal(t, chat.TrackPlaces, peak)
	var asked string
	require.NoError(t, c.look().QueryRow(t.Context(), `SELECT body FROM inbox WHERE kind = 'background' LIMIT 1`).Scan(&asked))
	require.True(t, strings.HasPrefix(asked, "[System Instruction - From Admin]\n[cron say hello · "), asked)

	var run chat.JobRunDetails
	c.asAdmin(http.MethodGet, "/api/cron/"+string(j.ID)+"/runs/"+strconv.FormatInt(runs[0].ID, 10), nil, &run)
	require.Equal(t, "success", run.Status)
	require.Equal(t, "hello", run.Output)
	require.Equal(t, "model", run.Steps[0].Kind)
	require.NotNil(t, run.Steps[0].Ended)
}

func TestServiceTasks_AWithdrawnServiceHoldsThemAndADeletedConversationEndsItsOwn(t *testing.T) {
	t.Parallel()
	c := newServer(t).publishesService(service.Patch{})
	first, second := c.begins(), c.begins()
	all := c.tasks(map[string]any{"message": "say all", "service_ids": []string{c.of.ID}, "schedule_type": "interval", "schedule": "3600"})[0]
	one := c.tasks(map[string]any{"message": "say one", "session_ids": []string{second}, "schedule_type": "interval", "schedule": "3600"})[0]
	c.asAdmin(http.MethodPatch, "/api/services/"+c.of.ID, map[string]any{"published": false}, nil)
	_, err := c.look().Exec(t.Context(), `UPDATE cron_jobs SET next_at = now() - interval '1 minute', due_at = now() - interval '1 minute' WHERE id = $1`, all.ID)
	require.NoError(t, err)
	c.asAdmin(http.MethodPost, "/api/cron/"+string(one.ID)+"/pause", nil, nil)
	require.Never(t, func() bool {
		runs, err := c.client.ListRuns(t.Context(), all.ID)
		return err != nil || len(runs) > 0
	}, 4*time.Second, 500*time.Millisecond)
	c.asAdmin(http.MethodPatch, "/api/services/"+c.of.ID, map[string]any{"published": true}, nil)
	c.untilRuns(crashLimit, all.ID, "is made up for", c.over(2))
	require.Equal(t, []string{"all"}, c.answered(first))

	c.reads(http.StatusNoContent, nil, http.MethodDelete, "/api/v1/conversations/"+second, nil)
	require.Eventually(t, func() bool {
		var n int
		return c.look().QueryRow(t.Context(), `SELECT count(*) FROM cron_jobs WHERE id = $1 AND state <> 'deleted'`, one.ID).Scan(&n) == nil && n == 0
	}, crashLimit, 100*time.Millisecond, "the job goes with its conversation")
}

func TestServiceTasks_AConsumerKeepsJobsOfItsOwnConversationAlone(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	c := s.publishesService(service.Patch{Capabilities: &[]service.Capability{service.Scheduler}})
	id := c.begins()
	said := wholeTexts(c.untilDone(id, "call Cron {\"action\":\"add\",\"when\":\"every 6m\",\"message\":\"say reminded\",\"name\":\"tea\"}\nsay kept", "a"))
	require.Equal(t, "kept", said[len(said)-1])
	var jobs struct{ Jobs []chat.Job }
	c.asAdmin(http.MethodGet, "/api/cron?all=true&service="+c.of.ID, nil, &jobs)
	require.Len(t, jobs.Jobs, 1)
	j := jobs.Jobs[0]
	require.Equal(t, service.SessionKey(c.of.ID, id), j.Target)
	_, err := c.look().Exec(t.Context(), `UPDATE cron_jobs SET next_at = now(), due_at = now(), checked_at = now() - interval '1 minute'`)
	require.NoError(t, err)
	c.untilRuns(crashLimit, j.ID, "runs", c.over(1))
	require.Contains(t, c.answered(id), "reminded")

	for n, refused := range []string{
		`call Cron {"action":"add","when":"every 6m","message":"say x","isolated":true}`,
		`call Cron {"action":"add","when":"every 1m","message":"say x"}`,
		`call Cron {"action":"run","job":"tea"}`,
		`call publish_service_task {"message":"say x","service_ids":["` + c.of.ID + `"],"schedule_type":"once"}`,
	} {
		c.untilDone(id, refused+"\nsay tried", "r"+strconv.Itoa(n))
	}
	c.asAdmin(http.MethodGet, "/api/cron?all=true&service="+c.of.ID, nil, &jobs)
	require.Len(t, jobs.Jobs, 1)
	require.Equal(t, 1, jobs.Jobs[0].Runs)

	bare := s.publishesService(service.Patch{})
	bare.untilDone(bare.begins(), "call Cron {\"action\":\"add\",\"when\":\"@daily\",\"message\":\"say x\"}\nsay tried", "a")
	c.asAdmin(http.MethodGet, "/api/cron?all=true&service="+bare.of.ID, nil, &jobs)
	require.Empty(t, jobs.Jobs, "a service without the capability keeps none")
}

func TestServiceTasks_AnAdministratorPublishesOneInAConversation(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	c := s.publishesService(service.Patch{})
	id := c.begins()
	s.newTalk().send("call publish_service_task {\"message\":\"say from the house\",\"service_ids\":[\"" + c.of.ID + "\"],\"schedule_type\":\"once\",\"task_name\":\"news\"}\nsay published")
	require.Eventually(t, func() bool { return len(c.answered(id)) > 0 }, crashLimit, 100*time.Millisecond)
	require.Equal(t, []string{"from the house"}, c.answered(id))
}

// TestHistories_OfServiceTasks looks at the history of the line of the runs of services' jobs.
func TestHistories_OfServiceTasks(t *testing.T) {
	t.Parallel()
	c := newServer(t).publishesService(service.Patch{})
	for range 6 {
		c.begins()
	}
	const spoken = "a long secret tale that nobody reads in Temporal"
	j := c.tasks(map[string]any{"message": "say " + spoken, "service_ids": []string{c.of.ID}, "schedule_type": "once"})[0]
	c.untilRuns(crashLimit, j.ID, "are over", c.over(6))
	h := c.captureRun("servicetrack", workflows.TrackID, c.runOf(workflows.TrackID))
	small(t, "line", h, 120, 32<<10)
	require.NotContains(t, h.String(), "secret tale")
}

func TestServiceUsage_CountsWhatConsumersDidAndKeepsItOverADeletion(t *testing.T) {
	t.Parallel()
	c := newServer(t).publishesService(service.Patch{})
	id := c.begins()
	c.untilDone(id, "say hello", "a")
	c.reads(http.StatusNotFound, nil, http.MethodGet, "/api/v1/conversations/0123456789", nil)
	type row struct {
		Requests, Errors int64
		Prompt           int64 `json:"prompt_tokens"`
	}
	var used struct{ Total row }
	read := func() row {
		c.asAdmin(http.MethodGet, "/api/services/"+c.of.ID+"/usage", nil, &used)
		return used.Total
	}
	require.Eventually(t, func() bool { now := read(); return now.Requests >= 3 && now.Errors >= 1 && now.Prompt > 0 }, crashLimit, 100*time.Millisecond)
	tokens := read().Prompt
	c.reads(http.StatusNoContent, nil, http.MethodDelete, "/api/v1/conversations/"+id, nil)
	require.Eventually(t, func() bool {
		var n int
		return c.look().QueryRow(t.Context(), `SELECT count(*) FROM sessions WHERE key = $1`, service.SessionKey(c.of.ID, id)).Scan(&n) == nil && n == 0
	}, crashLimit, 100*time.Millisecond)
	require.Equal(t, tokens, read().Prompt)

	at, err := c.Endpoint(t.Context())
	require.NoError(t, err)
	status, body := c.get(http.MethodGet, "/metrics", http.Header{"Authorization": {"Bearer " + at.Token}})
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, `xbot_service_requests_total{service="`+c.of.ID+`",status="4xx"} 1`)
	require.Contains(t, body, `xbot_service_tokens_total{kind="prompt",service="`+c.of.ID+`"} `+strconv.FormatInt(tokens, 10)+"\n")
	require.NotContains(t, body, id, "no conversation is a label")
}
