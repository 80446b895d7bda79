package channel

import (
	"context"
	"time"
)

// Rest pauses, and reports whether ctx is still active.
func Rest(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
