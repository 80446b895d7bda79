// Package oidctest is an OpenID Connect provider for tests.
package oidctest

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/stretchr/testify/require"
)

// Provider is an OpenID Connect provider with one client, which signs in the user of its claims at once. Its shapes are those of OpenID
// Connect Core 1.0 (§3.1 authorization code flow, §5.3 UserInfo), Discovery 1.0 and RFC 7636. Its fields are set between sign-ins.
type Provider struct {
	*httptest.Server

	Claims map[string]any              // of who signs in next
	Info   map[string]any              // the response of UserInfo; nil: there is no such endpoint
	Spoil  func(claims map[string]any) // changes the claims before they are signed; nil: nothing
	Refuse string                      // the error with which browsers are sent back; empty: the user is signed in
	Issuer *string                     // the parameter iss of the redirect back; nil: none
	Says   bool                        // advertises that it sends iss
	Token  http.HandlerFunc            // replaces the token endpoint; nil: the default one
	Person http.HandlerFunc            // replaces the UserInfo endpoint; nil: the default one

	key    *rsa.PrivateKey
	signer jose.Signer
	mu     sync.Mutex
	codes  map[string]asked
}

// asked is the request that a code was given for.
type asked struct {
	nonce, challenge string
	claims           map[string]any
}

// The client that the provider knows.
const (
	ClientID     = "xbot"
	ClientSecret = "between the two of us"
	keyID        = "key-1"
)

// New starts a provider that ends with the test. lena signs in.
func New(t testing.TB) *Provider {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: key, KeyID: keyID}}, nil)
	require.NoError(t, err)
	p := &Provider{key: key, signer: signer, codes: map[string]asked{}, Claims: map[string]any{"sub": "u-1", "preferred_username": "lena"}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.discovery)
	mux.HandleFunc("GET /keys", p.keys)
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	mux.HandleFunc("GET /userinfo", p.userinfo)
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client is gone if this fails
}

func (p *Provider) discovery(w http.ResponseWriter, _ *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	found := map[string]any{
		"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
		"response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"}, "id_token_signing_alg_values_supported": []string{"RS256"},
	}
	if p.Says {
		found["authorization_response_iss_parameter_supported"] = true
	}
	if p.Info != nil {
		found["userinfo_endpoint"] = p.URL + "/userinfo"
	}
	answer(w, http.StatusOK, found)
}

func (p *Provider) keys(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: p.key.Public(), KeyID: keyID, Algorithm: "RS256", Use: "sig"}}})
}

// authorize signs in every browser at once.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	q := r.URL.Query()
	back, err := url.Parse(q.Get("redirect_uri"))
	if err != nil || q.Get("client_id") != ClientID || q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" {
		answer(w, http.StatusBadRequest, map[string]string{"error": "invalid_request"})
		return
	}
	said := url.Values{"state": {q.Get("state")}}
	if p.Refuse != "" {
		said.Set("error", p.Refuse)
	} else {
		code := rand.Text()
		p.codes[code] = asked{q.Get("nonce"), q.Get("code_challenge"), p.Claims}
		said.Set("code", code)
	}
	if p.Issuer != nil {
		said.Set("iss", *p.Issuer)
	}
	back.RawQuery = said.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Token != nil {
		p.Token(w, r)
		return
	}
	id, secret, _ := r.BasicAuth()
	code, known := p.codes[r.FormValue("code")]
	delete(p.codes, r.FormValue("code"))
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	if !known || id != ClientID || secret != url.QueryEscape(ClientSecret) || base64.RawURLEncoding.EncodeToString(sum[:]) != code.challenge {
		answer(w, http.StatusBadRequest, map[string]string{"error": "invalid_grant"})
		return
	}
	claims := map[string]any{"iss": p.URL, "aud": ClientID, "exp": time.Now().Add(time.Minute).Unix(), "iat": time.Now().Unix(), "nonce": code.nonce}
	maps.Copy(claims, code.claims)
	if p.Spoil != nil {
		p.Spoil(claims)
	}
	raw, err := jwt.Signed(p.signer).Claims(claims).Serialize()
	if err != nil {
		answer(w, http.StatusInternalServerError, map[string]string{"error": "server_error"})
		return
	}
	answer(w, http.StatusOK, map[string]any{"access_token": "access", "token_type": "Bearer", "expires_in": 60, "id_token": raw})
}

func (p *Provider) userinfo(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Person != nil {
		p.Person(w, r)
		return
	}
	if r.Header.Get("Authorization") != "Bearer access" {
		answer(w, http.StatusUnauthorized, map[string]string{"error": "invalid_token"})
		return
	}
	answer(w, http.StatusOK, p.Info)
}
