// Package worker runs workflows and activities: it injects the adapters, registers and polls.
package worker

import (
	"context"
	"log/slog"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	sdk "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"xbot/internal/host/crash"
	"xbot/workflows"
)

const (
	// stickyTimeout is how long a workflow task waits for the worker that has the workflow cached. After a kill every
	// open turn waits this long once (default 5 s).
	stickyTimeout = 500 * time.Millisecond
	// heartbeatThrottle is how soon a cancellation can reach an activity (default 30 s).
	heartbeatThrottle = time.Second
	// stopTimeout is the time that a stopping worker gives its activities; commands continue without it.
	stopTimeout = 3 * time.Second
	// stickyCache is how many workflows are kept between their tasks, in the whole process.
	stickyCache = 2000
	// maxActivities is how many activities run at once in a process: a background task holds one for as long as its
	// command runs, while it costs next to nothing.
	maxActivities = 2000
	// workflowPollers and activityPollers are how many requests wait for tasks at Temporal. A task without a waiting request is written to Postgres
	// first, which costs more than the task itself (default 2).
	workflowPollers = 10
	activityPollers = 5
	// deadlockTime is how long the code of a workflow may go without yielding before its task fails (default 1 s). What runs on is then beyond
	// the SDK's control and races with the next replay, so a machine that is only slow must not come near it.
	deadlockTime = 30 * time.Second
	// startRetry is the pause between tries to reach Temporal.
	startRetry = time.Second
)

// Build is what Temporal knows of the binary of a worker.
type Build struct {
	// Name is the build that operators read in histories, and find runs by; empty: a hash of the binary.
	Name string
	// Versioned makes the worker one of a worker deployment version, which is Name.
	Versioned bool
}

// Run polls until ctx ends, and waits while Temporal is unavailable. The guard decides which attempts may run.
func Run(ctx context.Context, c client.Client, a Activities, b Build, guard *crash.Guard, log *slog.Logger) error {
	sdk.SetStickyWorkflowCacheSize(stickyCache)
	if b.Name != "" {
		sdk.SetBinaryChecksum(b.Name) // else the SDK reads the whole program for a hash of it, at each start
	}
	return keep(ctx, func(fatal func(error)) sdk.Worker { return build(c, a, b, guard, fatal) }, log)
}

// keep runs workers made by build, one after another, until ctx ends.
func keep(ctx context.Context, build func(fatal func(error)) sdk.Worker, log *slog.Logger) error {
	for {
		if err := poll(ctx, build, log); err != nil {
			log.Warn("the worker cannot work with Temporal, trying again", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(startRetry):
		}
	}
}

// poll runs one worker until ctx ends, or until it gives up: the SDK stops a worker permanently when the namespace is missing for minutes, for example
// while a lost database of Temporal is set up again.
func poll(ctx context.Context, build func(fatal func(error)) sdk.Worker, log *slog.Logger) error {
	gaveUp := make(chan error, 1)
	w := build(func(err error) {
		select {
		case gaveUp <- err:
		default: // one reason is enough
		}
	})
	if err := w.Start(); err != nil {
		return err
	}
	log.Info("worker started", "task_queue", workflows.TaskQueue)
	select {
	case err := <-gaveUp:
		return err // the SDK stops it
	case <-ctx.Done():
		w.Stop()
		return nil
	}
}

func build(c client.Client, a Activities, b Build, guard *crash.Guard, fatal func(error)) sdk.Worker {
	w := sdk.New(c, workflows.TaskQueue, options(a.endings(), b, guard, fatal))
	for _, t := range workflows.Registered() {
		w.RegisterWorkflowWithOptions(t.Func, workflow.RegisterOptions{Name: t.Name})
	}
	a.register(w)
	return w
}

// options returns those of all workers. The interceptor asks the guard about each attempt of each activity.
func options(endings map[string]givenUpActivity, b Build, guard *crash.Guard, fatal func(error)) sdk.Options {
	return sdk.Options{
		OnFatalError:                            fatal,
		Interceptors:                            []interceptor.WorkerInterceptor{&crashInterceptor{guard: guard, endings: endings}},
		BuildID:                                 b.Name, //nolint:staticcheck // without UseBuildIDForVersioning it is a label only; the option that replaces it routes tasks
		DeploymentOptions:                       b.deployment(),
		StickyScheduleToStartTimeout:            stickyTimeout,
		DefaultHeartbeatThrottleInterval:        heartbeatThrottle,
		MaxHeartbeatThrottleInterval:            heartbeatThrottle,
		DeadlockDetectionTimeout:                deadlockTime,
		WorkerStopTimeout:                       stopTimeout,
		MaxConcurrentActivityExecutionSize:      maxActivities,
		MaxConcurrentLocalActivityExecutionSize: 256,
		MaxConcurrentWorkflowTaskExecutionSize:  128,
		MaxConcurrentWorkflowTaskPollers:        workflowPollers,
		MaxConcurrentActivityTaskPollers:        activityPollers,
	}
}
