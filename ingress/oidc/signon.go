// Package oidc signs users in by an OpenID Connect provider: authorization code flow with PKCE. A completed flow becomes a one-time sign-in link,
// which is valid for minutes and in that browser only, and which the page uses like any other.
package oidc

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
	"unicode"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/secret"
	"xbot/internal/user/users"
)

const (
	// Root is the path of all that this package serves.
	Root = "/oidc/"
	// cookieName is the cookie of a browser that is on its way to the provider and back.
	cookieName = "xbot_oidc"
	// wayLife is how long a user may take at the provider.
	wayLife = 10 * time.Minute
	// maxNext bounds the path of the page to return to, in bytes.
	maxNext = 1024
)

// Accounts creates users and sets their roles.
type Accounts interface {
	// Meet returns the user of an identity, and creates one at the first sign-in.
	Meet(ctx context.Context, channel, account string, who chat.Peer) (users.User, error)
	SetRole(ctx context.Context, id chat.UserID, role string) error
}

// Links creates one-time sign-in links for the browser of a request, one for each attempt.
type Links interface {
	NewBrowserLink(w http.ResponseWriter, r *http.Request, user chat.UserID, attempt string) (string, error)
}

// Settings name the provider, and which of its users have access.
type Settings struct {
	Issuer, ClientID, ClientSecret string
	Scopes                         []string
	GroupsClaim                    string
	AllowedGroups                  []string // empty: every user whose sign-in the provider allows
	AdminGroups                    []string // whose users are administrators, and others members; empty: roles are given here
}

// SignOn signs users in by a provider. It is found at the first use, so that a server starts without it.
type SignOn struct {
	Settings Settings
	Public   string // address of this server
	Accounts Accounts
	Links    Links
	Key      secret.Sealer // seals the cookies of sign-ins in progress
	Log      *slog.Logger

	discovery singleflight.Group
	mu        sync.Mutex
	found     *oidc.Provider
}

// Handler serves the paths under Root.
func (s *SignOn) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+Root+"login", s.begin)
	mux.HandleFunc("GET "+Root+"callback", s.end)
	return mux
}

// way is the state that a browser brings back from the provider.
type way struct {
	State    string `json:"s"`
	Nonce    string `json:"n"`
	Verifier string `json:"v"`
	Next     string `json:"t,omitempty"` // place in the page
	Expires  int64  `json:"e"`           // Unix seconds
}

// begin sends a browser to the provider.
func (s *SignOn) begin(w http.ResponseWriter, r *http.Request) {
	client, _, err := s.provider(r.Context())
	if err != nil {
		s.fail(w, r, problemAway, err)
		return
	}
	to := way{
		State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), Next: placeInPage(r.FormValue("next")), Expires: time.Now().Add(wayLife).Unix(),
	}
	value, err := json.Marshal(to)
	if err != nil {
		s.fail(w, r, problemFailed, err)
		return
	}
	setCookie(w, r, base64.RawURLEncoding.EncodeToString(s.Key.Seal(value)), int(wayLife.Seconds()))
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, client.AuthCodeURL(to.State, oidc.Nonce(to.Nonce), oauth2.S256ChallengeOption(to.Verifier)), http.StatusSeeOther)
}

// end takes a browser that comes back, and signs its user in.
func (s *SignOn) end(w http.ResponseWriter, r *http.Request) {
	setCookie(w, r, "", -1)
	from, err := s.readWay(r)
	if err != nil {
		s.fail(w, r, problemFailed, err)
		return
	}
	if said := r.FormValue("error"); said != "" {
		s.fail(w, r, problemDenied, fmt.Errorf("the provider says %q: %s", said, r.FormValue("error_description")))
		return
	}
	who, err := s.identify(r, from)
	if err != nil {
		s.fail(w, r, problemFailed, err)
		return
	}
	user, problem, err := s.admit(r.Context(), who)
	if err != nil {
		s.fail(w, r, problem, err)
		return
	}
	link, err := s.Links.NewBrowserLink(w, r, user.ID, from.State) // Conflict: the state was used before
	if err != nil {
		s.fail(w, r, problemFailed, err)
		return
	}
	path, fragment, _ := strings.Cut(link, "#")
	if from.Next != "" {
		path += "?" + url.Values{"next": {from.Next}}.Encode()
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, path+"#"+fragment, http.StatusSeeOther) //nolint:gosec // the link is one of this server, and next a value in it
}

