package relay

import "context"

// startMemorizing starts the workflows of conversations that went from sight and are not in memory yet.
func (r *Relay) startMemorizing(ctx context.Context) error {
	jobs, err := r.Store.MemorizesToStart(ctx)
	if err != nil {
		return err
	}
	return each(jobs, bounded(ctx, r.Starter.StartMemorize))
}
