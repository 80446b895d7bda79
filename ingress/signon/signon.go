// Package signon signs people in by an OpenID Connect provider: authorization code flow with PKCE. What comes back is turned into a
// one-time sign-in link, which the page spends as any other.
package signon

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/safehttp"
	"xbot/internal/store"
)

const (
	// Root is the path of all that this package serves.
	Root = "/oidc/"
	// cookieName is the cookie of a browser that is on its way to the provider and back.
	cookieName = "xbot_oidc"
	// wayLife is how long a person may take at the provider.
	wayLife = 10 * time.Minute
	// answerTime bounds each request to the provider.
	answerTime = 10 * time.Second
)

// Accounts keeps people.
type Accounts interface {
	// Meet returns who somebody is, and makes them where they come for the first time.
	Meet(ctx context.Context, channel, account string, who chat.Peer) (store.User, error)
	SetRole(ctx context.Context, id chat.UserID, role string) error
}

// Links makes one-time sign-in links.
type Links interface {
	NewLink(ctx context.Context, user chat.UserID, base string) (string, error)
}

// Settings say by which provider, and who of its people may come.
type Settings struct {
	Issuer, ClientID, ClientSecret string
	Scopes                         []string
	GroupsClaim                    string
	AllowedGroups                  []string // empty: everybody whom the provider lets in
	AdminGroups                    []string // whose people are administrators, and others members; empty: roles are given here
}

// SignOn signs people in by a provider. It is found at the first use, so that a server starts without it.
type SignOn struct {
	Settings Settings
	Public   string // address of this server
	Accounts Accounts
	Links    Links
	Log      *slog.Logger

	mu    sync.Mutex
	found *oidc.Provider
}

// Handler serves what is under Root.
func (s *SignOn) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+Root+"login", s.begin)
	mux.HandleFunc("GET "+Root+"callback", s.end)
	return mux
}

// way is what a browser brings back from the provider.
type way struct {
	State    string `json:"s"`
	Nonce    string `json:"n"`
	Verifier string `json:"v"`
	Next     string `json:"t,omitempty"` // place in the page
}

// begin sends a browser to the provider.
func (s *SignOn) begin(w http.ResponseWriter, r *http.Request) {
	client, _, err := s.provider(r.Context())
	if err != nil {
		s.fail(w, r, problemAway, err)
		return
	}
	to := way{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), Next: r.FormValue("next")}
	value, err := json.Marshal(to)
	if err != nil {
		s.fail(w, r, problemFailed, err)
		return
	}
	setCookie(w, r, base64.RawURLEncoding.EncodeToString(value), int(wayLife.Seconds()))
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, client.AuthCodeURL(to.State, oidc.Nonce(to.Nonce), oauth2.S256ChallengeOption(to.Verifier)), http.StatusSeeOther)
}

// end takes a browser that comes back, and lets its person in.
func (s *SignOn) end(w http.ResponseWriter, r *http.Request) {
	setCookie(w, r, "", -1)
	from, err := readWay(r)
	if err != nil {
		s.fail(w, r, problemFailed, err)
		return
	}
	if said := r.FormValue("error"); said != "" {
		s.fail(w, r, problemDenied, fmt.Errorf("the provider says %q: %s", said, r.FormValue("error_description")))
		return
	}
	who, err := s.identify(r.Context(), r.FormValue("code"), from)
	if err != nil {
		s.fail(w, r, problemFailed, err)
		return
	}
	user, problem, err := s.admit(r.Context(), who)
	if err != nil {
		s.fail(w, r, problem, err)
		return
	}
	link, err := s.Links.NewLink(r.Context(), user.ID, "")
	if err != nil {
		s.fail(w, r, problemFailed, err)
		return
	}
	path, fragment, _ := strings.Cut(link, "#")
	if from.Next != "" {
		path += "?" + url.Values{"next": {from.Next}}.Encode()
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, path+"#"+fragment, http.StatusSeeOther)
}

// readWay returns what the browser was sent away with. Whoever brings another state was not sent by this server.
func readWay(r *http.Request) (way, error) {
	var from way
	cookie, err := r.Cookie(cookieName)
	if err != nil {
		return from, fmt.Errorf("the browser brings no cookie of its way: %w", err)
	}
	value, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	if err == nil {
		err = json.Unmarshal(value, &from)
	}
	if err != nil {
		return from, fmt.Errorf("the cookie of the way cannot be read: %w", err)
	}
	if from.State == "" || subtle.ConstantTimeCompare([]byte(from.State), []byte(r.FormValue("state"))) != 1 {
		return from, fault.Errorf(fault.Denied, "the browser brings another state than it was sent away with")
	}
	return from, nil
}

