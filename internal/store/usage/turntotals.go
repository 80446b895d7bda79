package usage

import (
	"context"
	"fmt"

	"xbot/internal/chat"
	"xbot/internal/chat/ops"
	"xbot/internal/store/pg"
)

// TurnTotals says what a turn took, by model, and the id of its newest answer; 0: it has none.
func (s *Store) TurnTotals(ctx context.Context, turn chat.TurnID) (spent []ops.Spent, message int64, err error) {
	rows, err := s.db.Q.TurnTotals(ctx, s.db.Pool, &turn)
	if err != nil {
		return nil, 0, pg.Classify(fmt.Errorf("add up turn %s: %w", turn, err))
	}
	for _, r := range rows {
		spent = append(spent, ops.Spent{Model: r.Model, PromptTokens: r.PromptTokens, CachedTokens: r.CachedTokens, CompletionTokens: r.CompletionTokens})
		message = max(message, r.Message)
	}
	return spent, message, nil
}

// SessionAbout names the channel and the user of a conversation.
func (s *Store) SessionAbout(ctx context.Context, key chat.SessionKey) (channel, user string, err error) {
	row, err := s.db.Q.SessionAbout(ctx, s.db.Pool, key)
	if err != nil {
		return "", "", pg.Classify(fmt.Errorf("look up session %s: %w", key, err))
	}
	return row.Channel, row.UserName, nil
}