// placeInPage returns the path of the page to return to; empty if the text is no such path.
func placeInPage(next string) string {
	if len(next) > maxNext || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.Contains(next, `\`) || strings.ContainsFunc(next, unicode.IsControl) {
		return ""
	}
	return next
}

// readWay returns the sealed state of the sign-in from the cookie. It refuses a state that this server did not send.
func (s *SignOn) readWay(r *http.Request) (way, error) {
	var from way
	cookie, err := r.Cookie(cookieName)
	if err != nil {
		return from, fmt.Errorf("the browser brings no cookie of its way: %w", err)
	}
	value, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	if err == nil {
		value, err = s.Key.Open(value)
	}
	if err == nil {
		err = json.Unmarshal(value, &from)
	}
	if err != nil {
		return from, fmt.Errorf("the cookie of the way cannot be read: %w", err)
	}
	if time.Now().Unix() > from.Expires {
		return from, fault.Errorf(fault.Denied, "the sign-in took longer than %v; start again", wayLife)
	}
	if from.State == "" || subtle.ConstantTimeCompare([]byte(from.State), []byte(r.FormValue("state"))) != 1 {
		return from, fault.Errorf(fault.Denied, "the browser brings another state than it was sent away with")
	}
	return from, nil
}

func setCookie(w http.ResponseWriter, r *http.Request, value string, age int) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure if the browser's connection is
		Name: cookieName, Value: value, Path: Root, MaxAge: age, HttpOnly: true, SameSite: http.SameSiteLaxMode,
		Secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https",
	})
}

// Problems that the page shows to users; the log has the cause.
const (
	problemAway     = "away"     // the provider does not answer
	problemDenied   = "denied"   // the provider, or the groups of the user, deny access
	problemDisabled = "disabled" // an administrator has disabled the account
	problemFailed   = "failed"
)

func (s *SignOn) fail(w http.ResponseWriter, r *http.Request, problem string, err error) {
	s.Log.Warn("nobody was signed in by the OpenID provider", "problem", problem, "error", err)
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, "/login#problem="+problem, http.StatusSeeOther) //nolint:gosec // one of four words, on this server
}

// provider returns the provider and the client of this server there.
func (s *SignOn) provider(ctx context.Context) (*oauth2.Config, *oidc.Provider, error) {
	found, err := s.discovered(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("ask the OpenID provider %s what it offers: %w", s.Settings.Issuer, err)
	}
	return &oauth2.Config{
		ClientID: s.Settings.ClientID, ClientSecret: s.Settings.ClientSecret, Endpoint: found.Endpoint(),
		RedirectURL: strings.TrimRight(s.Public, "/") + Root + "callback", Scopes: s.Settings.Scopes,
	}, found, nil
}

// discovered returns the provider, which it finds once. Requests that come in the meantime share one attempt: a provider that does not respond delays each
// of them once, however many there are.
func (s *SignOn) discovered(ctx context.Context) (*oidc.Provider, error) {
	s.mu.Lock()
	found := s.found
	s.mu.Unlock()
	if found != nil {
		return found, nil
	}
	attempt := s.discovery.DoChan("", func() (any, error) {
		found, err := oidc.NewProvider(bounded(context.WithoutCancel(ctx)), s.Settings.Issuer)
		if err != nil {
			return nil, err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.found = found
		return found, nil
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case done := <-attempt:
		found, _ = done.Val.(*oidc.Provider) // nil where it failed
		return found, done.Err
	}
}

// person is the identity of a user at the provider.
type person struct {
	Subject string
	Name    string
	Groups  []string
}

// identify redeems the authorization code.
func (s *SignOn) identify(r *http.Request, from way) (person, error) {
	ctx := bounded(r.Context())
	client, provider, err := s.provider(ctx)
	if err != nil {
		return person{}, err
	}
	if err := s.checkIssuer(provider, r.FormValue("iss")); err != nil {
		return person{}, err
	}
	token, err := client.Exchange(ctx, r.FormValue("code"), oauth2.VerifierOption(from.Verifier))
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
	if err := s.checkParty(id); err != nil {
		return person{}, err
	}
	claims, err := s.claims(ctx, provider, token, id)
	if err != nil {
		return person{}, err
	}
	return person{
		Subject: id.Subject, Name: cmp.Or(text(claims, "preferred_username"), text(claims, "name"), text(claims, "email")),
		Groups: texts(claims[s.Settings.GroupsClaim]),
	}, nil
}

// checkIssuer checks the parameter iss of the redirect (RFC 9207). It is required if the provider advertises it.
func (s *SignOn) checkIssuer(provider *oidc.Provider, said string) error {
	var promises struct {
		Issuer bool `json:"authorization_response_iss_parameter_supported"`
	}
	if err := provider.Claims(&promises); err != nil {
		return fmt.Errorf("read the metadata of the provider: %w", err)
	}
	if said != s.Settings.Issuer && (said != "" || promises.Issuer) {
		return fault.Errorf(fault.Denied, "the response comes from a different provider than requested")
	}
	return nil
}

// checkParty checks the authorized party of an ID token (OpenID Connect Core, section 3.1.3.7): a token for several audiences must name this client.
func (s *SignOn) checkParty(id *oidc.IDToken) error {
	var said struct {
		Party *string `json:"azp"`
	}
	if err := id.Claims(&said); err != nil {
		return fmt.Errorf("read the ID token: %w", err)
	}
	if said.Party == nil && len(id.Audience) > 1 || said.Party != nil && *said.Party != s.Settings.ClientID {
		return fault.Errorf(fault.Denied, "the ID token was made for another client (azp)")
	}
	return nil
}

// claims returns the claims of the ID token and of UserInfo. Those of the token win.
func (s *SignOn) claims(ctx context.Context, provider *oidc.Provider, token *oauth2.Token, id *oidc.IDToken) (map[string]any, error) {
	claims := map[string]any{}
	if provider.UserInfoEndpoint() != "" { // where most providers return names and groups
		info, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
		if err != nil {
			return nil, fmt.Errorf("request the user information: %w", err)
		}
		if info.Subject != id.Subject {
			return nil, fault.Errorf(fault.Denied, "the user information of the provider is about another user than the ID token")
		}
		if err := info.Claims(&claims); err != nil {
			return nil, fmt.Errorf("read the user information: %w", err)
		}
	}
	if err := id.Claims(&claims); err != nil {
		return nil, fmt.Errorf("read the ID token: %w", err)
	}
	return claims, nil
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
