package search

import (
	"context"
	"fmt"
	"math"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/memory/lexical"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
)

const (
	// maxSearchWords bounds the words of a search, as spaces divide them.
	maxSearchWords = 32
	// MaxSearchBytes bounds the text of a search.
	MaxSearchBytes = 400
	// rareHits is the default of Store.RareHits. So many messages are read in milliseconds.
	rareHits = 2_000
	// maxSnippetSource bounds the part of a message that is read for its snippet, in characters.
	maxSnippetSource = 100_000
	// A snippet of a search has snippetSize characters, and at most snippetBefore of them ahead of the first hit.
	snippetSize, snippetBefore = 240, 40
)

// windows are the numbers of newest messages of all users in which frequent words are searched, one after the other until there are enough
// hits.
var windows = []int64{5_000, 100_000, math.MaxInt64}

// Search returns the newest messages of users and models, in all conversations of a user, that a search by words finds ([lexical.Parse]). It
// excludes messages removed by a rewind, and includes those that a reset hid from the model. Invalid: q is empty or too long.
func (s *Store) Search(ctx context.Context, owner chat.UserID, q string, limit int) ([]chat.Found, error) {
	return s.search(ctx, owner, "", q, limit)
}

// SearchIn is Search in one conversation of the user.
func (s *Store) SearchIn(ctx context.Context, owner chat.UserID, key chat.SessionKey, q string, limit int) ([]chat.Found, error) {
	return s.search(ctx, owner, key, q, limit)
}

func (s *Store) search(ctx context.Context, owner chat.UserID, only chat.SessionKey, q string, limit int) ([]chat.Found, error) {
	if strings.TrimSpace(q) == "" {
		return nil, fault.Errorf(fault.Invalid, "there is nothing to search for; write words")
	}
	words, err := parse(q)
	if err != nil || words.Phrases() == 0 {
		return nil, err
	}
	var rows []dbsqlc.SearchRow
	for _, newest := range windows {
		rows, err = dbsqlc.Q.Search(ctx, s.db.Pool, dbsqlc.SearchParams{
			Owner: owner, Inside: string(only), Query: words.TSQuery(), Few: int32(s.RareHits), Newest: newest, Letters: maxSnippetSource, N: int32(limit),
		})
		if err != nil {
			return nil, pg.Classify(fmt.Errorf("search messages: %w", err))
		}
		if len(rows) == limit || len(rows) > 0 && rows[0].Rare {
			break
		}
	}
	out := make([]chat.Found, len(rows))
	for i, r := range rows {
		out[i] = chat.Found{Session: r.Key, Title: r.Title, Message: r.ID, Role: r.Role, At: r.CreatedAt}
		out[i].Snippet, out[i].Marks = words.Snippet(r.Content, snippetBefore, snippetSize)
	}
	return out, nil
}

// parse parses a search. It returns Invalid if it is too long.
func parse(q string) (lexical.Search, error) {
	if len(q) > MaxSearchBytes || len(strings.Fields(q)) > maxSearchWords {
		return lexical.Search{}, fault.Errorf(fault.Invalid, "search for at most %d words, at most %d bytes in all", maxSearchWords, MaxSearchBytes)
	}
	return lexical.Parse(chat.Clean(q)), nil
}
