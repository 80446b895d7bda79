package oidc_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/auth"
	"xbot/ingress/oidc"
	"xbot/ingress/oidc/oidctest"
	"xbot/internal/pg"
	"xbot/internal/secret"
	"xbot/internal/store"
	"xbot/internal/testing/pgtest"
	"xbot/internal/user/users"
)

type bundle struct {
	t        *testing.T
	provider *oidctest.Provider
	store    *store.Store
	auth     *auth.Auth
	signOn   *oidc.SignOn
	server   *httptest.Server
}

func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	pool := pgtest.NewPool(t, pg.MigrationsHash(), pg.Migrate)
	b := &bundle{t: t, provider: oidctest.New(t), store: store.New(pool, store.Options{})}
	_, err := b.store.Users.EnsureAdmin(t.Context(), "admin")
	require.NoError(t, err)
	b.auth = &auth.Auth{Accounts: b.store.Users, Key: secret.Key{1}}
	b.signOn = &oidc.SignOn{
		Settings: oidc.Settings{
			Issuer: b.provider.URL, ClientID: oidctest.ClientID, ClientSecret: oidctest.ClientSecret, Scopes: []string{"openid", "profile"}, GroupsClaim: "groups",
		},
		Accounts: b.store.Users, Links: b.auth, Key: secret.Key{1}, Log: slog.New(slog.DiscardHandler),
	}
	mux := http.NewServeMux()
	mux.Handle(oidc.Root, b.signOn.Handler())
	mux.HandleFunc("/api/login", b.spend)
	b.server = httptest.NewServer(mux)
	t.Cleanup(b.server.Close)
	b.signOn.Public = b.server.URL
	return b
}

// browser follows redirects up to the page's sign-in.
func (b *bundle) browser() *http.Client {
	jar, err := cookiejar.New(nil)
	require.NoError(b.t, err)
	return &http.Client{Jar: jar, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if r.URL.Path == "/login" {
			return http.ErrUseLastResponse
		}
		return nil
	}}
}

// comes goes to the provider and back, and returns where the browser is sent in the end.
func (b *bundle) comes(path string) *url.URL {
	b.t.Helper()
	return b.location(b.browser(), b.server.URL+path)
}

func (b *bundle) location(browser *http.Client, address string) *url.URL {
	b.t.Helper()
	answer, err := browser.Get(address)
	require.NoError(b.t, err)
	require.NoError(b.t, answer.Body.Close())
	require.Equal(b.t, http.StatusSeeOther, answer.StatusCode, "%s", answer.Request.URL)
	require.Equal(b.t, "no-store", answer.Header.Get("Cache-Control"))
	at, err := answer.Location()
	require.NoError(b.t, err)
	return at
}

// spend signs in by a link, as the API does.
func (b *bundle) spend(w http.ResponseWriter, r *http.Request) {
	login, err := b.auth.SignInByLink(w, r, r.FormValue("token"), false)
	if err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	_, _ = io.WriteString(w, login.User.Name) // the client is gone if this fails
}

// comesAs goes through a sign-in, uses the link in the same browser, and returns the signed-in user.
func (b *bundle) comesAs() users.User {
	b.t.Helper()
	browser := b.browser()
	name, status := b.spendIn(browser, b.location(browser, b.server.URL+"/oidc/login"))
	require.Equal(b.t, http.StatusOK, status, name)
	user, err := b.store.Users.UserByName(b.t.Context(), name)
	require.NoError(b.t, err)
	return user
}

