package relay_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	common "go.temporal.io/api/common/v1"
	workflow "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"

	"xbot/ingress/ingresstest"
	"xbot/ingress/relay"
	"xbot/internal/automation/cron/cronstore"
	"xbot/internal/automation/schedule"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/turn/conversation"
	"xbot/workflows"
)

// listed answers the list of paused runs: workflow type by id, whose run id is the id of the workflow with "run " before it.
type listed map[string]string

func (l listed) ListWorkflow(context.Context, *workflowservice.ListWorkflowExecutionsRequest) (*workflowservice.ListWorkflowExecutionsResponse, error) {
	out := &workflowservice.ListWorkflowExecutionsResponse{}
	for id, kind := range l {
		out.Executions = append(out.Executions, &workflow.WorkflowExecutionInfo{
			Execution: &common.WorkflowExecution{WorkflowId: id, RunId: "run " + id}, Type: &common.WorkflowType{Name: kind},
		})
	}
	return out, nil
}

// notices are the sentences of the product in the conversation.
func (b *bundle) notices() (out []string) {
	b.T.Helper()
	page, err := b.Store.Conversations.Messages(b.T.Context(), ingresstest.Key, conversation.Page{Limit: 100})
	require.NoError(b.T, err)
	for _, m := range page.Messages {
		if m.Role == chat.RoleNotice {
			out = append(out, m.Content)
		}
	}
	return out
}

// runs are those that were let go on.
type runs []string

func (r *runs) Unpause(_ context.Context, id, run string) error {
	*r = append(*r, id+" "+run)
	return nil
}

func TestPauses_ArePutBeforeTheirPeopleOnceAndCounted(t *testing.T) {
	b := setup(t)
	b.Write(ingresstest.Key, "m1")
	next := time.Now().Add(time.Hour)
	j, _, err := b.Store.Cron.AddJob(t.Context(), cronstore.Job{
		Job: chat.Job{
			ID: "job_00000001", Owner: b.User.ID, State: chat.JobActive, Next: &next,
			JobPlan: chat.JobPlan{Name: "news", Message: "look", Zone: "UTC", Missed: "once", MaxAge: 60, Target: ingresstest.Key},
		},
		Spec: schedule.Spec{Kind: schedule.Every, Every: time.Hour, At: next, Zone: "UTC"},
	})
	require.NoError(t, err)
	var unpaused runs
	gauges := &relayBundle{bundle: b, metrics: prometheus.NewRegistry()}
	paused := listed{workflows.DeliverID(ingresstest.Key): workflows.NameDeliver, workflows.CronID(j.ID): workflows.NameCronJob, "background/x": workflows.NameBackground}
	p := &relay.Pauses{
		Store: b.Store.Pauses, Cron: b.Store.Cron, Client: paused, Paused: relay.NewPausedGauge(gauges.metrics), Log: slog.New(slog.DiscardHandler),
		Unpauser: &unpaused,
	}
	both := []string{i18n.Say(i18n.English, i18n.DeliveryPaused), i18n.Say(i18n.English, i18n.JobPaused, "news")}
	require.NoError(t, p.Round(t.Context()))
	require.ElementsMatch(t, both, b.notices())
	require.InDelta(t, 3, gauges.metric("xbot_workflows_paused"), 0)
	require.NoError(t, p.Round(t.Context()))
	require.Len(t, b.notices(), 2, "each pause is told once")

	p.Client = listed{}
	require.NoError(t, p.Round(t.Context()))
	require.Zero(t, gauges.metric("xbot_workflows_paused"))
	p.Client = paused
	require.NoError(t, p.Round(t.Context()))
	require.Len(t, b.notices(), 4, "a later pause is told again")

	require.Empty(t, unpaused)
	require.NoError(t, b.Store.Cron.DeleteJob(t.Context(), j.ID))
	require.NoError(t, p.Round(t.Context()))
	require.Equal(t, runs{workflows.CronID(j.ID) + " run " + workflows.CronID(j.ID)}, unpaused, "a job that was removed ends")
}
