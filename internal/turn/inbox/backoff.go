package inbox

import (
	"context"
	"xbot/internal/turn/dbsqlc"

	"xbot/internal/pg"
)

// EndBackOff makes rows due at once that wait for their next wake or check, after an outage of Temporal.
func (s *Store) EndBackOff(ctx context.Context) error {
	return pg.Classify(dbsqlc.Q.RelayEndBackOff(ctx, s.db.Pool))
}
