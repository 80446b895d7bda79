package usagestore

import (
	"context"
	"fmt"
	"xbot/internal/llm/dbsqlc"

	"xbot/internal/chat"
	"xbot/internal/chat/ops"
	"xbot/internal/pg"
)

// TurnTotals says what a turn took.
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
