// Package worker runs workflows and activities: it injects the adapters, registers and polls.
package worker

import (
	"context"
	"log/slog"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	sdk "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/workflows"
)

const (
	// stickyTimeout is how long a workflow task waits for the worker that has the workflow cached. After a kill every
	// open turn waits this long once (default 5 s).
	stickyTimeout = time.Second
	// heartbeatThrottle is how soon a cancellation can reach an activity (default 30 s).
	heartbeatThrottle = time.Second
	// stopTimeout is what a stopping worker gives its activities; commands go on by themselves.
	stopTimeout = 3 * time.Second
	// startRetry is the pause between tries to reach Temporal.
	startRetry = time.Second
)

// Activities is what a worker runs.
type Activities struct {
	Intake *activities.Intake
	Model  *activities.Model
	Tools  *activities.Tools
}

// Run polls until ctx ends. While Temporal is away it waits for it.
func Run(ctx context.Context, c client.Client, a Activities, log *slog.Logger) error {
	for {
		w := build(c, a)
		err := w.Start()
		if err == nil {
			log.Info("worker started", "task_queue", workflows.TaskQueue)
			<-ctx.Done()
			w.Stop()
			return nil
		}
		log.Warn("Temporal cannot be reached, trying again", "error", err)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(startRetry):
		}
	}
}

func build(c client.Client, a Activities) sdk.Worker {
	sdk.SetStickyWorkflowCacheSize(2000)
	w := sdk.New(c, workflows.TaskQueue, sdk.Options{
		StickyScheduleToStartTimeout:            stickyTimeout,
		DefaultHeartbeatThrottleInterval:        heartbeatThrottle,
		MaxHeartbeatThrottleInterval:            heartbeatThrottle,
		WorkerStopTimeout:                       stopTimeout,
		MaxConcurrentActivityExecutionSize:      256,
		MaxConcurrentLocalActivityExecutionSize: 256,
		MaxConcurrentWorkflowTaskExecutionSize:  128,
	})
	w.RegisterWorkflowWithOptions(workflows.Turn, workflow.RegisterOptions{Name: workflows.NameTurn})
	register := func(name string, fn any) {
		w.RegisterActivityWithOptions(fn, activity.RegisterOptions{Name: name})
	}
	register(activities.NameClaim, a.Intake.Claim)
	register(activities.NamePeek, a.Intake.Peek)
	register(activities.NameFinish, a.Intake.Finish)
	register(activities.NameGenerate, a.Model.Generate)
	register(activities.NameTool, a.Tools.Tool)
	register(activities.NameAbandon, a.Tools.Abandon)
	return w
}
