package modelcall

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"

	"xbot/internal/chat"
)

// renewEvery is a third of the time that the lease of a call holds without a renewal.
const renewEvery = 5 * time.Second

// Leases bounds how many calls to models a tenant has at once. No activity waits for a lease: a call that
// has to wait ends as RateLimited and is tried again at the time that the error names. That does not count as a failure of
// the provider.
type Leases interface {
	KeepLease(ctx context.Context, step chat.Step) error
}

// KeepLease renews the lease of a step until the returned function is called. A renewal that fails is tried again at the
// next: the lease holds for three of them.
func KeepLease(ctx context.Context, leases Leases, step chat.Step) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(renewEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				if err := leases.KeepLease(ctx, step); err != nil {
					activity.GetLogger(ctx).Warn("lease of a call not renewed", "session", step.Session, "error", err)
				}
			case <-ctx.Done():
				return
			case <-done:
				return
			}
		}
	}()
	return func() { close(done); <-ended }
}
