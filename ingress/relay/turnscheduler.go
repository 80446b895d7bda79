package relay

import (
	"context"
	"xbot/internal/turn/engine"
)

// scheduleTurns grants slots that became free when no process was left to grant them, or because a limit was raised. It
// notifies users who wait for long, and sets the metrics.
func (r *Relay) scheduleTurns(ctx context.Context) error {
	late, err := r.Turns.GrantTurns(ctx)
	if err != nil {
		return err
	}
	r.Metrics.Unused.Add(float64(late))
	untold, err := r.Turns.Throttled(ctx, throttledAfter)
	if err != nil {
		return err
	}
	if err := each(untold, func(w engine.Waiting) error { return r.Turns.NotifyThrottled(ctx, w) }); err != nil {
		return err
	}
	return r.showTurns(ctx)
}

func (r *Relay) showTurns(ctx context.Context) error {
	turns, err := r.Turns.TurnsByTenant(ctx)
	if err != nil {
		return err
	}
	calls, err := r.Leases.CallsByTenant(ctx)
	if err != nil {
		return err
	}
	without, err := r.Turns.ProviderWaits(ctx)
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
