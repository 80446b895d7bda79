package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/store/dbsqlc"
	"xbot/internal/store/pg"
)

// Unseen returns the newest of what the model of a conversation does not see, the oldest first: messages from before its last compaction or reset,
// and behind them what was overheard in its group and has not come into the transcript. What a rewind took out is not among it. It is of that
// conversation alone. Invalid: the query has too many words.
func (s *Store) Unseen(ctx context.Context, key chat.SessionKey, q chat.UnseenQuery) ([]chat.UnseenEntry, error) {
	words := strings.Fields(pg.Clean(q.Text))
	if len(words) > maxSearchWords || len(q.Text) > MaxSearchBytes {
		return nil, fault.Errorf(fault.Invalid, "search for at most %d words, at most %d bytes in all", maxSearchWords, MaxSearchBytes)
	}
	patterns, first := []string{}, ""
	for _, w := range words {
		first = cmp.Or(first, w)
		patterns = append(patterns, "%"+pg.LikeEscape.Replace(w)+"%")
	}
	var out []chat.UnseenEntry
	if q.Before.Message == 0 {
		overheard, err := s.overheard(ctx, key, patterns, q)
		if err != nil {
			return nil, err
		}
		out = overheard
	}
	rows, err := s.db.Q.UnseenMessages(ctx, s.db.Pool, dbsqlc.UnseenMessagesParams{
		First: first, Session: key, Before: cmp.Or(int64(q.Before.Message), math.MaxInt64), Patterns: patterns, N: int32(max(0, q.N-len(out))),
	})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read messages that are not seen: %w", err))
	}
	for _, r := range rows {
		out = append(out, chat.UnseenEntry{ID: chat.UnseenID{Message: r.ID}, At: r.CreatedAt, Who: strings.TrimSpace(string(r.Role) + " " + r.Sender), Text: r.Content})
	}
	slices.Reverse(out)
	return out, nil
}

// overheard is what was overheard, the newest first.
func (s *Store) overheard(ctx context.Context, key chat.SessionKey, patterns []string, q chat.UnseenQuery) ([]chat.UnseenEntry, error) {
	rows, err := s.db.Q.UnseenOverheard(ctx, s.db.Pool, dbsqlc.UnseenOverheardParams{
		Session: string(key), Before: cmp.Or(q.Before.Overheard, math.MaxInt64), Patterns: patterns, N: int32(q.N),
	})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read what was overheard: %w", err))
	}
	out := make([]chat.UnseenEntry, len(rows))
	for i, r := range rows {
		out[i] = chat.UnseenEntry{ID: chat.UnseenID{Overheard: r.ID}, At: r.SentAt, Who: strings.TrimSpace("overheard " + r.Sender), Text: r.Body}
	}
	return out, nil
}
