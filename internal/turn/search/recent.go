package search

import (
	"context"
	"fmt"
	"slices"

	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
)

// RecentMessages returns the newest n messages, the oldest first, of the conversation with the user that the one of a job or trigger belongs
// to: the target of its answers, else where it was made, else the last used one of the same agent. It is always one of the same user.
func (s *Store) RecentMessages(ctx context.Context, here chat.SessionKey, n int) ([]chat.PastEntry, error) {
	rows, err := dbsqlc.Q.Lately(ctx, s.db.Pool, dbsqlc.LatelyParams{Here: here, N: int32(n)})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read what was said lately: %w", err))
	}
	out := make([]chat.PastEntry, len(rows))
	for i, r := range rows {
		out[i] = chat.PastEntry{At: r.CreatedAt, Session: r.Key, Who: string(r.Role), Text: r.Content}
	}
	slices.Reverse(out)
	return out, nil
}
