package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"
)

// HeartbeatInterval is well below the heartbeat timeout, and short because a cancellation reaches an activity only with
// the answer to a heartbeat.
const HeartbeatInterval = time.Second

// settleTime bounds each write of what an activity leaves behind. Such writes go on when the activity was stopped.
const settleTime = 15 * time.Second

// Settling returns a context for them.
func Settling(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), settleTime)
}

// Heartbeat reports that the activity is alive until the returned function is called. After a stop it goes on while
// the activity settles, which may take longer than the heartbeat timeout, but not for ever: what hangs is given up.
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
