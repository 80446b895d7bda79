package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/background"
	"xbot/activities/titles"
	"xbot/internal/chat"
)

// Timeouts and retry policies of all activities, one class each.
const (
	// heartbeatTimeout is how soon a killed worker is noticed: three heartbeats in a row are missing (activities.HeartbeatInterval). A worker
	// that was only slow loses an attempt by it: the next one attaches to the command, or asks the model again.
	heartbeatTimeout = 3 * time.Second
	// onceHeartbeat is the heartbeat timeout of calls that are not repeated. It is longer, because a worker that was only slow would lose the
	// outcome of the call permanently.
	onceHeartbeat = 5 * time.Second
	// storeTimeout is how long a write may be retried: as long as an outage of Postgres may last. The default of the
	// SDK would give up after seconds.
	storeTimeout = 24 * time.Hour
	// storeAttempt bounds one try of a write.
	storeAttempt = 15 * time.Second
	// modelAttempt bounds one LLM call; calls without progress end much earlier in the activity.
	modelAttempt = time.Hour
	// toolAttempt bounds one tool call; tools have their own, shorter limits.
	toolAttempt = time.Hour
	// quickTime bounds how long quick calls hold a workflow task open, all in all: a stop is seen after it. It is well below the
	// timeout of workflow tasks, so that none is kept alive by heartbeats.
	quickTime = 750 * time.Millisecond
	// quickLeast is how much of quickTime must be left for a call to be tried.
	quickLeast = 100 * time.Millisecond
	// quickGrace is how long a quick call may take to store its state after its time is over.
	quickGrace = time.Second
	// interruptAttempt bounds one attempt to end the command of a stopped call. The activity ends earlier (turn.InterruptWait).
	interruptAttempt = 2 * time.Minute
	// taskHeartbeat is how soon the loss of a worker that follows a background task is noticed: later than of one that
	// users wait for, so that a day costs little.
	taskHeartbeat = 10 * time.Second
	// taskAttempt bounds one attempt to follow a background task. The activity ends earlier.
	taskAttempt = background.TaskCeiling + 2*time.Hour
	// bangAttempt bounds one attempt to run a bang command, whose own limit is two minutes, on a runner that comes and goes.
	bangAttempt = time.Hour
	// deletionAttempt bounds one attempt at a step of a deletion, which deletes a few conversations.
	deletionAttempt = 10 * time.Minute
	// migrationAttempt bounds one attempt at a step of a migration of storage, which moves some conversations.
	migrationAttempt = 2 * time.Hour
	// sendAttempt bounds one try to send an answer, with all its pieces and files.
	sendAttempt = 10 * time.Minute
	// followAttempt bounds one attempt to follow a turn. The activity ends earlier.
	followAttempt = 15 * time.Minute
	// hookAttempt bounds one attempt to run the hooks of a point, of which there are a few; each is bounded by hook.MaxTime.
	hookAttempt = 10 * time.Minute
	// titleAttempt bounds one try to have a conversation named, with its call to a model (activities/titles).
	titleAttempt = 90 * time.Second
	// fetchTime bounds the fetching of a file with all attempts. It is shorter than attachments.FetchTime, after which the message waits no longer.
	fetchTime = 3*time.Minute + 30*time.Second
)

// localOptions is for writes to Postgres: short, idempotent, without a separate dispatch.
func localOptions(ctx workflow.Context, summary string) workflow.Context {
	return workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
		ScheduleToCloseTimeout: storeTimeout,
		StartToCloseTimeout:    storeAttempt,
		RetryPolicy:            retry(100*time.Millisecond, 5*time.Second),
		Summary:                summaryOf(summary),
	})
}

// modelOptions is for LLM calls. Attempts are unlimited here, because crashes and outages of our own must not end a turn;
// the activity counts the provider's failures itself.
func modelOptions(ctx workflow.Context, summary string) workflow.Context {
	return longRunningOptions(ctx, summary, modelAttempt, heartbeatTimeout, 0)
}

// toolOptions is for tool calls. Calls that cannot be repeated safely get one attempt; the others are keyed by their id.
func toolOptions(ctx workflow.Context, class chat.ToolClass, summary string) workflow.Context {
	if class == chat.ClassOnce {
		return longRunningOptions(ctx, summary, toolAttempt, onceHeartbeat, 1)
	}
	return longRunningOptions(ctx, summary, toolAttempt, heartbeatTimeout, 0)
}

// quickToolOptions is for a tool call that may take the workflow task a limited time. There is one attempt: if it does not end well, the call ends as an
// activity.
func quickToolOptions(ctx workflow.Context, within time.Duration, summary string) workflow.Context {
	return workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
		StartToCloseTimeout: within + quickGrace,
		RetryPolicy:         &temporal.RetryPolicy{MaximumAttempts: 1},
		Summary:             summary,
	})
}

