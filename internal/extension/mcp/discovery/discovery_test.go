package discovery_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"xbot/internal/chat"
	"xbot/internal/extension/mcp/discovery"
	"xbot/internal/extension/oauth/oauthtest"
	"xbot/internal/fault"
	"xbot/internal/host/safehttp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const redirect = "http://xbot.test/oauth/callback"

type bundle struct {
	t        *testing.T
	finder   *discovery.Finder
	provider *oauthtest.Provider
	resource *oauthtest.Resource
}

func setup(t *testing.T, allowed ...string) *bundle {
	t.Helper()
	t.Parallel()
	if allowed == nil {
		allowed = []string{"127.0.0.1"}
	}
	allow, err := safehttp.ParseAllow(allowed)
	require.NoError(t, err)
	transport := safehttp.NewTransport(allow)
	b := &bundle{t: t, finder: &discovery.Finder{Own: transport, Redirect: redirect}, provider: oauthtest.New(t)}
	b.resource = b.provider.Protect(t, http.NotFoundHandler())
	return b
}

func (b *bundle) find() (discovery.Found, error) {
	return b.finder.Find(b.t.Context(), web(chat.MCPHTTP, b.resource.At()))
}

func web(transport chat.MCPTransport, url string) chat.MCPServer {
	return chat.MCPServer{MCPConfig: chat.MCPConfig{Name: "web", Transport: transport, URL: url}}
}

// refused says why nothing was found, which no hostile text makes long.
func (b *bundle) refused() string {
	b.t.Helper()
	_, err := b.find()
	require.Equal(b.t, fault.Invalid, fault.KindOf(err), "%v", err)
	require.Less(b.t, len(err.Error()), 600)
	return err.Error()
}

func TestFind_AServerLeadsToItsProviderAndXbotIsRegisteredThere(t *testing.T) {
	b := setup(t)
	b.resource.Rule(oauthtest.ResourceRules{Scope: "tools.read tools.write tools.read"})
	found, err := b.find()
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(found.ClientID, "client-"))
	at := b.provider.URL
	require.Equal(t, discovery.Found{OAuthProviderConfig: chat.OAuthProviderConfig{
		Issuer: at, AuthorizeURL: at + "/authorize", TokenURL: at + "/token", RevokeURL: at + "/revoke", Scopes: []string{"tools.read", "tools.write"},
		ClientID: found.ClientID, ClientAuth: chat.OAuthInBody, Resource: b.resource.At(),
	}}, found)
	require.Equal(t, 1, b.provider.Clients())
}

func TestFind_WithoutAHeaderTheWellKnownAddressesAreAsked(t *testing.T) {
	b := setup(t)
	b.resource.Rule(oauthtest.ResourceRules{Challenge: "-"})
	found, err := b.find()
	require.NoError(t, err)
	require.Equal(t, b.resource.At(), found.Resource)
	require.Equal(t, []string{"tools"}, found.Scopes, "those that the resource knows")

	b.resource.Rule(oauthtest.ResourceRules{Challenge: `Basic realm="a", Bearer error="invalid_token"`, Elsewhere: true})
	found, err = b.find()
	require.NoError(t, err)
	require.Equal(t, b.resource.URL, found.Resource, "what the server is a part of")

	b.resource.Rule(oauthtest.ResourceRules{Challenge: "-", Elsewhere: true, Page: true})
	found, err = b.find()
	require.NoError(t, err)
	require.Equal(t, b.resource.URL, found.Resource, "though it answers anything else with a page")
}

