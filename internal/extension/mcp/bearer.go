package mcp

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"

	"xbot/internal/chat"
	"xbot/internal/extension/mcp/mcpstore"
	"xbot/internal/extension/oauth"
	"xbot/internal/fault"
)

// Tokens returns tokens of the accounts that users have connected. An oauth.NotConnectedError: the user has to connect one first.
type Tokens interface {
	// Token returns one that holds for a minute at least.
	Token(ctx context.Context, user chat.UserID, provider string) (string, error)
	// Refused records that a server has refused one. nil: Token has another now.
	Refused(ctx context.Context, user chat.UserID, provider, access string) error
}

// bearer authorizes the requests of a connection with the account of its user.
type bearer struct {
	tokens   Tokens
	person   chat.UserID
	provider string

	mu   sync.Mutex
	used []string // the last ones, which texts of the server must not show
}

// authorization returns the account that authorizes requests to a server, or nil if none does.
func (c *Connections) authorization(s mcpstore.Server, person chat.UserID) *bearer {
	if s.Account == "" {
		return nil
	}
	return &bearer{tokens: c.cfg.Tokens, person: person, provider: s.Account}
}

// maxUsed limits the stored tokens: those that a server may still have seen in running requests.
const maxUsed = 4

func (b *bearer) token(ctx context.Context) (string, error) {
	if b.tokens == nil {
		return "", fault.Errorf(fault.Invalid, "accounts cannot be connected here")
	}
	token, err := b.tokens.Token(ctx, b.person, b.provider)
	if err != nil {
		return "", err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if n := len(b.used); n == 0 || b.used[n-1] != token {
		b.used = append(b.used[max(0, n-maxUsed+1):], token)
	}
	return token, nil
}

// keyError reports that there is no token for requests to a server. Nothing was carried out.
type keyError struct{ error }

// Unwrap returns why.
func (e *keyError) Unwrap() error { return e.error }

// authorize sends a request with a token; without a bearer unchanged. If the server refuses the token, and there is another one, it is sent
// once more: a server that answers 401 has done nothing. It may modify the request.
func (b *bearer) authorize(r *http.Request, over http.RoundTripper) (*http.Response, error) {
	if b == nil {
		return over.RoundTrip(r)
	}
	resp, err := b.attempt(r, over)
	if err != nil || !refuses(r, resp) || r.Body != nil && r.GetBody == nil {
		return resp, err
	}
	_ = resp.Body.Close() // another answer follows
	again := r.Clone(r.Context())
	if r.GetBody != nil {
		if again.Body, err = r.GetBody(); err != nil {
			return nil, err
		}
	}
	return b.attempt(again, over)
}

// attempt sends a request once. A token that the server refuses, and that has no replacement, is an error.
func (b *bearer) attempt(r *http.Request, over http.RoundTripper) (*http.Response, error) {
	token, err := b.token(r.Context())
	if err != nil {
		return nil, unable(r, err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	resp, err := over.RoundTrip(r)
	if err != nil || !refuses(r, resp) {
		return resp, err
	}
	if err := b.tokens.Refused(r.Context(), b.person, b.provider, token); err != nil {
		_ = resp.Body.Close() // why is known
		return nil, unable(r, err)
	}
	return resp, nil
}

// refuses reports whether a server does not accept the token of a request, which matters unless it only ends the session.
func refuses(r *http.Request, resp *http.Response) bool {
	return resp.StatusCode == http.StatusUnauthorized && r.Method != http.MethodDelete
}

// unable marks that there is no token for a request with a question. Other requests fetch the answer to an earlier one.
func unable(r *http.Request, err error) error {
	if r.Method != http.MethodPost {
		return err
	}
	return &keyError{err}
}

// hide removes the tokens from a text.
func (b *bearer) hide(text string) string {
	if b == nil {
		return text
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, token := range b.used {
		text = strings.ReplaceAll(text, token, "[hidden]")
	}
	return text
}

// theirs reports whether an error asks the user to connect an account: that is no problem of the server.
func theirs(err error) bool {
	_, ok := errors.AsType[*oauth.NotConnectedError](err)
	return ok
}