// spendIn uses the sign-in link of a redirect in a browser.
func (b *bundle) spendIn(browser *http.Client, at *url.URL) (said string, status int) {
	b.t.Helper()
	token, ok := strings.CutPrefix(at.Fragment, "token=")
	require.True(b.t, ok, "%s", at)
	answer, err := browser.PostForm(b.server.URL+"/api/login", url.Values{"token": {token}})
	require.NoError(b.t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	require.NoError(b.t, err)
	return string(body), answer.StatusCode
}

func TestSignOn_APersonOfTheProviderIsTheSameUserEachTime(t *testing.T) {
	b := setup(t)
	at := b.comes("/oidc/login?next=%2Fc%2Fa")
	require.Equal(t, "/login?next=%2Fc%2Fa", at.RequestURI())
	lena := b.comesAs()
	require.Equal(t, "lena", lena.Name)
	require.False(t, lena.Admin)
	require.Equal(t, lena.ID, b.comesAs().ID)

	b.provider.Claims = map[string]any{"sub": "u-2", "preferred_username": "admin"}
	other := b.comesAs()
	require.Equal(t, "oidc:u-2", other.Name, "a name gives no rights: who has it stays who they are")
	require.False(t, other.Admin)
}

func TestSignOn_GroupsSayWhoMayComeAndWhoAdministers(t *testing.T) {
	b := setup(t)
	b.signOn.Settings.AllowedGroups, b.signOn.Settings.AdminGroups = []string{"staff"}, []string{"ops"}
	b.provider.Info = map[string]any{"sub": "u-1", "groups": []string{"guests"}}
	require.Equal(t, "problem=denied", b.comes("/oidc/login").Fragment)
	people, err := b.store.Users.Accounts(t.Context())
	require.NoError(t, err)
	require.Len(t, people, 1, "nobody was made")

	b.provider.Info["groups"] = []string{"staff", "ops"}
	require.False(t, b.comesAs().Disabled)
	lena := b.comesAs()
	require.True(t, lena.Admin)
	b.provider.Info["groups"] = "staff"
	require.False(t, b.comesAs().Admin, "the groups are asked each time")

	require.NoError(t, b.store.Users.Disable(t.Context(), lena.ID, nil))
	require.Equal(t, "problem=disabled", b.comes("/oidc/login").Fragment)
}

func TestSignOn_LetsNobodyInWhoWasNotSentByItOrIsNotWhomTheProviderSigned(t *testing.T) {
	b := setup(t)
	for name, spoil := range map[string]func(claims map[string]any){
		"for another client": func(c map[string]any) { c["aud"] = "another" },
		"of another issuer":  func(c map[string]any) { c["iss"] = "https://elsewhere.example" },
		"over":               func(c map[string]any) { c["exp"] = 1 },
		"of another sign-in": func(c map[string]any) { c["nonce"] = "another" },
	} {
		b.provider.Spoil = spoil
		require.Equal(t, "problem=failed", b.comes("/oidc/login").Fragment, name)
	}
	b.provider.Spoil = nil
	b.provider.Refuse = "access_denied"
	require.Equal(t, "problem=denied", b.comes("/oidc/login").Fragment)
	b.provider.Refuse = ""

	require.Equal(t, "problem=failed", b.comes("/oidc/callback?code=x&state=y").Fragment, "without a cookie")
	sent := b.browser()
	sent.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	away := b.location(sent, b.server.URL+"/oidc/login")
	require.NotEmpty(t, away.Query().Get("state"))
	require.Equal(t, "problem=failed", b.location(sent, b.server.URL+"/oidc/callback?code=x&state=guessed").Fragment)
	require.Equal(t, "problem=failed", b.location(sent, b.server.URL+"/oidc/callback?code=x&state="+away.Query().Get("state")).Fragment, "the way is used up")

	b.provider.Info = map[string]any{"sub": "somebody else"}
	again := setupWith(b)
	require.Equal(t, "problem=failed", again.comes("/oidc/login").Fragment)
}

// setupWith is the same server, started again.
func setupWith(b *bundle) *bundle {
	b.signOn = &oidc.SignOn{Settings: b.signOn.Settings, Accounts: b.store.Users, Links: b.auth, Key: b.signOn.Key, Log: b.signOn.Log}
	b.server = httptest.NewServer(b.signOn.Handler())
	b.t.Cleanup(b.server.Close)
	b.signOn.Public = b.server.URL
	return b
}

func TestSignOn_AServerRunsWithoutItsProviderAndFindsItLater(t *testing.T) {
	b := setup(t)
	there := b.signOn.Settings.Issuer
	b.signOn.Settings.Issuer = "http://127.0.0.1:1"
	require.Equal(t, "problem=away", b.comes("/oidc/login").Fragment)
	b.signOn.Settings.Issuer = there
	require.Equal(t, "lena", b.comesAs().Name)
}
