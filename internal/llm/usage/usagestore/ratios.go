package usagestore

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/llm/dbsqlc"
	"xbot/internal/pg"
)

// TokenRatio returns what a model's provider counts for one token of our estimate, and from how many answers that was
// learnt; 1 and 0 for a model that has not answered yet.
func (s *Store) TokenRatio(ctx context.Context, model string) (ratio float64, samples int, err error) {
	row, err := dbsqlc.Q.RatioGet(ctx, s.db.Pool, model)
	if errors.Is(err, pgx.ErrNoRows) {
		return 1, 0, nil
	}
	if err != nil {
		return 0, 0, pg.Classify(fmt.Errorf("read token ratio: %w", err))
	}
	return row.Ratio, int(row.Samples), nil
}

// SetTokenRatio keeps a ratio. Of several processes that learn at once the last one stands: each has learnt from answers.
func (s *Store) SetTokenRatio(ctx context.Context, model string, ratio float64, samples int) error {
	err := dbsqlc.Q.RatioSet(ctx, s.db.Pool, dbsqlc.RatioSetParams{Model: model, Ratio: ratio, Samples: int32(samples)})
	if err != nil {
		return pg.Classify(fmt.Errorf("keep token ratio: %w", err))
	}
	return nil
}
