package mcp

import (
	"context"
	"errors"
	"strings"
	"sync"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/oauth"
	"xbot/internal/store/mcpservers"
)

// Tokens are the tokens of the accounts that people have connected, which hold for a minute at least. An oauth.NotConnectedError: the person has
// to connect one first.
type Tokens interface {
	Token(ctx context.Context, user chat.UserID, provider string) (string, error)
}

// bearer authorizes the requests of a connection with the account of its person.
type bearer struct {
	tokens   Tokens
	person   chat.UserID
	provider string

	mu   sync.Mutex
	used []string // the last ones, which texts of the server must not show
}

// authorization is the account that authorizes requests to a server; nil: none does.
func (c *Connections) authorization(s mcpservers.Server, person chat.UserID) *bearer {
	if s.Account == "" {
		return nil
	}
	return &bearer{tokens: c.cfg.Tokens, person: person, provider: s.Account}
}

// maxUsed is how many tokens are remembered: those that a server may still have seen in requests that run.
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

// hide takes the tokens out of a text.
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

// theirs reports whether an error says that the person has to connect an account: that is no problem of the server.
func theirs(err error) bool {
	_, ok := errors.AsType[*oauth.NotConnectedError](err)
	return ok
}
