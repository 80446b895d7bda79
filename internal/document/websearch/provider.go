package websearch

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/extension/toolkey"
	"xbot/internal/fault"
	"xbot/internal/host/safehttp"
)

// provider is one search engine: how it is asked, and what its answer means.
type provider interface {
	service() string // of toolkey
	title() string   // for people
	request(ctx context.Context, a toolkey.Access, q Query) (*http.Request, error)
	// refused explains why it did not answer; nil: it did. What it wrote is left out: it may repeat the key.
	refused(answer *http.Response) error
	// read takes an answer apart. Its texts are still as they came.
	read(body []byte) (Results, error)
}

// providers are all, in the order in which they are asked.
var providers = []provider{cloudsWay{}, tavily{}, searXNG{}}

// ask makes one request. The client is the service's: what users entered for themselves reaches the public internet alone, what
// administrators entered also their own network, and no redirect is followed with a key (toolkey.Access).
func (s *Searcher) ask(ctx context.Context, user chat.UserID, p provider, q Query) (Results, error) {
	access, err := s.keys.For(ctx, user, p.service())
	if err != nil {
		return Results{}, err
	}
	limited, cancel := context.WithTimeout(ctx, s.time)
	defer cancel()
	body, err := exchange(limited, p, access, q)
	if limited.Err() != nil {
		return Results{}, fault.Errorf(fault.Unavailable, "it did not answer within %s", s.time)
	}
	if err != nil {
		return Results{}, err
	}
	found, err := p.read(body)
	if err != nil {
		return Results{}, err
	}
	return found.cleaned(q.Max, access.Key), nil
}

func exchange(ctx context.Context, p provider, a toolkey.Access, q Query) ([]byte, error) {
	req, err := p.request(ctx, a, q)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	answer, err := a.Client.Do(req)
	if err != nil {
		return nil, unreachable(req.URL.Host, err)
	}
	defer func() { _ = answer.Body.Close() }() // it was read
	if err := p.refused(answer); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, unreachable(req.URL.Host, err)
	case len(body) > maxAnswer:
		return nil, fault.Errorf(fault.TooLarge, "it sent more than %d MB", maxAnswer>>20)
	}
	return body, nil
}

// unreachable explains why there is no answer, without the address, which contains the query.
func unreachable(host string, err error) error {
	if refused, ok := errors.AsType[*fault.Error](err); ok {
		return refused
	}
	return fault.Errorf(fault.Unavailable, "%s cannot be reached: %s", line(host, 100), safehttp.Reason(err))
}

var errNoJSON = fault.Errorf(fault.Unavailable, "what it sent is no answer of such a service (is its address right?)")

// at puts a query behind an address that may have one already.
func at(base string, query url.Values) string {
	if strings.Contains(base, "?") {
		return "&" + query.Encode()
	}
	return "?" + query.Encode()
}
