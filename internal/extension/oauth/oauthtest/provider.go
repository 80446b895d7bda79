// Package oauthtest implements an OAuth provider for tests.
package oauthtest

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// The client that the provider knows.
const (
	ClientID     = "xbot"
	ClientSecret = "only-the-two-of-us-know-this-one"
)

// Provider is an OAuth 2.0 provider with one client, and those that register themselves, whose user consents at once. It implements
// RFC 6749 (authorization code and refresh), 7636 (PKCE, which it demands), 7009 (revocation), 9207 (iss), 8414 (metadata), 7591 (registration) and
// 8707 (resource: a token for one resource is for no other, and each request for a token has to name it). Each refresh token
// can be used once; one that is used again ends all tokens of its grant.
type Provider struct {
	*httptest.Server

	mu      sync.Mutex
	rules   Rules
	codes   map[string]code
	access  map[string]*grant
	refresh map[string]*grant
	spent   map[string]*grant
	ends    map[string]time.Time // of access tokens
	secrets []string
	counted map[string]int
	clients map[string]client // that have registered themselves
}

// Rules set the behavior of a provider.
type Rules struct {
	Account   string        // account that consents; empty: lena@example.com
	Life      time.Duration // of access tokens; 0: they have no end
	Deny      string        // the error with which users are sent back; empty: they consent
	Scopes    string        // the scopes granted, in the form of the provider; empty: those requested
	Issuer    string        // the issuer that it names; empty: the provider
	InHeader  bool          // the secret of the client is accepted only in the header
	NoRefresh bool          // it gives no refresh tokens
	Break     http.HandlerFunc
	BreakAt   string                // the path that Break answers in its place
	Public    bool                  // the client has no secret
	Before    func(r *http.Request) // runs before each answer

	Metadata   func(map[string]any) // changes its metadata
	Registered func(map[string]any) // changes its answer to the registration of a program
	Silent     bool                 // it sends users back without iss
}

type code struct {
	challenge, redirect string
	grant               *grant
}

// grant is the consent of a user.
type grant struct {
	account, scope string
	resource       string // resource of the tokens; empty: any
	ended          bool
}

// New starts a provider that ends with the test.
func New(t testing.TB) *Provider {
	t.Helper()
	p := &Provider{codes: map[string]code{}, access: map[string]*grant{}, refresh: map[string]*grant{}, spent: map[string]*grant{}, ends: map[string]time.Time{}, counted: map[string]int{}, clients: map[string]client{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	mux.HandleFunc("POST /revoke", p.revoke)
	mux.HandleFunc("GET /account", p.about)
	mux.HandleFunc("GET /.well-known/oauth-authorization-server", p.metadata)
	mux.HandleFunc("POST /register", p.register)
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.counted[r.URL.Path]++
		rules := p.rules
		p.mu.Unlock()
		if rules.Before != nil {
			rules.Before(r)
		}
		if rules.Break != nil && r.URL.Path == rules.BreakAt {
			rules.Break(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { p.CloseClientConnections(); p.Close() })
	return p
}

// Rule sets the behavior from now on.
func (p *Provider) Rule(r Rules) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = r
}

// Count returns the number of requests to a path.
func (p *Provider) Count(path string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.counted[path]
}

// Accepts returns the account of an access token; ok is false if it has ended or was revoked.
func (p *Provider) Accepts(token string) (account string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.accepts(token)
}

func (p *Provider) accepts(token string) (string, bool) {
	g := p.access[token]
	if end, has := p.ends[token]; g == nil || g.ended || has && time.Now().After(end) {
		return "", false
	}
	return g.account, true
}

// AcceptsFor is Accepts at a resource of one of the names: a token for another resource is not accepted, nor one for none.
func (p *Provider) AcceptsFor(token string, names ...string) (account string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	account, ok = p.accepts(token)
	if !ok || !slices.Contains(names, p.access[token].resource) {
		return "", false
	}
	return account, true
}

// Live returns the number of grants with a working token.
func (p *Provider) Live() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	live := map[*grant]bool{}
	for _, all := range []map[string]*grant{p.access, p.refresh} {
		for _, g := range all {
			if !g.ended {
				live[g] = true
			}
		}
	}
	return len(live)
}

// Withdraw ends all grants of users, as users can with the provider.
func (p *Provider) Withdraw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, g := range p.refresh {
		g.ended = true
	}
	for _, g := range p.access {
		g.ended = true
	}
}

// Secrets returns all codes and tokens that it has issued.
func (p *Provider) Secrets() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.secrets)
}

