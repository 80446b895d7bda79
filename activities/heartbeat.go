package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"
)

// HeartbeatInterval is well below the heartbeat timeout, and short because a cancellation reaches an activity only with
// the answer to a heartbeat.
const HeartbeatInterval = time.Second

// settleTime limits writes that finish after an activity was stopped.
const settleTime = 15 * time.Second

// Settling returns a context for writes that must finish after the activity is stopped. It lasts settleTime.
func Settling(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), settleTime)
}

// Heartbeat reports that the activity is alive until the returned function is called. After the activity was cancelled it
// continues for KillGrace and settleTime, which together exceed the heartbeat timeout; an activity that hangs then times out.
func Heartbeat(ctx context.Context) (stop func()) {
	return HeartbeatWith(ctx, HeartbeatInterval, func() any { return nil })
}

// HeartbeatWith is Heartbeat at another interval, with details for the next attempt.
func HeartbeatWith(ctx context.Context, every time.Duration, details func() any) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		cancelled, alive := ctx.Done(), context.WithoutCancel(ctx)
		var over <-chan time.Time
		for {
			select {
			case <-ticker.C:
				activity.RecordHeartbeat(alive, details())
			case <-cancelled:
				cancelled, over = nil, time.After(KillGrace+settleTime)
			case <-over:
				return
			case <-done:
				return
			}
		}
	}()
	return func() { close(done); <-ended }
}
