package search

import (
	"context"
	"fmt"
	"math"
	"slices"

	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
)

// Conversations lists the n last used conversations of a user with some agents, without those of subagents.
func (s *Store) Conversations(ctx context.Context, owner chat.UserID, with chat.Agents, n int) ([]chat.Conversation, error) {
	rows, err := dbsqlc.Q.ConversationList(ctx, s.db.Pool, dbsqlc.ConversationListParams{
		Owner: owner, These: append([]string{}, with.Only...), Others: append([]string{}, with.Except...), N: int32(n),
	})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list conversations: %w", err))
	}
	out := make([]chat.Conversation, len(rows))
	for i, r := range rows {
		out[i] = chat.Conversation{Session: r.Key, Title: r.Title, At: r.LastInteractionAt}
	}
	return out, nil
}

// Conversation returns the newest n messages of a conversation of a user with one of some agents, the oldest first, before a message; 0: the
// newest of all. There are none if it is no such conversation.
func (s *Store) Conversation(ctx context.Context, owner chat.UserID, with chat.Agents, key chat.SessionKey, before chat.MessageID, n int) ([]chat.PastEntry, error) {
	if before == 0 {
		before = math.MaxInt64
	}
	rows, err := dbsqlc.Q.ConversationRead(ctx, s.db.Pool, dbsqlc.ConversationReadParams{
		Owner: owner, Session: key, These: append([]string{}, with.Only...), Others: append([]string{}, with.Except...), Before: int64(before), N: int32(n),
	})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read conversation %s: %w", key, err))
	}
	out := make([]chat.PastEntry, len(rows))
	for i, r := range rows {
		out[i] = chat.PastEntry{Message: r.ID, At: r.CreatedAt, Session: key, Who: string(r.Role), Text: r.Content}
	}
	slices.Reverse(out)
	return out, nil
}
