package search

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/store/dbsqlc"
	"xbot/internal/store/pg"
)

const (
	// maxSearchWords bounds the words of a search.
	maxSearchWords = 8
	// MaxSearchBytes bounds the text of a search.
	MaxSearchBytes = 400
)

// Search returns the newest messages of people and models, in all conversations of a user, that hold every word of q,
// whatever its case. Words are parts of text as they stand there, so that text without spaces between its words is found
// too. What a rewind took out is not found, what a reset hid from the model is. Invalid where q has no word or too much of
// them.
//
// No index serves it: each conversation is read from its end. In 100 000 messages (64 MB) of one user a word that occurs
// often was found in 1 ms, one that hardly does in 0.3 s, or 0.5 s where it has letters of two cases (two cores). An index
// of trigrams (pg_trgm) was three and a half times as large as the text, knew no Chinese under the locale C, nor words of two
// characters under any.
func (s *Store) Search(ctx context.Context, owner chat.UserID, q string, limit int) ([]chat.Found, error) {
	return s.search(ctx, owner, "", q, limit)
}

// SearchIn does what Search does, in one conversation of the user alone.
func (s *Store) SearchIn(ctx context.Context, owner chat.UserID, key chat.SessionKey, q string, limit int) ([]chat.Found, error) {
	return s.search(ctx, owner, key, q, limit)
}

func (s *Store) search(ctx context.Context, owner chat.UserID, only chat.SessionKey, q string, limit int) ([]chat.Found, error) {
	words := strings.Fields(pg.Clean(q))
	if len(words) == 0 || len(words) > maxSearchWords || len(q) > MaxSearchBytes {
		return nil, fault.Errorf(fault.Invalid, "search for 1 to %d words, at most %d bytes in all", maxSearchWords, MaxSearchBytes)
	}
	p := dbsqlc.SearchParams{Owner: owner, Inside: string(only), First: words[0], N: int32(limit)}
	for _, w := range words {
		p.Patterns = append(p.Patterns, "%"+pg.LikeEscape.Replace(w)+"%")
		p.Fold = p.Fold || strings.ContainsFunc(w, hasCase)
	}
	rows, err := s.db.Q.Search(ctx, s.db.Pool, p)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("search messages: %w", err))
	}
	out := make([]chat.Found, len(rows))
	for i, r := range rows {
		out[i] = chat.Found{Session: r.Key, Title: r.Title, Message: r.ID, Role: r.Role, Snippet: r.Snippet, At: r.CreatedAt}
	}
	return out, nil
}

func hasCase(r rune) bool { return unicode.ToLower(r) != r || unicode.ToUpper(r) != r }
