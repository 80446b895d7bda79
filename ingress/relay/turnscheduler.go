package relay

import (
	"context"
	"time"

	"xbot/internal/store"
)

// TurnScheduler is what the relay needs of the store to grant free slots to sessions that wait for one.
type TurnScheduler interface {
	HandOutTurns(ctx context.Context) (late int, err error)
	Throttled(ctx context.Context, older time.Duration) ([]store.Waiting, error)
	TellThrottled(ctx context.Context, w store.Waiting) error
	TurnsByTenant(ctx context.Context) ([]store.TenantTurns, error)
	CallsByTenant(ctx context.Context) ([]store.TenantCalls, error)
	ProviderWaits(ctx context.Context) (int, error)
}

// scheduleTurns grants slots that became free when no process was left to grant them, or because a limit was raised. It tells
// people who wait for long, and sets the metrics.
func (r *Relay) scheduleTurns(ctx context.Context) error {
	late, err := r.Store.HandOutTurns(ctx)
	if err != nil {
		return err
	}
	r.Metrics.Unused.Add(float64(late))
	untold, err := r.Store.Throttled(ctx, throttledAfter)
	if err != nil {
		return err
	}
	if err := each(untold, func(w store.Waiting) error { return r.Store.TellThrottled(ctx, w) }); err != nil {
		return err
	}
	return r.showTurns(ctx)
}

func (r *Relay) showTurns(ctx context.Context) error {
	turns, err := r.Store.TurnsByTenant(ctx)
	if err != nil {
		return err
	}
	calls, err := r.Store.CallsByTenant(ctx)
	if err != nil {
		return err
	}
	without, err := r.Store.ProviderWaits(ctx)
	if err != nil {
		return err
	}
	running, waiting, held, refused := 0, 0, 0, 0
	for _, t := range turns {
		running, waiting = running+t.Running, waiting+t.Waiting
	}
	for _, c := range calls {
		held, refused = held+c.Held, refused+c.Waiting
	}
	r.Metrics.Running.Set(float64(running))
	r.Metrics.Waiting.Set(float64(waiting))
	r.Metrics.Without.Set(float64(without))
	r.Metrics.Calls.WithLabelValues("running").Set(float64(held))
	r.Metrics.Calls.WithLabelValues("waiting").Set(float64(refused))
	return nil
}
