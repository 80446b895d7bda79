package engine

import (
	"context"
	"fmt"
	"xbot/internal/turn/dbsqlc"

	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/turn/conversation"
)

// TurnOrigin returns the message that started a turn.
func (s *Store) TurnOrigin(ctx context.Context, turn chat.TurnID) (chat.TurnOrigin, error) {
	r, err := dbsqlc.Q.TurnAskedBy(ctx, s.db.Pool, &turn)
	if err != nil {
		return chat.TurnOrigin{}, pg.Classify(fmt.Errorf("read what the turn was asked: %w", err))
	}
	lang, err := conversation.LangOf(ctx, s.db.Pool, turn)
	if err != nil {
		return chat.TurnOrigin{}, pg.Classify(err)
	}
	return chat.TurnOrigin{Inbox: r.ID, User: r.UserID, Text: r.Body, Lang: string(lang), Control: r.Kind == kindControl}, nil
}