func TestFind_AServerThatSaysNothingOfWhoProtectsItIsItsOwnProvider(t *testing.T) {
	b := setup(t)
	b.resource.Rule(oauthtest.ResourceRules{Itself: true})
	found, err := b.find()
	require.NoError(t, err)
	at := b.resource.URL
	require.True(t, strings.HasPrefix(found.ClientID, "client-"))
	require.Equal(t, discovery.Found{OAuthProviderConfig: chat.OAuthProviderConfig{
		Issuer: at, SilentIssuer: true, AuthorizeURL: at + "/authorize", TokenURL: at + "/token", ClientID: found.ClientID, ClientAuth: chat.OAuthInBody, Resource: b.resource.At(),
	}}, found, "at the addresses of the version of 2025-03-26")

	b.resource.Rule(oauthtest.ResourceRules{Itself: true, Says: func(m map[string]any) {
		m["token_endpoint"], m["scopes_supported"] = at+"/oauth/token", []string{"offline_access"}
	}})
	found, err = b.find()
	require.NoError(t, err)
	require.Equal(t, at+"/oauth/token", found.TokenURL, "at those that it says")
	require.Equal(t, []string{"offline_access"}, found.Scopes)
}

func TestFind_AServerThatIsItsOwnProviderSpeaksForItselfAlone(t *testing.T) {
	for name, c := range map[string]struct {
		says func(map[string]any)
		why  string
	}{
		"another issuer":  {func(m map[string]any) { m["issuer"] = "https://login.example.com" }, "is another one"},
		"no PKCE":         {func(m map[string]any) { delete(m, "code_challenge_methods_supported") }, "has no PKCE"},
		"in clear text":   {func(m map[string]any) { m["authorization_endpoint"] = "http://login.example.com/a" }, "cannot be used"},
		"no registration": {func(m map[string]any) { delete(m, "registration_endpoint") }, "an administrator has to register xbot there"},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			b.resource.Rule(oauthtest.ResourceRules{Itself: true, Says: c.says})
			require.Contains(t, b.refused(), c.why)
			require.Zero(t, b.provider.Clients(), "the addresses of the older version are not tried")
		})
	}
}

func TestFind_AnSSEServerIsAskedByGet(t *testing.T) {
	b := setup(t)
	b.resource.Rule(oauthtest.ResourceRules{Before: func(r *http.Request) {
		if r.Method != http.MethodGet {
			t.Errorf("asked by %s", r.Method)
		}
	}})
	_, err := b.finder.Find(t.Context(), web(chat.MCPSSE, b.resource.At()))
	require.NoError(t, err)
}

