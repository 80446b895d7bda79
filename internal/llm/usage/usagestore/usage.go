// Package usagestore stores how many tokens were used, by which user and with which model.
package usagestore

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/chat/ops"
	"xbot/internal/llm/dbsqlc"
	"xbot/internal/pg"
)

// Store stores the usage of tokens. It is safe for concurrent use.
type Store struct {
	db *pg.DB
}

// New returns a store over the database.
func New(db *pg.DB) *Store { return &Store{db: db} }

// BookUsage adds what a provider counted for calls that are no steps, such as those of a compression, in the transaction
// that keeps what they brought. Steps book theirs when they end.
func BookUsage(ctx context.Context, t *pg.Tx, key chat.SessionKey, model string, calls int, u chat.Usage) error {
	err := dbsqlc.Q.UsageBook(ctx, t, dbsqlc.UsageBookParams{
		SessionKey: key, Model: model, Calls: int32(calls),
		PromptTokens: int64(u.PromptTokens), CachedTokens: int64(u.CachedTokens), CompletionTokens: int64(u.CompletionTokens),
	})
	if err != nil {
		return fmt.Errorf("book usage: %w", err)
	}
	return nil
}

// BookUsage adds what a provider counted for calls that brought nothing worth keeping: they were paid for all the same.
func (s *Store) BookUsage(ctx context.Context, key chat.SessionKey, model string, calls int, u chat.Usage) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error { return BookUsage(ctx, tx, key, model, calls, u) })
}

// UsageByDay returns what a user has used in the last days, today included, newest day first, by model. Days are UTC.
func (s *Store) UsageByDay(ctx context.Context, user chat.UserID, days int) ([]ops.SpentDay, error) {
	rows, err := dbsqlc.Q.UsageByDay(ctx, s.db.Pool, dbsqlc.UsageByDayParams{UserID: user, Days: int32(days)})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read usage by day: %w", err))
	}
	out := make([]ops.SpentDay, len(rows))
	for i, r := range rows {
		out[i] = ops.SpentDay{Day: r.Day, Spent: ops.Spent{
			Model: r.Model, Calls: r.Calls, PromptTokens: r.PromptTokens, CachedTokens: r.CachedTokens, CompletionTokens: r.CompletionTokens,
		}}
	}
	return out, nil
}

// UsageBySession returns what a user has used in the last days, today included, by session and model, in no useful order.
func (s *Store) UsageBySession(ctx context.Context, user chat.UserID, days int) ([]ops.SpentSession, error) {
	rows, err := dbsqlc.Q.UsageBySession(ctx, s.db.Pool, dbsqlc.UsageBySessionParams{UserID: user, Days: int32(days)})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read usage by session: %w", err))
	}
	out := make([]ops.SpentSession, len(rows))
	for i, r := range rows {
		out[i] = ops.SpentSession{Key: r.SessionKey, Title: r.Title, Deleted: r.Deleted, Spent: ops.Spent{
			Model: r.Model, Calls: r.Calls, PromptTokens: r.PromptTokens, CachedTokens: r.CachedTokens, CompletionTokens: r.CompletionTokens,
		}}
	}
	return out, nil
}

// UsageOf returns what a session of a user has used since it began, by model.
func (s *Store) UsageOf(ctx context.Context, user chat.UserID, key chat.SessionKey) ([]ops.Spent, error) {
	rows, err := dbsqlc.Q.UsageOfSession(ctx, s.db.Pool, dbsqlc.UsageOfSessionParams{UserID: user, SessionKey: key})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read usage of %s: %w", key, err))
	}
	out := make([]ops.Spent, len(rows))
	for i, r := range rows {
		out[i] = ops.Spent{Model: r.Model, Calls: r.Calls, PromptTokens: r.PromptTokens, CachedTokens: r.CachedTokens, CompletionTokens: r.CompletionTokens}
	}
	return out, nil
}

// TurnTotals returns the usage of a turn.
func (s *Store) TurnTotals(ctx context.Context, turn chat.TurnID) (out ops.TurnSpent, err error) {
	rows, err := dbsqlc.Q.TurnTotals(ctx, s.db.Pool, &turn)
	if err != nil {
		return out, pg.Classify(fmt.Errorf("add up turn %s: %w", turn, err))
	}
	for _, r := range rows {
		out.Spent = append(out.Spent, ops.Spent{Model: r.Model, PromptTokens: r.PromptTokens, CachedTokens: r.CachedTokens, CompletionTokens: r.CompletionTokens})
		out.Message, out.User, out.Untitled = max(out.Message, r.Message), chat.UserID(r.Owner), r.Untitled
	}
	return out, nil
}

// SessionAbout names the channel and the user of a conversation.
func (s *Store) SessionAbout(ctx context.Context, key chat.SessionKey) (channel, user string, err error) {
	row, err := dbsqlc.Q.SessionAbout(ctx, s.db.Pool, key)
	if err != nil {
		return "", "", pg.Classify(fmt.Errorf("look up session %s: %w", key, err))
	}
	return row.Channel, row.UserName, nil
}

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

// SetTokenRatio stores a ratio. If several processes learn at once, the last write wins: each has learnt from answers.
func (s *Store) SetTokenRatio(ctx context.Context, model string, ratio float64, samples int) error {
	err := dbsqlc.Q.RatioSet(ctx, s.db.Pool, dbsqlc.RatioSetParams{Model: model, Ratio: ratio, Samples: int32(samples)})
	if err != nil {
		return pg.Classify(fmt.Errorf("keep token ratio: %w", err))
	}
	return nil
}
