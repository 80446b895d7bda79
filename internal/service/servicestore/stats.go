package servicestore

import (
	"context"
	"fmt"
	"time"
	"xbot/internal/service/dbsqlc"

	"xbot/internal/pg"
)

// Usage keeps what services were asked and took. It is safe for concurrent use.
type Usage struct{ db *pg.DB }

// NewUsage returns it over the database.
func NewUsage(db *pg.DB) *Usage { return &Usage{db: db} }

// Stats are what administrators see of a service in addition to its settings.
type Stats struct {
	Admin         string // name of its administrator
	Conversations int
	Keys          int        // that are valid
	UsedAt        *time.Time // at most a minute before the last use of a key; nil: none was used
}

// ServiceFigures returns the figures of services, by their ids: of one, or with an empty id of all.
func (s *Usage) ServiceFigures(ctx context.Context, id string) (map[string]Stats, error) {
	rows, err := dbsqlc.Q.ServiceFigures(ctx, s.db.Pool, id)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("count what services have: %w", err))
	}
	out := make(map[string]Stats, len(rows))
	for _, r := range rows {
		out[r.ID] = Stats{Admin: r.Admin, Conversations: int(r.Conversations), Keys: int(r.Keys), UsedAt: r.UsedAt}
	}
	return out, nil
}
