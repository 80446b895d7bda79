package api_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/connections"
	"xbot/internal/chat"
	"xbot/internal/extension/oauth/oauthstore"
	"xbot/internal/extension/oauth/oauthtest"
	"xbot/internal/secret"
)

// acmeOAuth is a draft of a provider.
func acmeOAuth(p *oauthtest.Provider, changes object) object {
	out := object{
		"name": "Acme", "authorize_url": p.URL + "/authorize", "token_url": p.URL + "/token", "revoke_url": p.URL + "/revoke", "scopes": []string{"read"}, "more_scopes": []string{"write"},
		"client_id": oauthtest.ClientID, "client_secret": oauthtest.ClientSecret, "enabled": true,
	}
	maps.Copy(out, changes)
	return out
}

// connected gives somebody an account at a provider.
func (b *bundle) connected(user chat.UserID, provider, label string) {
	b.t.Helper()
	_, err := b.store.OAuth.ConnectOAuthAccount(b.t.Context(), oauthstore.Account{
		User: user, Tokens: secret.Key{1}.Seal([]byte(`{"access_token":"a-secret-token"}`)), OAuthAccount: chat.OAuthAccount{Provider: provider, Label: label, Asked: []string{"read"}, Scopes: []string{"read"}},
	}, 1)
	require.NoError(b.t, err)
}

func (p *person) accounts() connections.ConnectedAccounts {
	p.t.Helper()
	var got connections.ConnectedAccounts
	a := p.get("/api/oauth/accounts")
	a.is(http.StatusOK, &got)
	require.NotContains(p.t, string(a.body), "a-secret-token")
	return got
}

func TestConnections_ProvidersAreForAdministratorsAndTheirSecretsForNobody(t *testing.T) {
	b := setup(t)
	p := oauthtest.New(t)
	var made chat.OAuthProvider
	a := b.alice.put("/api/oauth/providers/acme", acmeOAuth(p, nil))
	a.is(http.StatusOK, &made)
	require.True(t, made.Secret)
	require.NotContains(t, string(a.body), oauthtest.ClientSecret)
	var all connections.OAuthProviders
	a = b.alice.get("/api/oauth/providers")
	a.is(http.StatusOK, &all)
	require.NotContains(t, string(a.body), oauthtest.ClientSecret)
	require.Len(t, all.Providers, 1)
	require.Equal(t, "https://xbot.example/oauth/callback", all.RedirectURL)
	require.Equal(t, chat.OAuthInBody, all.Providers[0].ClientAuth)
	b.alice.put("/api/oauth/providers/acme", acmeOAuth(p, nil)).problem(http.StatusConflict)
	require.Contains(t, b.alice.put("/api/oauth/providers/acme", acmeOAuth(p, object{"revision": 1, "client_secret": "", "token_url": "https://evil.example"})).problem(http.StatusBadRequest), "enter the secret")

	b.bob.get("/api/oauth/providers").problem(http.StatusForbidden)
	b.bob.put("/api/oauth/providers/acme", acmeOAuth(p, nil)).problem(http.StatusForbidden)
	b.bob.delete("/api/oauth/providers/acme").problem(http.StatusForbidden)
	require.Equal(t, []connections.Connectable{{ID: "acme", Name: "Acme", Scopes: []string{"read"}}}, b.bob.accounts().Providers)

	b.connected(b.bob.user.ID, "acme", "bob@example.com")
	b.alice.get("/api/oauth/providers").is(http.StatusOK, &all)
	require.Equal(t, 1, all.Providers[0].Accounts)
	b.alice.delete("/api/oauth/providers/acme").is(http.StatusNoContent, nil)
	require.Empty(t, b.bob.accounts().Accounts)
}

func TestConnections_AnAccountIsItsOwnersAloneAndGoesWithItsTokens(t *testing.T) {
	b := setup(t)
	p := oauthtest.New(t)
	b.alice.put("/api/oauth/providers/acme", acmeOAuth(p, nil)).is(http.StatusOK, nil)
	b.connected(b.bob.user.ID, "acme", "bob@example.com")
	require.Equal(t, "bob@example.com", b.bob.accounts().Accounts[0].Label)
	require.Empty(t, b.alice.accounts().Accounts)
	b.alice.delete("/api/oauth/accounts/acme").problem(http.StatusNotFound)
	var gone connections.Disconnected
	b.bob.delete("/api/oauth/accounts/acme").is(http.StatusOK, &gone)
	require.Empty(t, gone.Problem)
	require.Equal(t, 1, p.Count("/revoke"))
	require.Empty(t, b.bob.accounts().Accounts)
}

func TestConnections_ALinkLeadsToTheProviderForWhatMayBeAskedFor(t *testing.T) {
	b := setup(t)
	b.alice.put("/api/oauth/providers/acme", acmeOAuth(oauthtest.New(t), nil)).is(http.StatusOK, nil)
	var link connections.ConnectLink
	b.bob.post("/api/oauth/accounts/acme/connect", object{"scopes": []string{"write"}}).is(http.StatusOK, &link)
	require.True(t, strings.HasPrefix(link.Link, "/oauth/start/"))
	require.Equal(t, "https://xbot.example"+link.Link, link.URL)
	require.Contains(t, b.bob.post("/api/oauth/accounts/acme/connect", object{"scopes": []string{"admin"}}).problem(http.StatusBadRequest), "may not be asked for")
	b.bob.post("/api/oauth/accounts/nowhere/connect", object{}).problem(http.StatusNotFound)
	b.bob.post("/api/oauth/accounts/acme/connect", object{"call": "turn/0/0"}).problem(http.StatusConflict)
}
