package oauthtest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Resource is a server that requires a token of a provider that was given for it (Model Context Protocol, authorization; RFC 9728).
type Resource struct {
	*httptest.Server

	provider *Provider
	mu       sync.Mutex
	rules    ResourceRules
	people   map[string]int // requests by account
}

// ResourceRules set the behavior of a resource.
type ResourceRules struct {
	Challenge  string                // the header of 401; empty: it leads to the metadata; "-": there is none
	Scope      string                // in the challenge
	Metadata   func(map[string]any)  // changes its metadata, which names its provider
	Elsewhere  bool                  // the metadata is at the well-known address of the origin
	Page       bool                  // shows a page at addresses without metadata
	InMetadata http.HandlerFunc      // answers in place of the metadata
	Before     func(r *http.Request) // runs before each answer
	Open       bool                  // it wants no token
	Itself     bool                  // it is the provider, without metadata that names one (Model Context Protocol of 2025-03-26)
	Says       func(map[string]any)  // if it is the provider: changes its metadata; nil: it has none
}

// Path is the path of the protected handler of a resource.
const Path = "/mcp"

// Protect serves a handler at Path, protected by a provider, until the test ends.
func (p *Provider) Protect(t testing.TB, h http.Handler) *Resource {
	t.Helper()
	s := &Resource{provider: p, people: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/oauth-protected-resource"+Path, func(w http.ResponseWriter, r *http.Request) { s.metadata(w, r, false) })
	mux.HandleFunc("GET /.well-known/oauth-protected-resource", func(w http.ResponseWriter, r *http.Request) { s.metadata(w, r, true) })
	mux.HandleFunc(Path, func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, h) })
	mux.HandleFunc("/", s.itself)
	s.Server = httptest.NewServer(mux)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s
}

// At returns the address of the protected handler.
func (s *Resource) At() string { return s.URL + Path }

// Rule sets the behavior from now on.
func (s *Resource) Rule(r ResourceRules) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rules = r
}

func (s *Resource) ruled() ResourceRules {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rules
}

// Requests returns the number of requests of an account.
func (s *Resource) Requests(account string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.people[account]
}

// metadata returns the metadata that names its provider (RFC 9728, section 3.2).
func (s *Resource) metadata(w http.ResponseWriter, r *http.Request, atRoot bool) {
	rules := s.ruled()
	if rules.Itself {
		http.NotFound(w, r)
		return
	}
	if rules.InMetadata != nil {
		rules.InMetadata(w, r)
		return
	}
	if atRoot != rules.Elsewhere && rules.Page {
		_, _ = w.Write([]byte("<!doctype html><title>Welcome</title>")) // the client is gone if this fails
		return
	}
	if atRoot != rules.Elsewhere {
		http.NotFound(w, r)
		return
	}
	out := map[string]any{"resource": s.At(), "authorization_servers": []string{s.provider.URL}, "scopes_supported": []string{"tools"}}
	if rules.Elsewhere {
		out["resource"] = s.URL
	}
	if rules.Metadata != nil {
		rules.Metadata(out)
	}
	answer(w, http.StatusOK, out)
}

func (s *Resource) serve(w http.ResponseWriter, r *http.Request, h http.Handler) {
	rules := s.ruled()
	if rules.Before != nil {
		rules.Before(r)
	}
	token, has := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	account, ok := s.provider.AcceptsFor(token, s.At(), s.URL)
	if rules.Open || has && ok {
		s.mu.Lock()
		s.people[account]++
		s.mu.Unlock()
		h.ServeHTTP(w, r)
		return
	}
	if rules.Itself {
		rules.Challenge = "-"
	}
	switch rules.Challenge { // RFC 9728, section 5.1
	case "":
		header := `Bearer resource_metadata="` + s.URL + "/.well-known/oauth-protected-resource" + Path + `"`
		if rules.Scope != "" {
			header += `, scope="` + rules.Scope + `"`
		}
		w.Header().Set("WWW-Authenticate", header)
	case "-":
	default:
		w.Header().Set("WWW-Authenticate", rules.Challenge)
	}
	http.Error(w, "who are you", http.StatusUnauthorized)
}

// itself answers as the provider, if the resource is its provider.
func (s *Resource) itself(w http.ResponseWriter, r *http.Request) {
	rules := s.ruled()
	says := strings.HasPrefix(r.URL.Path, "/.well-known/")
	switch {
	case !rules.Itself, says && (rules.Says == nil || r.URL.Path != "/.well-known/oauth-authorization-server"):
		http.NotFound(w, r)
	case says:
		out := map[string]any{"issuer": s.URL, "code_challenge_methods_supported": []string{"S256"}}
		for what, at := range map[string]string{"authorization_endpoint": "/authorize", "token_endpoint": "/token", "registration_endpoint": "/register"} {
			out[what] = s.URL + at
		}
		rules.Says(out)
		answer(w, http.StatusOK, out)
	default:
		s.provider.Config.Handler.ServeHTTP(w, r)
	}
}
