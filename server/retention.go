package server

import (
	"context"
	"time"
)

const (
	// pruneEvery is how often old rows are looked for.
	pruneEvery = time.Hour
	// keepLeast is the least age at which anything is pruned: streams that broke continue from where they were.
	keepLeast = 24 * time.Hour
)

// prune removes unneeded data that is older than the settings allow, until ctx ends. Several processes may do it at once.
func (in *ingressPart) prune(ctx context.Context) error {
	keep := in.http.Keep
	if keep <= 0 {
		return nil
	}
	ticker := time.NewTicker(pruneEvery)
	defer ticker.Stop()
	for {
		rows, err := in.core.stores.Turns.Prune(ctx, max(keep, keepLeast))
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			in.core.proc.log.Warn("old rows were not pruned, trying again in an hour", "error", err)
		case rows > 0:
			in.core.proc.log.Info("old rows pruned", "rows", rows)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}
