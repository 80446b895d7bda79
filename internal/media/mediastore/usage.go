package mediastore

import (
	"context"
	"fmt"
	"time"

	"xbot/internal/chat"
	"xbot/internal/chat/ops"
	"xbot/internal/media"
	"xbot/internal/media/dbsqlc"
	"xbot/internal/pg"
)

// Usage is the use of one model.
type Usage struct {
	User    chat.UserID
	Session chat.SessionKey // empty: no conversation, as for dictation
	Kind    media.Kind
	Model   string // provider/model
	media.Booking
}

// Book adds a use to the usage of its user today (UTC), in the transaction that keeps what was paid for. For a consumer it is added to the sums
// of their service, too.
func Book(ctx context.Context, tx *pg.Tx, u Usage) error {
	err := dbsqlc.Q.MediaUsageAdd(ctx, tx, dbsqlc.MediaUsageAddParams{
		UserID: u.User, SessionKey: u.Session, Kind: string(u.Kind), Model: u.Model, Units: u.Units, Cost: u.Cost,
	})
	if err != nil {
		return fmt.Errorf("book media usage: %w", err)
	}
	return nil
}

// Book adds a use of its own transaction.
func (s *Store) Book(ctx context.Context, u Usage) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error { return Book(ctx, tx, u) })
}

// UsageByDay returns the media of a user in the last days, today included, newest day first. Days are UTC.
func (s *Store) UsageByDay(ctx context.Context, user chat.UserID, days int) ([]ops.MediaDay, error) {
	rows, err := dbsqlc.Q.MediaUsageByDay(ctx, s.db.Pool, dbsqlc.MediaUsageByDayParams{UserID: user, Days: int32(days)})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read media usage by day: %w", err))
	}
	out := make([]ops.MediaDay, len(rows))
	for i, r := range rows {
		out[i] = ops.MediaDay{Day: r.Day, MediaSpent: spent(r.Kind, r.Model, r.Calls, r.Units, r.Priced, r.Cost)}
	}
	return out, nil
}

// UsageOf returns the media of a conversation of a user.
func (s *Store) UsageOf(ctx context.Context, user chat.UserID, key chat.SessionKey) ([]ops.MediaSpent, error) {
	rows, err := dbsqlc.Q.MediaUsageOfSession(ctx, s.db.Pool, dbsqlc.MediaUsageOfSessionParams{UserID: user, SessionKey: key})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read media usage of %s: %w", key, err))
	}
	out := make([]ops.MediaSpent, len(rows))
	for i, r := range rows {
		out[i] = spent(r.Kind, r.Model, r.Calls, r.Units, r.Priced, r.Cost)
	}
	return out, nil
}

// ServiceSpent is the media of one model on a day, or of a key.
type ServiceSpent struct {
	Bucket string // the day, or the id of the key
	ops.MediaSpent
}

// UsageOfService returns the media generated for the consumers of a service, by day or by key.
func (s *Store) UsageOfService(ctx context.Context, service string, since, until time.Time, byKey bool) ([]ServiceSpent, error) {
	rows, err := dbsqlc.Q.MediaUsageOfService(ctx, s.db.Pool, dbsqlc.MediaUsageOfServiceParams{ServiceID: service, Since: since, Until: until, ByKey: byKey})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read media usage of %s: %w", service, err))
	}
	out := make([]ServiceSpent, len(rows))
	for i, r := range rows {
		out[i] = ServiceSpent{r.Bucket, spent(r.Kind, r.Model, r.Calls, r.Units, r.Priced, r.Cost)}
	}
	return out, nil
}

func spent(kind, model string, calls, units int64, priced bool, cost float64) ops.MediaSpent {
	out := ops.MediaSpent{Kind: kind, Model: model, Calls: calls, Units: units}
	if priced {
		out.Cost = &cost
	}
	return out
}