func setCookie(w http.ResponseWriter, r *http.Request, value string, age int) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure wherever the browser's connection is
		Name: cookieName, Value: value, Path: Root, MaxAge: age, HttpOnly: true, SameSite: http.SameSiteLaxMode,
		Secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https",
	})
}

// Problems are what the page tells people; the log has the cause.
const (
	problemAway     = "away"     // the provider does not answer
	problemDenied   = "denied"   // the provider, or the groups of the person, do not let them in
	problemDisabled = "disabled" // an administrator has disabled the account
	problemFailed   = "failed"
)

func (s *SignOn) fail(w http.ResponseWriter, r *http.Request, problem string, err error) {
	s.Log.Warn("nobody was signed in by the OpenID provider", "problem", problem, "error", err)
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, "/login#problem="+problem, http.StatusSeeOther) //nolint:gosec // one of four words, on this server
}

// provider finds the provider once.
func (s *SignOn) provider(ctx context.Context) (*oauth2.Config, *oidc.Provider, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.found == nil {
		found, err := oidc.NewProvider(bounded(ctx), s.Settings.Issuer)
		if err != nil {
			return nil, nil, fmt.Errorf("ask the OpenID provider %s what it offers: %w", s.Settings.Issuer, err)
		}
		s.found = found
	}
	return &oauth2.Config{
		ClientID: s.Settings.ClientID, ClientSecret: s.Settings.ClientSecret, Endpoint: s.found.Endpoint(),
		RedirectURL: strings.TrimRight(s.Public, "/") + Root + "callback", Scopes: s.Settings.Scopes,
	}, s.found, nil
}

// trusted holds the connections to the provider.
var trusted = sync.OnceValue(func() http.RoundTripper { return safehttp.Trusted() })

// bounded has requests to the provider made by a client that does not wait for ever.
func bounded(ctx context.Context) context.Context {
	return oidc.ClientContext(ctx, &http.Client{Timeout: answerTime, Transport: trusted()})
}

// person is who the provider says somebody is.
type person struct {
	Subject string
	Name    string
	Groups  []string
}

// identify spends a code.
func (s *SignOn) identify(ctx context.Context, code string, from way) (person, error) {
	ctx = bounded(ctx)
	client, provider, err := s.provider(ctx)
	if err != nil {
		return person{}, err
	}
	token, err := client.Exchange(ctx, code, oauth2.VerifierOption(from.Verifier))
	if err != nil {
		return person{}, fmt.Errorf("exchange the code: %w", err)
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := provider.Verifier(&oidc.Config{ClientID: s.Settings.ClientID}).Verify(ctx, raw)
	if err != nil {
		return person{}, fmt.Errorf("verify the ID token: %w", err)
	}
	if subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(from.Nonce)) != 1 {
		return person{}, fault.Errorf(fault.Denied, "the ID token is of another sign-in")
	}
	claims := map[string]any{}
	if provider.UserInfoEndpoint() != "" { // where most providers tell names and groups
		info, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
		if err != nil {
			return person{}, fmt.Errorf("ask who they are: %w", err)
		}
		if info.Subject != id.Subject {
			return person{}, fault.Errorf(fault.Denied, "the provider tells of another person than the one who signed in")
		}
		if err := info.Claims(&claims); err != nil {
			return person{}, fmt.Errorf("read what the provider tells: %w", err)
		}
	}
	if err := id.Claims(&claims); err != nil {
		return person{}, fmt.Errorf("read the ID token: %w", err)
	}
	return person{
		Subject: id.Subject, Name: cmp.Or(text(claims, "preferred_username"), text(claims, "name"), text(claims, "email")),
		Groups: texts(claims[s.Settings.GroupsClaim]),
	}, nil
}

func text(claims map[string]any, name string) string {
	value, _ := claims[name].(string)
	return value
}

// texts reads a claim that is one text, or a list of them.
func texts(claim any) (out []string) {
	switch claim := claim.(type) {
	case string:
		return []string{claim}
	case []any:
		for _, one := range claim {
			if value, ok := one.(string); ok {
				out = append(out, value)
			}
		}
	}
	return out
}
