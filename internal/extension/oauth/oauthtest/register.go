package oauthtest

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"slices"
)

// client is a program that has registered itself.
type client struct {
	secret    string
	redirects []string
}

// metadata returns the metadata of the provider (RFC 8414, section 2; RFC 9207, section 3).
func (p *Provider) metadata(w http.ResponseWriter, _ *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := map[string]any{
		"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "revocation_endpoint": p.URL + "/revoke", "registration_endpoint": p.URL + "/register",
		"response_types_supported": []string{"code"}, "grant_types_supported": []string{"authorization_code", "refresh_token"}, "code_challenge_methods_supported": []string{"S256"},
		"token_endpoint_auth_methods_supported": []string{"none", "client_secret_basic"}, "authorization_response_iss_parameter_supported": true,
	}
	if p.rules.Metadata != nil {
		p.rules.Metadata(out)
	}
	answer(w, http.StatusOK, out)
}

// register registers a program (RFC 7591, section 3).
func (p *Provider) register(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var in struct {
		Redirects []string `json:"redirect_uris"`
		Method    string   `json:"token_endpoint_auth_method"`
	}
	if json.NewDecoder(r.Body).Decode(&in) != nil || len(in.Redirects) == 0 {
		fail(w, http.StatusBadRequest, "invalid_redirect_uri")
		return
	}
	id, c := "client-"+rand.Text(), client{redirects: in.Redirects}
	out := map[string]any{"client_id": id, "redirect_uris": in.Redirects, "token_endpoint_auth_method": in.Method, "client_id_issued_at": 1}
	if in.Method != "none" {
		c.secret = p.secret("secret")
		out["client_secret"], out["client_secret_expires_at"] = c.secret, 0
	}
	p.clients[id] = c
	if p.rules.Registered != nil {
		p.rules.Registered(out)
	}
	answer(w, http.StatusCreated, out)
}

// admits reports whether a program may send users here, to come back to an address.
func (p *Provider) admits(id, redirect string) bool {
	c, registered := p.clients[id]
	return id == ClientID || registered && slices.Contains(c.redirects, redirect)
}

// Clients returns the number of programs that have registered themselves.
func (p *Provider) Clients() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.clients)
}
