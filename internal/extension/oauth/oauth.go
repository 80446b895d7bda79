// Package oauth connects external accounts of users by OAuth 2.0: authorization code with PKCE, refresh and revocation. It
// stores providers and tokens; package ingress/oauthcallback handles browsers. Tokens are for requests of this process
// alone: no model, page or log sees one.
//
// Of a provider only its tokens are trusted: the sizes of its answers are bounded, and its redirects are not followed with a secret.
package oauth

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/secret"

	"xbot/internal/extension/oauth/oauthstore"
	"xbot/internal/user/users"
)

// Root is the path under which browsers leave and come back; Callback is the redirect address for providers.
const (
	Root     = "/oauth/"
	Start    = Root + "start/"
	Callback = Root + "callback"
)

// FlowLife limits the time of a user at a provider.
const FlowLife = 30 * time.Minute

// answerTime limits each request to a provider.
const answerTime = 10 * time.Second

// Calls reads the tool calls that ask for an account.
type Calls interface {
	Call(ctx context.Context, id chat.CallID) (chat.Call, error)
}

// ConversationsStore reads sessions.
type ConversationsStore interface {
	Session(ctx context.Context, key chat.SessionKey) (chat.Session, chat.UserID, error)
}

// Users reads users.
type Users interface {
	UserByID(ctx context.Context, id chat.UserID) (users.User, error)
}

// Key seals stored secrets and signs tickets.
type Key interface {
	secret.Sealer
	secret.Deriver
}

// Accounts manages the connected accounts of users, and their providers. It is safe for concurrent use.
type Accounts struct {
	Calls         Calls
	Conversations ConversationsStore
	OAuth         *oauthstore.Store
	Users         Users
	Key           Key
	// HTTP carries the requests to providers; it reaches the public internet, and the addresses that the operator allows (package safehttp).
	HTTP http.RoundTripper
	// Public is the address at which users reach this server, without a slash at its end; empty: this process does not know it.
	Public string

	renewals   singleflight.Group // by account and token
	holding    holds
	connecting holds // of connected accounts that are being stored, which waits for a renewal of the same account
}

// maxHolds limits the accounts that a process locks at once while it calls their providers: each takes a database connection. maxHoldsOfOne limits
// those of one user, whose MCP servers may name providers that do not respond.
const maxHolds, maxHoldsOfOne = 6, 2

var errTooMany = fault.Errorf(fault.Unavailable, "too many connected accounts wait for their providers: try again later")

// holds are the permits to lock an account.
type holds struct {
	mu    sync.Mutex
	taken map[chat.UserID]int
	all   int
	freed chan struct{} // closed and replaced when a permit is released
}

// take waits up to holdTime for a permit for an account of a user; end releases it. Errors are Unavailable if there was none in time.
func (h *holds) take(ctx context.Context, user chat.UserID) (end func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, holdTime)
	defer cancel()
	for {
		freed, ok := h.try(user)
		if ok {
			return func() { h.giveBack(user) }, nil
		}
		select {
		case <-freed:
		case <-ctx.Done():
			return nil, errTooMany
		}
	}
}

// try takes a permit, or returns a channel that is closed when a permit is released.
func (h *holds) try(user chat.UserID) (freed <-chan struct{}, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.taken == nil {
		h.taken, h.freed = map[chat.UserID]int{}, make(chan struct{})
	}
	if h.all >= maxHolds || h.taken[user] >= maxHoldsOfOne {
		return h.freed, false
	}
	h.all++
	h.taken[user]++
	return nil, true
}

func (h *holds) giveBack(user chat.UserID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all--
	if h.taken[user]--; h.taken[user] == 0 {
		delete(h.taken, user)
	}
	close(h.freed)
	h.freed = make(chan struct{})
}

