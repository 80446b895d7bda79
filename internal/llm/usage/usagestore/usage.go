package usagestore

import (
	"context"
	"fmt"

	"xbot/internal/chat"
	"xbot/internal/chat/ops"
	"xbot/internal/llm/dbsqlc"
	"xbot/internal/pg"
)

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
