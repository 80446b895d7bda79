package inbox

import (
	"context"
	"xbot/internal/turn/dbsqlc"

	"xbot/internal/pg"
)

// EndBackOff makes due at once what waits for its next wake or for the next look at it, after an outage of Temporal.
func (s *Store) EndBackOff(ctx context.Context) error {
	return pg.Classify(dbsqlc.Q.RelayEndBackOff(ctx, s.db.Pool))
}