func (p *Provider) secret(kind string) string {
	s := kind + "-" + rand.Text()
	p.secrets = append(p.secrets, s)
	return s
}

func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	q := r.URL.Query()
	if !p.admits(q.Get("client_id"), q.Get("redirect_uri")) || q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" || q.Get("code_challenge") == "" || len(q.Get("state")) < 32 {
		http.Error(w, "invalid_request", http.StatusBadRequest)
		return
	}
	issuer := p.rules.Issuer
	if issuer == "" {
		issuer = p.URL
	}
	back := url.Values{"state": {q.Get("state")}, "iss": {issuer}}
	if p.rules.Silent {
		back.Del("iss")
	}
	if p.rules.Deny != "" {
		back.Set("error", p.rules.Deny)
		back.Set("error_description", "the person said no")
	} else {
		account, scope := p.rules.Account, p.rules.Scopes
		if account == "" {
			account = "lena@example.com"
		}
		if scope == "" {
			scope = q.Get("scope")
		}
		c := p.secret("code")
		p.codes[c] = code{q.Get("code_challenge"), q.Get("redirect_uri"), &grant{account: account, scope: scope, resource: q.Get("resource")}}
		back.Set("code", c)
	}
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

// known checks the client of a request.
func (p *Provider) known(r *http.Request) bool {
	id, secret, has := r.BasicAuth()
	if !has && !p.rules.InHeader {
		id, secret = r.PostFormValue("client_id"), r.PostFormValue("client_secret")
	}
	if c, registered := p.clients[id]; registered {
		return secret == c.secret
	}
	return id == ClientID && (secret == ClientSecret || p.rules.Public && secret == "")
}

func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.known(r) {
		fail(w, http.StatusUnauthorized, "invalid_client")
		return
	}
	switch r.PostFormValue("grant_type") {
	case "authorization_code":
		c, ok := p.codes[r.PostFormValue("code")]
		delete(p.codes, r.PostFormValue("code"))
		sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
		if !ok || c.challenge != base64.RawURLEncoding.EncodeToString(sum[:]) || c.redirect != r.PostFormValue("redirect_uri") {
			fail(w, http.StatusBadRequest, "invalid_grant")
			return
		}
		if c.grant.resource != r.PostFormValue("resource") {
			fail(w, http.StatusBadRequest, "invalid_target")
			return
		}
		p.give(w, c.grant)
	case "refresh_token":
		given := r.PostFormValue("refresh_token")
		if g := p.spent[given]; g != nil { // it was stolen, or is
			g.ended = true
		}
		g := p.refresh[given]
		if g == nil || g.ended {
			fail(w, http.StatusBadRequest, "invalid_grant")
			return
		}
		if g.resource != r.PostFormValue("resource") {
			fail(w, http.StatusBadRequest, "invalid_target")
			return
		}
		delete(p.refresh, given)
		p.spent[given] = g
		p.give(w, g)
	default:
		fail(w, http.StatusBadRequest, "unsupported_grant_type")
	}
}

func (p *Provider) give(w http.ResponseWriter, g *grant) {
	access, refresh := p.secret("access"), p.secret("refresh")
	p.access[access], p.refresh[refresh] = g, g
	out := map[string]any{"access_token": access, "refresh_token": refresh, "token_type": "Bearer", "scope": g.scope}
	if p.rules.NoRefresh {
		delete(p.refresh, refresh)
		delete(out, "refresh_token")
	}
	if p.rules.Life > 0 {
		p.ends[access] = time.Now().Add(p.rules.Life)
		out["expires_in"] = int(p.rules.Life.Seconds())
	}
	answer(w, http.StatusOK, out)
}

func (p *Provider) revoke(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.known(r) {
		fail(w, http.StatusUnauthorized, "invalid_client")
		return
	}
	token := r.PostFormValue("token")
	if g := p.refresh[token]; g != nil {
		g.ended = true
	}
	maps.DeleteFunc(p.access, func(t string, _ *grant) bool { return t == token })
	w.WriteHeader(http.StatusOK)
}

func (p *Provider) about(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	account, ok := p.accepts(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	if !ok {
		fail(w, http.StatusUnauthorized, "invalid_token")
		return
	}
	answer(w, http.StatusOK, map[string]any{"sub": "u-1", "email": account})
}

func fail(w http.ResponseWriter, status int, code string) {
	answer(w, status, map[string]any{"error": code, "error_description": "because"})
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client is gone if this fails
}
