package relay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.temporal.io/api/workflowservice/v1"

	"xbot/internal/automation/cron/cronstore"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/workflows"
)

const (
	// pausesEvery is how soon users are notified that a run was paused in the Temporal UI.
	pausesEvery = 10 * time.Second
	// maxPauses is how many paused runs are looked at in a round.
	maxPauses = 1000
)

// Pauses notifies users that an administrator has paused the delivery of their answers or one of their jobs in the Temporal UI.
// The relay notifies them of turns. Several processes may do so at once.
type Pauses struct {
	Cron interface {
		Job(ctx context.Context, id chat.JobID) (cronstore.Job, error)
	}
	Store interface {
		NotifyDeliveryPaused(ctx context.Context, run string, key chat.SessionKey) error
		NotifyJobPaused(ctx context.Context, run string, j cronstore.Job) error
		ForgetPauses(ctx context.Context, paused []string) error
	}
	Client interface {
		ListWorkflow(ctx context.Context, request *workflowservice.ListWorkflowExecutionsRequest) (*workflowservice.ListWorkflowExecutionsResponse, error)
	}
	Unpauser Unpauser
	Paused   *prometheus.GaugeVec
	Log      *slog.Logger
	failing  bool
}

// Unpauser lets runs continue that were paused in the Temporal UI.
type Unpauser interface {
	Unpause(ctx context.Context, workflowID, runID string) error
}

// NewPausedGauge registers the metric of paused runs outside turns.
func NewPausedGauge(r prometheus.Registerer) *prometheus.GaugeVec {
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "xbot_workflows_paused", Help: "Runs beside turns that somebody paused in the Temporal UI, at the last look, by workflow type.",
	}, []string{"type"})
	r.MustRegister(g)
	return g
}

// Run looks again and again until ctx ends.
func (p *Pauses) Run(ctx context.Context) error {
	ticker := time.NewTicker(pausesEvery)
	defer ticker.Stop()
	for {
		err := p.Round(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil && !p.failing {
			p.Log.Warn("paused runs cannot be listed or told of, trying again", "error", err)
		}
		p.failing = err != nil
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// Round looks once.
func (p *Pauses) Round(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, pausesEvery)
	defer cancel()
	list, err := p.Client.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: PausedQuery, PageSize: maxPauses})
	if err != nil {
		return fmt.Errorf("list paused runs: %w", err)
	}
	p.Paused.Reset()
	var failed error
	runs := []string{}
	for _, e := range list.GetExecutions() {
		kind, id, run := e.GetType().GetName(), e.GetExecution().GetWorkflowId(), e.GetExecution().GetRunId()
		runs = append(runs, run)
		p.Paused.WithLabelValues(kind).Inc()
		switch kind {
		case workflows.NameDeliver:
			key := cutID(id)
			failed = errors.Join(failed, p.Store.NotifyDeliveryPaused(ctx, run, chat.SessionKey(key)))
		case workflows.NameCronJob:
			failed = errors.Join(failed, p.job(ctx, id, run))
		}
	}
	return errors.Join(failed, p.Store.ForgetPauses(ctx, runs))
}

// PausedQuery finds the runs outside turns that are paused in the Temporal UI.
const PausedQuery = "ExecutionStatus = 'Paused' AND WorkflowType NOT IN ('" + workflows.NameTurn + "', '" + workflows.NameSubagent + "')"

// cutID returns the name in a workflow id: the part behind its kind.
func cutID(id string) string {
	_, name, _ := strings.Cut(id, "/")
	return name
}

// job notifies the owner of a job. It unpauses the run of a job that was removed in the meantime, since only a running run can end.
func (p *Pauses) job(ctx context.Context, id, run string) error {
	j, err := p.Cron.Job(ctx, chat.JobID(cutID(id)))
	if fault.Is(err, fault.NotFound) {
		p.Log.Info("a paused job was removed, its run goes on to end", "workflow", id)
		return p.Unpauser.Unpause(ctx, id, run)
	}
	if err != nil {
		return err
	}
	return p.Store.NotifyJobPaused(ctx, run, j)
}
