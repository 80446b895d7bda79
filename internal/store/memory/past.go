package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/memory/lexical"
	"xbot/internal/store/dbsqlc"
	"xbot/internal/store/pg"
)

const (
	// recollectLog is how many entries of the log stand before what was said.
	recollectLog = 5
	// maxPatterns bounds the words that messages are searched for.
	maxPatterns = 12
)

// farAway are times before and after everything.
var farAway = [2]time.Time{time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)}

// SearchPast returns the entries of the log that match a question best, and then the messages that match it: those with all
// of its words, else those with any of them, the newest first. What the model of the session here sees anyway is left out.
func (s *Store) SearchPast(ctx context.Context, w chat.MemoryOwner, here chat.SessionKey, q chat.PastQuery) ([]chat.PastEntry, error) {
	if q.Since.IsZero() {
		q.Since = farAway[0]
	}
	if q.Until.IsZero() {
		q.Until = farAway[1]
	}
	log, err := s.MemoryLog(ctx, w, q.Text, q.Since, q.Until, min(recollectLog, q.N))
	if err != nil {
		return nil, err
	}
	var out []chat.PastEntry
	for _, e := range log {
		out = append(out, chat.PastEntry{At: e.To, Session: e.Session, Who: "log", Text: e.Entry})
	}
	said, err := s.said(ctx, w, here, q)
	return append(out, said[:min(len(said), q.N-len(out))]...), err
}

func (s *Store) said(ctx context.Context, w chat.MemoryOwner, here chat.SessionKey, q chat.PastQuery) ([]chat.PastEntry, error) {
	p := dbsqlc.SearchPastParams{
		Owner: w.User, Here: string(here), Since: q.Since, Until: q.Until, N: int32(q.N), Every: true, Patterns: []string{},
		These: append([]string{}, q.Agents.Only...), Others: append([]string{}, q.Agents.Except...),
	}
	for _, word := range telling(q.Text) {
		p.First = cmp.Or(p.First, word)
		p.Patterns = append(p.Patterns, "%"+pg.LikeEscape.Replace(word)+"%")
	}
	rows, err := s.db.Q.SearchPast(ctx, s.db.Pool, p)
	if err == nil && len(rows) == 0 && len(p.Patterns) > 1 {
		p.Every = false
		rows, err = s.db.Q.SearchPast(ctx, s.db.Pool, p)
	}
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("search what was said: %w", err))
	}
	out := make([]chat.PastEntry, len(rows))
	for i, r := range rows {
		out[i] = chat.PastEntry{At: r.CreatedAt, Session: r.Key, Who: string(r.Role), Text: r.Snippet}
	}
	return out, nil
}

// telling returns what messages are searched for: the significant words of a question, and pairs of ideographs.
func telling(question string) []string {
	var out []string
	for _, t := range lexical.Query(pg.Clean(question)) {
		if t.Weight == 1 && len(out) < maxPatterns && !slices.ContainsFunc(out, func(o string) bool { return strings.Contains(o, t.Text) }) {
			out = append(out, t.Text)
		}
	}
	return out
}