// interruptOptions is for ending the command of a stopped call whose worker is gone. The user waits for it to read that the turn has
// stopped: the activity waits a limited time for a runner that is away, which gets the kill when it is back. Attempts are unlimited, since
// nothing of the stop can be recorded before Postgres is back.
func interruptOptions(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: interruptAttempt,
		HeartbeatTimeout:    heartbeatTimeout,
		RetryPolicy:         retry(200*time.Millisecond, 2*time.Second),
		Summary:             "interrupt",
	})
}

// taskOptions is for following a background task to its end. Attempts are unlimited: the command continues in the meantime.
func taskOptions(ctx workflow.Context, summary string) workflow.Context {
	return longRunningOptions(ctx, summary, taskAttempt, taskHeartbeat, 0)
}

// bangOptions is for a bang command. Attempts are unlimited, since each attaches to what an earlier one started.
func bangOptions(ctx workflow.Context, summary string) workflow.Context {
	return longRunningOptions(ctx, summary, bangAttempt, heartbeatTimeout, 0)
}

// sendOptions is for sending to a platform. Attempts are unlimited: the activity recognizes final refusals and messages that are too old.
func sendOptions(ctx workflow.Context, summary string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: sendAttempt,
		HeartbeatTimeout:    heartbeatTimeout,
		RetryPolicy:         retry(time.Second, time.Minute),
		Summary:             summaryOf(summary),
	})
}

// followOptions is for showing the progress of a turn. Attempts are unlimited, since the turn runs independently.
func followOptions(ctx workflow.Context, summary string) workflow.Context {
	return longRunningOptions(ctx, summary, followAttempt, heartbeatTimeout, 0)
}

// fetchOptions is for bringing a file from a platform to a runner. The activity knows what trying again does not mend.
func fetchOptions(ctx workflow.Context, summary string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		ScheduleToCloseTimeout: fetchTime,
		HeartbeatTimeout:       heartbeatTimeout,
		RetryPolicy:            retry(time.Second, 10*time.Second),
		Summary:                summaryOf(summary),
	})
}

// memorizeOptions is for putting a conversation into memory. Attempts are unlimited: the activity counts failures of the provider.
func memorizeOptions(ctx workflow.Context, summary string) workflow.Context {
	return longRunningOptions(ctx, summary, modelAttempt, heartbeatTimeout, 0)
}

// titleOptions is for having a conversation named. There are few attempts: it has the first words of its first message in the meantime.
func titleOptions(ctx workflow.Context) workflow.Context {
	return longRunningOptions(ctx, "title of the conversation", titleAttempt, heartbeatTimeout, titles.MaxAttempts)
}

// deletionOptions is for a step of a deletion. Attempts are unlimited: what one did the next does not find.
func deletionOptions(ctx workflow.Context, summary string) workflow.Context {
	return longRunningOptions(ctx, summary, deletionAttempt, taskHeartbeat, 0)
}

// migrationOptions is for a step of a migration of storage. Attempts are unlimited: each continues with the conversations that are left.
func migrationOptions(ctx workflow.Context) workflow.Context {
	return longRunningOptions(ctx, "move files", migrationAttempt, taskHeartbeat, 0)
}

// hookOptions is for running hooks. Attempts are unlimited: the activity bounds each hook.
func hookOptions(ctx workflow.Context, summary string) workflow.Context {
	return longRunningOptions(ctx, summary, hookAttempt, heartbeatTimeout, 0)
}

// longRunningOptions is for activities that take long and send heartbeats; 0 attempts means unlimited.
func longRunningOptions(ctx workflow.Context, summary string, attempt, heartbeat time.Duration, attempts int32) workflow.Context {
	policy := retry(200*time.Millisecond, 10*time.Second)
	policy.MaximumAttempts = attempts
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: attempt,
		HeartbeatTimeout:    heartbeat,
		WaitForCancellation: true,
		RetryPolicy:         policy,
		Summary:             summaryOf(summary),
	})
}

func retry(first, most time.Duration) *temporal.RetryPolicy {
	return &temporal.RetryPolicy{
		InitialInterval:        first,
		BackoffCoefficient:     2,
		MaximumInterval:        most,
		NonRetryableErrorTypes: []string{activities.PanicType},
	}
}

// continueAsNew ends a run with a new one of the same id. Where workers have versions, a run stays with the one that began it, and
// this is where the next one goes over to the current version: nothing but the input is taken along.
func continueAsNew(ctx workflow.Context, name string, in any) error {
	ctx = workflow.WithWorkflowTaskTimeout(ctx, TaskTimeout) // an older run may have had another
	o := workflow.ContinueAsNewErrorOptions{InitialVersioningBehavior: workflow.ContinueAsNewVersioningBehaviorAutoUpgrade}
	return workflow.NewContinueAsNewErrorWithOptions(ctx, o, name, in)
}