func TestFind_ProvidersOfOpenIDConnectAreFoundBelowTheirIssuer(t *testing.T) {
	b := setup(t)
	at := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/tenant/.well-known/openid-configuration" { // it answers anything with a page
			_, _ = w.Write([]byte("<!doctype html><title>Welcome</title>"))
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"issuer":"http://` + r.Host + `/tenant","authorization_endpoint":"` + b.provider.URL + `/authorize","token_endpoint":"` + b.provider.URL + `/token",
			"registration_endpoint":"` + b.provider.URL + `/register","code_challenge_methods_supported":["S256"],"scopes_supported":["openid","offline_access"],
			"token_endpoint_auth_methods_supported":["client_secret_basic"]}`))
	}))
	t.Cleanup(at.Close)
	b.resource.Rule(oauthtest.ResourceRules{Metadata: func(m map[string]any) { m["authorization_servers"] = []string{at.URL + "/tenant"} }})
	found, err := b.find()
	require.NoError(t, err)
	require.Equal(t, at.URL+"/tenant", found.Issuer)
	require.True(t, found.SilentIssuer)
	require.Equal(t, []string{"tools", "offline_access"}, found.Scopes, "tokens can be renewed without the person")
	require.Equal(t, chat.OAuthInHeader, found.ClientAuth)
	require.NotEmpty(t, found.ClientSecret)
}

func TestFind_AProviderMayNameAnotherAddressOfItsOwnSite(t *testing.T) {
	b := setup(t)
	b.resource.Rule(oauthtest.ResourceRules{Metadata: func(m map[string]any) { m["authorization_servers"] = []string{b.provider.URL} }})
	b.provider.Rule(oauthtest.Rules{Metadata: func(m map[string]any) { m["issuer"] = "http://127.0.0.1:1/elsewhere" }})
	found, err := b.find()
	require.NoError(t, err)
	require.Equal(t, "http://127.0.0.1:1/elsewhere", found.Issuer, "it names itself so when it sends a browser back (RFC 9207)")
}

func TestFind_RegistersWithoutScopesWhereTheyAreRefused(t *testing.T) {
	b := setup(t)
	b.provider.Rule(oauthtest.Rules{BreakAt: "/register", Break: func(w http.ResponseWriter, r *http.Request) {
		var asked map[string]any
		_ = json.NewDecoder(r.Body).Decode(&asked) // of another form: refused
		if scope, _ := asked["scope"].(string); scope != "" {
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte(`{"error":"insufficient_scope"}`))
			return
		}
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(map[string]any{"client_id": "xbot-1", "redirect_uris": asked["redirect_uris"], "token_endpoint_auth_method": "none"})
	}})
	found, err := b.find()
	require.NoError(t, err)
	require.Equal(t, "xbot-1", found.ClientID)
	require.NotEmpty(t, found.Scopes, "a token is asked for with them all the same")
}

func TestFind_TheFirstProviderThatCanBeUsedCounts(t *testing.T) {
	b := setup(t)
	b.resource.Rule(oauthtest.ResourceRules{Metadata: func(m map[string]any) {
		m["authorization_servers"] = []string{"http://127.0.0.1:1", b.provider.URL}
	}})
	found, err := b.find()
	require.NoError(t, err)
	require.Equal(t, b.provider.URL, found.Issuer)
}

func TestFind_AServerThatWantsNoAccountHasNone(t *testing.T) {
	b := setup(t)
	b.resource.Rule(oauthtest.ResourceRules{Open: true})
	require.Contains(t, b.refused(), "asks for no account: without one it answers with status 404")
	require.Zero(t, b.provider.Clients())
}

// What a server says of who protects it, and why it is not believed.
func TestFind_AServerSpeaksForItselfAlone(t *testing.T) {
	for name, c := range map[string]struct {
		rules func(b *bundle) oauthtest.ResourceRules
		why   string
	}{
		"another origin": {func(*bundle) oauthtest.ResourceRules {
			return oauthtest.ResourceRules{Metadata: func(m map[string]any) { m["resource"] = "https://mail.example.com/mcp" }}
		}, "about somebody else"},
		"another path": {func(b *bundle) oauthtest.ResourceRules {
			return oauthtest.ResourceRules{Metadata: func(m map[string]any) { m["resource"] = b.resource.URL + "/mc" }}
		}, "about somebody else"},
		"below it": {func(b *bundle) oauthtest.ResourceRules {
			return oauthtest.ResourceRules{Metadata: func(m map[string]any) { m["resource"] = b.resource.At() + "/admin" }}
		}, "about somebody else"},
		"nothing": {func(*bundle) oauthtest.ResourceRules {
			return oauthtest.ResourceRules{Metadata: func(m map[string]any) { delete(m, "resource") }}
		}, "about somebody else"},
		"no provider": {func(*bundle) oauthtest.ResourceRules {
			return oauthtest.ResourceRules{Metadata: func(m map[string]any) { m["authorization_servers"] = []string{} }}
		}, "names no provider"},
		"a provider in clear text": {func(*bundle) oauthtest.ResourceRules {
			return oauthtest.ResourceRules{Metadata: func(m map[string]any) { m["authorization_servers"] = []string{"http://login.example.com"} }}
		}, "cannot be used (RFC 9728)"},
		"a script": {func(*bundle) oauthtest.ResourceRules {
			return oauthtest.ResourceRules{Metadata: func(m map[string]any) { m["authorization_servers"] = []string{"javascript:alert(1)"} }}
		}, "cannot be used (RFC 9728)"},
		"metadata in clear text": {func(*bundle) oauthtest.ResourceRules {
			return oauthtest.ResourceRules{Challenge: `Bearer resource_metadata="http://example.com/a"`}
		}, "is not https"},
		"metadata that are not there": {func(b *bundle) oauthtest.ResourceRules {
			return oauthtest.ResourceRules{Challenge: `Bearer resource_metadata="` + b.provider.URL + `/nowhere"`}
		}, "says nothing at the address"},
		"a torn header": {func(*bundle) oauthtest.ResourceRules {
			return oauthtest.ResourceRules{Challenge: `Bearer resource_metadata="http`}
		}, "WWW-Authenticate"},
		"no metadata at all": {func(*bundle) oauthtest.ResourceRules {
			return oauthtest.ResourceRules{Challenge: "-", InMetadata: http.NotFound}
		}, "does not register xbot (RFC 7591)"},
		"a long story": {func(*bundle) oauthtest.ResourceRules {
			return oauthtest.ResourceRules{InMetadata: func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(strings.Repeat("[", 1<<10))) }}
		}, "is no JSON object"},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			b.resource.Rule(c.rules(b))
			require.Contains(t, b.refused(), c.why)
			require.Zero(t, b.provider.Clients())
		})
	}
}

