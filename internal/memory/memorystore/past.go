package memorystore

import (
	"context"
	"fmt"
	"time"

	"xbot/internal/chat"
	"xbot/internal/memory/dbsqlc"
	"xbot/internal/memory/lexical"
	"xbot/internal/pg"
)

const (
	// recollectLog is how many entries of the log come before the messages.
	recollectLog = 5
	// maxPastWords bounds the words that messages are searched for.
	maxPastWords = 12
	// maxPastSource bounds how much of a message is read, in characters, of which pastSize are returned, at most pastBefore of them ahead of the first hit.
	maxPastSource, pastSize, pastBefore = 100_000, 400, 100
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
	said, err := s.searchPast(ctx, w, here, q)
	return append(out, said[:min(len(said), q.N-len(out))]...), err
}

func (s *Store) searchPast(ctx context.Context, w chat.MemoryOwner, here chat.SessionKey, q chat.PastQuery) ([]chat.PastEntry, error) {
	words := lexical.Question(chat.Clean(q.Text), maxPastWords)
	p := dbsqlc.SearchPastParams{
		Owner: w.User, Here: string(here), Since: q.Since, Until: q.Until, N: int32(q.N), Query: words.TSQuery(), Letters: maxPastSource,
		These: append([]string{}, q.Agents.Only...), Others: append([]string{}, q.Agents.Except...),
	}
	rows, err := dbsqlc.Q.SearchPast(ctx, s.db.Pool, p)
	if err == nil && len(rows) == 0 && words.Phrases() > 1 {
		p.Query = words.Any().TSQuery()
		rows, err = dbsqlc.Q.SearchPast(ctx, s.db.Pool, p)
	}
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("search what was said: %w", err))
	}
	out := make([]chat.PastEntry, len(rows))
	for i, r := range rows {
		text, _ := words.Snippet(r.Content, pastBefore, pastSize)
		out[i] = chat.PastEntry{At: r.CreatedAt, Session: r.Key, Who: string(r.Role), Text: text}
	}
	return out, nil
}
