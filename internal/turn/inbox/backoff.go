package inbox

import (
	"context"

	"xbot/internal/pg"
)

// EndBackOff makes due at once what waits for its next wake or for the next look at it, after an outage of Temporal.
func (s *Store) EndBackOff(ctx context.Context) error {
	return pg.Classify(s.db.Q.RelayEndBackOff(ctx, s.db.Pool))
}