// What a provider says of itself, and why it is not believed.
func TestFind_AProviderSpeaksForItselfAlone(t *testing.T) {
	for name, c := range map[string]struct {
		rules oauthtest.Rules
		why   string
	}{
		"another issuer":         {oauthtest.Rules{Metadata: func(m map[string]any) { m["issuer"] = "https://login.example.com" }}, "is another one"},
		"no PKCE":                {oauthtest.Rules{Metadata: func(m map[string]any) { delete(m, "code_challenge_methods_supported") }}, "has no PKCE"},
		"PKCE in clear text":     {oauthtest.Rules{Metadata: func(m map[string]any) { m["code_challenge_methods_supported"] = []string{"plain"} }}, "no PKCE with S256"},
		"tokens in clear text":   {oauthtest.Rules{Metadata: func(m map[string]any) { m["token_endpoint"] = "http://login.example.com/token" }}, "cannot be used"},
		"leave in clear text":    {oauthtest.Rules{Metadata: func(m map[string]any) { m["revocation_endpoint"] = "http://login.example.com/revoke" }}, "revocation_endpoint"},
		"no tokens":              {oauthtest.Rules{Metadata: func(m map[string]any) { delete(m, "token_endpoint") }}, "token_endpoint"},
		"a script":               {oauthtest.Rules{Metadata: func(m map[string]any) { m["authorization_endpoint"] = "javascript:alert(1)" }}, "cannot be used"},
		"no codes":               {oauthtest.Rules{Metadata: func(m map[string]any) { m["response_types_supported"] = []string{"token"} }}, "gives no codes"},
		"no registration":        {oauthtest.Rules{Metadata: func(m map[string]any) { delete(m, "registration_endpoint") }}, "an administrator has to register xbot there"},
		"an unknown way":         {oauthtest.Rules{Metadata: func(m map[string]any) { m["token_endpoint_auth_methods_supported"] = []string{"private_key_jwt"} }}, "does not know"},
		"another way back":       {oauthtest.Rules{Registered: func(m map[string]any) { m["redirect_uris"] = []string{"https://evil.example.com"} }}, "other addresses to come back to"},
		"one more way back":      {oauthtest.Rules{Registered: func(m map[string]any) { m["redirect_uris"] = []string{redirect, "https://evil.example.com"} }}, "other addresses to come back to"},
		"an unknown way at last": {oauthtest.Rules{Registered: func(m map[string]any) { m["token_endpoint_auth_method"], m["client_secret"] = "private_key_jwt", "a" }}, "does not know"},
		"no secret":              {oauthtest.Rules{Registered: func(m map[string]any) { m["token_endpoint_auth_method"] = "client_secret_post" }}, "without the secret"},
		"a broken id":            {oauthtest.Rules{Registered: func(m map[string]any) { m["client_id"] = "a\nb" }}, "cannot be used"},
		"a long id":              {oauthtest.Rules{Registered: func(m map[string]any) { m["client_id"] = strings.Repeat("a", 513) }}, "cannot be used"},
		"no answer":              {oauthtest.Rules{BreakAt: "/register", Break: func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"client_secret":"s3cret"`)) }}, "does not register xbot (RFC 7591)"},
		"a refusal": {oauthtest.Rules{BreakAt: "/register", Break: func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(400)
			_, _ = w.Write([]byte(`{"error":"access_denied"}`))
		}}, "access_denied"},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			b.provider.Rule(c.rules)
			why := b.refused()
			require.Contains(t, why, c.why)
			require.NotContains(t, why, "s3cret")
		})
	}
}

func TestFind_NobodyIsLedElsewhere(t *testing.T) {
	other := make(chan string, 9)
	trap := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { other <- r.URL.Path }))
	t.Cleanup(trap.Close)
	away := func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, trap.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}

	b := setup(t)
	b.resource.Rule(oauthtest.ResourceRules{InMetadata: away})
	_, err := b.find()
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	b.resource.Rule(oauthtest.ResourceRules{})
	for _, at := range []string{"/.well-known/oauth-authorization-server", "/register"} {
		b.provider.Rule(oauthtest.Rules{BreakAt: at, Break: away})
		b.refused()
	}
	b.provider.Rule(oauthtest.Rules{BreakAt: "/register", Break: func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, b.provider.URL+"/other", http.StatusTemporaryRedirect)
	}})
	b.refused()
	require.Zero(t, b.provider.Count("/other"), "what is posted is not posted again")
	require.Empty(t, other)
}

func TestFind_AnswersHaveABound(t *testing.T) {
	b := setup(t)
	long := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for range 1 << 10 {
			if _, err := w.Write(make([]byte, 64<<10)); err != nil {
				return
			}
		}
		t.Error("64 MB were read")
	}
	b.resource.Rule(oauthtest.ResourceRules{InMetadata: long})
	_, err := b.find()
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	b.resource.Rule(oauthtest.ResourceRules{})
	for _, at := range []string{"/.well-known/oauth-authorization-server", "/register"} {
		b.provider.Rule(oauthtest.Rules{BreakAt: at, Break: long})
		b.refused()
	}
}

func TestFind_PrivateAddressesAreNotReached(t *testing.T) {
	b := setup(t, "192.0.2.1") // so this machine is none of the public internet
	_, err := b.find()
	require.Equal(t, fault.Unavailable, fault.KindOf(err))

	allow, err := safehttp.ParseAllow([]string{"127.0.0.1"})
	require.NoError(t, err)
	b.finder.Shared = safehttp.NewTransport(allow)
	s := web(chat.MCPHTTP, b.resource.At())
	s.Shared = true
	_, err = b.finder.Find(t.Context(), s)
	require.ErrorContains(t, err, "does not answer")
	require.Zero(t, b.provider.Count("/.well-known/oauth-authorization-server"), "its provider is somebody else")

	_, err = b.finder.Find(t.Context(), web(chat.MCPHTTP, "http://mcp.example.com/mcp"))
	require.ErrorContains(t, err, "must be https")
}

func TestFind_ScopesAreBounded(t *testing.T) {
	b := setup(t)
	var many []string
	for i := range 200 {
		many = append(many, "s"+strings.Repeat("x", i%3)+string(rune('a'+i%26))+strings.Repeat("y", i))
	}
	many = append(many, `a"b`, strings.Repeat("z", 300))
	b.resource.Rule(oauthtest.ResourceRules{Metadata: func(m map[string]any) { m["scopes_supported"] = many }})
	found, err := b.find()
	require.NoError(t, err)
	require.Len(t, found.Scopes, 63)
}
