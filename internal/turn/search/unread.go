package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/memory/lexical"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
)

const (
	// Of a long unseen message unseenSize characters are shown, at most unseenBefore of them ahead of the first hit.
	unseenSize, unseenBefore = 2_000, 200
	// maxOverheard bounds how many overheard messages are searched.
	maxOverheard = 1_000
)

// Unseen returns the newest messages that the model of a conversation does not see, the oldest first: messages from before its last
// compaction or reset, and after them overheard messages of its group that are not in the transcript. Messages removed by a rewind are
// excluded. It searches that conversation alone. It returns Invalid if the query has too many words.
func (s *Store) Unseen(ctx context.Context, key chat.SessionKey, q chat.UnseenQuery) ([]chat.UnseenEntry, error) {
	words, err := parse(q.Text)
	if err != nil || strings.TrimSpace(q.Text) != "" && words.Phrases() == 0 {
		return nil, err
	}
	var out []chat.UnseenEntry
	if q.Before.Message == 0 {
		overheard, err := s.overheard(ctx, key, words, q)
		if err != nil {
			return nil, err
		}
		out = overheard
	}
	rows, err := dbsqlc.Q.UnseenMessages(ctx, s.db.Pool, dbsqlc.UnseenMessagesParams{
		Session: key, Before: cmp.Or(int64(q.Before.Message), math.MaxInt64), Query: words.TSQuery(), Letters: maxSnippetSource, N: int32(max(0, q.N-len(out))),
	})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read messages that are not seen: %w", err))
	}
	for _, r := range rows {
		text, _ := words.Snippet(r.Content, unseenBefore, unseenSize)
		out = append(out, chat.UnseenEntry{ID: chat.UnseenID{Message: r.ID}, At: r.CreatedAt, Who: strings.TrimSpace(string(r.Role) + " " + r.Sender), Text: text})
	}
	slices.Reverse(out)
	return out, nil
}

// overheard returns the overheard messages, the newest first. They are few, and have no index by words.
func (s *Store) overheard(ctx context.Context, key chat.SessionKey, words lexical.Search, q chat.UnseenQuery) ([]chat.UnseenEntry, error) {
	n := q.N
	if words.Phrases() > 0 {
		n = maxOverheard
	}
	rows, err := dbsqlc.Q.UnseenOverheard(ctx, s.db.Pool, dbsqlc.UnseenOverheardParams{
		Session: string(key), Before: cmp.Or(q.Before.Overheard, math.MaxInt64), N: int32(n),
	})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read what was overheard: %w", err))
	}
	var out []chat.UnseenEntry
	for _, r := range rows {
		if len(out) < q.N && (words.Phrases() == 0 || words.Match(r.Body)) {
			out = append(out, chat.UnseenEntry{ID: chat.UnseenID{Overheard: r.ID}, At: r.SentAt, Who: strings.TrimSpace("overheard " + r.Sender), Text: r.Body})
		}
	}
	return out, nil
}
