package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"
)

// heartbeatEvery is well below the heartbeat timeout, and short because a cancellation reaches an activity only with
// the answer to a heartbeat.
const heartbeatEvery = time.Second

// heartbeat reports that the activity is alive until the returned function is called.
func heartbeat(ctx context.Context) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(heartbeatEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				activity.RecordHeartbeat(ctx)
			case <-done:
				return
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { close(done); <-ended }
}

// settleTime bounds what is written after the context ended.
const settleTime = 5 * time.Second

// settling returns a context for the last writes of an activity that was stopped.
func settling(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), settleTime)
}
