package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"

	"xbot/activities"
	"xbot/internal/fault"
	"xbot/internal/host/crash"
)

const (
	// suspectWait is how long an attempt waits for a running suspect before it ends and is retried.
	suspectWait = 30 * time.Second
	// suspectRetry is the delay before that retry.
	suspectRetry = 100 * time.Millisecond
)

// crashInterceptor asks the guard before each activity attempt, so that a call that crashes its worker is not retried forever.
type crashInterceptor struct {
	interceptor.WorkerInterceptorBase

	guard   *crash.Guard
	endings map[string]givenUpActivity
}

// givenUpActivity replaces the activity of a call that was given up.
type givenUpActivity func(ctx context.Context, input any) (output any, err error)

// endWith makes an ending from a function with the input and output of the activity.
func endWith[In, Out any](end func(context.Context, In) (Out, error)) givenUpActivity {
	return func(ctx context.Context, input any) (any, error) {
		in, ok := input.(In)
		if !ok {
			return nil, fault.Errorf(fault.Internal, "an activity that was given up has the input %T", input)
		}
		return end(ctx, in)
	}
}

// InterceptActivity is called by the SDK for each attempt.
func (a *crashInterceptor) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	return &attemptInterceptor{interceptor.ActivityInboundInterceptorBase{Next: next}, a}
}

type attemptInterceptor struct {
	interceptor.ActivityInboundInterceptorBase

	attempts *crashInterceptor
}

// ExecuteActivity runs an attempt, unless its call was given up.
func (i *attemptInterceptor) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (result any, err error) {
	attempt, err := attemptOf(activity.GetInfo(ctx), in.Args)
	if err != nil {
		return nil, activities.Failure(ctx, err)
	}
	end, err := i.attempts.begin(ctx, attempt)
	if givenUp, ok := errors.AsType[*crash.GivenUpError](err); ok {
		return i.attempts.end(ctx, attempt, in.Args, givenUp)
	}
	if err != nil {
		return nil, err
	}
	done := false
	defer func() { end(done) }() // also if the activity panics
	result, err = i.Next.ExecuteActivity(ctx, in)
	done = err == nil
	return result, err
}

// end runs the ending of a call that was given up, or returns an error if its activity has none. The ending is recorded as a separate attempt, so that
// one that crashes its worker is given up, too.
func (a *crashInterceptor) end(ctx context.Context, attempt crash.Attempt, args []any, cause *crash.GivenUpError) (result any, err error) {
	call := attempt.Call
	end, ok := a.endings[call.Activity]
	if !ok || len(args) != 1 {
		return nil, crashed(cause)
	}
	attempt.Call = crash.NewCall(call.Workflow, call.Activity, "end of "+call.Input)
	release, err := a.begin(ctx, attempt)
	if givenUp, ok := errors.AsType[*crash.GivenUpError](err); ok {
		return nil, crashed(givenUp)
	}
	if err != nil {
		return nil, err
	}
	done := false
	defer func() { release(done) }()
	if !attempt.Local {
		defer activities.Heartbeat(ctx)()
	}
	if result, err = end(ctx, args[0]); err != nil {
		return nil, err
	}
	done = true
	a.guard.Forgive(ctx, call)
	return result, nil
}

// crashed is the error of a call that was given up.
func crashed(cause *crash.GivenUpError) error {
	return temporal.NewNonRetryableApplicationError(cause.Error(), activities.CrashedType, nil)
}

// begin asks the guard. An attempt that waits too long ends with a retryable error.
func (a *crashInterceptor) begin(ctx context.Context, attempt crash.Attempt) (end func(done bool), err error) {
	waiting, cancel := context.WithTimeout(ctx, suspectWait)
	defer cancel()
	if !attempt.Local {
		defer activities.Heartbeat(ctx)()
	}
	end, err = a.guard.Begin(waiting, attempt)
	switch _, givenUp := errors.AsType[*crash.GivenUpError](err); {
	case err == nil, givenUp:
		return end, err
	case ctx.Err() == nil && waiting.Err() != nil:
		return nil, temporal.NewApplicationErrorWithOptions("waiting for another call that was running when a worker process crashed", string(fault.Unavailable),
			temporal.ApplicationErrorOptions{NextRetryDelay: suspectRetry})
	}
	return nil, activities.Failure(ctx, err)
}

// attemptOf identifies an attempt by the references in its input.
func attemptOf(info activity.Info, args []any) (crash.Attempt, error) {
	input := ""
	for _, arg := range args {
		if known, ok := arg.(interface{ AttemptID() string }); ok {
			input = known.AttemptID()
			continue
		}
		body, err := json.Marshal(arg)
		if err != nil {
			return crash.Attempt{}, fmt.Errorf("name the input of an activity: %w", err)
		}
		input = string(body)
	}
	return crash.Attempt{
		Call: crash.NewCall(info.WorkflowExecution.ID, info.ActivityType.Name, input),
		Run:  info.WorkflowExecution.RunID, N: info.Attempt, Local: info.IsLocalActivity,
		Follows: info.ActivityType.Name == activities.NameWatch || info.ActivityType.Name == activities.NameRunBang,
	}, nil
}
