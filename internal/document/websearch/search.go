// Package websearch searches the web with the providers that a user has a key for: CloudsWay, else Tavily, else SearXNG. It does not fetch
// the pages that are found (internal/document/webpage does).
package websearch

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"xbot/internal/chat"
	"xbot/internal/extension/toolkey"
	"xbot/internal/fault"
)

// Limits of one search.
const (
	MaxResults = 10
	MaxQuery   = 400 // characters, as Tavily has it
	timeEach   = 30 * time.Second
	maxAnswer  = 2 << 20 // bytes of what a provider sends, unpacked
)

// Depths of a search.
const (
	Basic    = "basic"
	Advanced = "advanced"
)

// Query is a search request.
type Query struct {
	Text  string
	Max   int    // results; 0: 5, at most MaxResults
	Depth string // Basic or Advanced, which costs more and which only Tavily knows; empty: Basic
}

// Results are the results of a search. Their texts are an outsider's: data, never instructions.
type Results struct {
	Provider string // who answered, by a name for people; empty: none did, and Failed has the reasons
	Answer   string // the provider's own answer; empty: none
	Items    []Item
	Failed   []Failure // of providers that were asked before
}

// Item is one page that was found.
type Item struct {
	Title     string
	URL       string // http or https
	Text      string // the page's text about it, on one line
	Published string // when, as the provider writes it; empty: unknown
}

// Failure is the reason why a provider did not answer. It never has a key in it, nor what the provider wrote.
type Failure struct{ Provider, Reason string }

// Keys return how a service is reached for a user (toolkey.Store).
type Keys interface {
	// Sources returns for each service where its access comes from; toolkey.Nowhere: it cannot be used.
	Sources(ctx context.Context, user chat.UserID) (map[string]string, error)
	For(ctx context.Context, user chat.UserID, service string) (toolkey.Access, error)
}

// Searcher searches the web. It is safe for concurrent use.
type Searcher struct {
	keys Keys
	time time.Duration // for each provider
}

// New returns a searcher with the keys of users and of the installation.
func New(keys Keys) *Searcher { return &Searcher{keys, timeEach} }

// Offers reports whether there is a provider for a user. It reads rows and makes no request.
func (s *Searcher) Offers(ctx context.Context, user chat.UserID) (bool, error) {
	sources, err := s.keys.Sources(ctx, user)
	if err != nil {
		return false, err
	}
	for _, p := range providers {
		if sources[p.service()] != toolkey.Nowhere {
			return true, nil
		}
	}
	return false, nil
}

// Search asks the providers of a user in their order until one answers. Where none does, the results give the reasons. Errors are
// fault.Invalid for a query that cannot be asked and where there is no provider, those of the database, and the cause of the context.
func (s *Searcher) Search(ctx context.Context, user chat.UserID, q Query) (Results, error) {
	q, err := q.checked()
	if err != nil {
		return Results{}, err
	}
	sources, err := s.keys.Sources(ctx, user)
	if err != nil {
		return Results{}, err
	}
	var failed []Failure
	for _, p := range providers {
		if sources[p.service()] == toolkey.Nowhere {
			continue
		}
		found, err := s.ask(ctx, user, p, q)
		switch {
		case ctx.Err() != nil:
			return Results{}, context.Cause(ctx)
		case err == nil:
			found.Provider, found.Failed = p.title(), failed
			return found, nil
		}
		failed = append(failed, Failure{p.title(), line(err.Error(), maxReason)})
	}
	if len(failed) == 0 {
		return Results{}, fault.Errorf(fault.Invalid, "there is no search engine: a key for Tavily or CloudsWay, or the address of a SearXNG server, "+
			"is entered on the page under Settings, Models and keys")
	}
	return Results{Failed: failed}, nil
}

func (q Query) checked() (Query, error) {
	q.Text = strings.Join(strings.Fields(strings.ToValidUTF8(q.Text, "")), " ")
	switch {
	case q.Text == "":
		return q, fault.Errorf(fault.Invalid, "query is empty; write what to search for")
	case utf8.RuneCountInString(q.Text) > MaxQuery:
		return q, fault.Errorf(fault.Invalid, "query has more than %d characters; search for fewer words", MaxQuery)
	case q.Depth != "" && q.Depth != Basic && q.Depth != Advanced:
		return q, fault.Errorf(fault.Invalid, "search_depth is %q; write basic or advanced", line(q.Depth, 20))
	case q.Max <= 0:
		q.Max = 5
	}
	q.Max = min(q.Max, MaxResults)
	if q.Depth == "" {
		q.Depth = Basic
	}
	return q, nil
}