// client makes requests to a provider. It follows no redirect: they carry secrets.
func (s *Accounts) client() *http.Client {
	return &http.Client{Transport: s.HTTP, Timeout: answerTime, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// with returns a context in which the library makes its requests to a provider with our client.
func (s *Accounts) with(ctx context.Context, p oauthstore.Provider) context.Context {
	client := s.client()
	if p.Resource != "" {
		client.Transport = resourceTransport{over: s.HTTP, resource: p.Resource}
	}
	return context.WithValue(ctx, oauth2.HTTPClient, client)
}

// config returns the configuration of a provider for the library.
func (s *Accounts) config(p oauthstore.Provider) (*oauth2.Config, error) {
	secret, err := s.secretOf(p)
	if err != nil {
		return nil, err
	}
	style := oauth2.AuthStyleInParams
	if p.ClientAuth == chat.OAuthInHeader {
		style = oauth2.AuthStyleInHeader
	}
	return &oauth2.Config{
		ClientID: p.ClientID, ClientSecret: secret, RedirectURL: s.Public + Callback,
		Endpoint: oauth2.Endpoint{AuthURL: p.AuthorizeURL, TokenURL: p.TokenURL, AuthStyle: style},
	}, nil
}

// tokens holds the secrets of an account.
type tokens struct {
	Access  string    `json:"access_token,omitempty"`
	Refresh string    `json:"refresh_token,omitempty"`
	Instead time.Time `json:"instead,omitzero"` // when Access replaced one that a server had refused
}

// String keeps tokens out of logs.
func (tokens) String() string { return "[tokens of an account]" }

// seal encrypts a value, encoded as JSON.
func (s *Accounts) seal(what any) []byte {
	plain, err := json.Marshal(what)
	if err != nil {
		panic(err) // texts always encode
	}
	return s.Key.Seal(plain)
}

// open decrypts a value that seal made; one that was dropped with the installation's old key is empty.
func (s *Accounts) open(sealed []byte, into any) error {
	plain, err := s.Key.Open(sealed)
	if err != nil {
		return err
	}
	if json.Unmarshal(plain, into) != nil { // the error would quote it
		return fault.Errorf(fault.Invalid, "a stored secret is damaged")
	}
	return nil
}

// Owner returns the owner of a conversation. It returns Invalid if it is a group's, which has no accounts.
func (s *Accounts) Owner(ctx context.Context, key chat.SessionKey) (chat.UserID, error) {
	_, user, err := s.Conversations.Session(ctx, key)
	if err != nil {
		return 0, err
	}
	who, err := s.Users.UserByID(ctx, user)
	if err == nil && who.Group {
		err = fault.Errorf(fault.Invalid, "accounts belong to a person, and this conversation to a group: ask for it in a direct conversation")
	}
	return user, err
}

// List returns the accounts of a user.
func (s *Accounts) List(ctx context.Context, user chat.UserID) ([]chat.OAuthAccount, error) {
	all, err := s.OAuth.OAuthAccounts(ctx, user)
	if err != nil {
		return nil, err
	}
	out := make([]chat.OAuthAccount, len(all))
	for i, a := range all {
		out[i] = a.OAuthAccount
	}
	return out, nil
}

// Account finds that of a user at a provider; ok is false if there is none.
func (s *Accounts) Account(ctx context.Context, user chat.UserID, provider string) (found chat.OAuthAccount, ok bool, err error) {
	a, ok, err := s.account(ctx, user, provider)
	return a.OAuthAccount, ok, err
}

func (s *Accounts) account(ctx context.Context, user chat.UserID, provider string) (oauthstore.Account, bool, error) {
	all, err := s.OAuth.OAuthAccounts(ctx, user)
	if err != nil {
		return oauthstore.Account{}, false, err
	}
	for _, a := range all {
		if a.Provider == provider {
			return a, true, nil
		}
	}
	return oauthstore.Account{}, false, nil
}

// Lacking returns the wanted scopes that are missing. Scopes of an account are those that were requested: a provider may rename the
// granted ones, or not name them at all.
func Lacking(has, wanted []string) (out []string) {
	for _, scope := range wanted {
		if !slices.Contains(has, scope) {
			out = append(out, scope)
		}
	}
	return out
}

// union returns two lists of scopes as one, without repetitions.
func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, scope := range b {
		if !slices.Contains(out, scope) {
			out = append(out, scope)
		}
	}
	return out
}

// granted returns the scopes of a token: those that the provider names, else the requested ones.
func granted(t *oauth2.Token, asked []string) []string {
	said, _ := t.Extra("scope").(string)
	list := strings.FieldsFunc(strings.ToValidUTF8(said, ""), func(r rune) bool { return r <= ' ' || r == ',' })
	if len(list) == 0 || len(list) > MaxScopes {
		return asked
	}
	var out []string
	for _, scope := range list {
		if ScopeFits(scope) {
			out = union(out, []string{scope})
		}
	}
	return out
}

// NotConnectedError reports that a user has no usable account at a provider, and how to connect one.
type NotConnectedError struct{ Provider, Name, Why string }

// Error returns a sentence for the model.
func (e *NotConnectedError) Error() string {
	return "it needs the user's own account at " + cmp.Or(e.Name, e.Provider) + ", and " + e.Why + ": call oauth_authorize with provider " + e.Provider + ", then try again"
}

func notConnected(p oauthstore.Provider, why string) error {
	return fault.Errorf(fault.Denied, "%w", &NotConnectedError{Provider: p.ID, Name: p.Name, Why: why})
}
