package oauthcallback_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/auth"
	"xbot/ingress/oauthcallback"
	"xbot/internal/chat"
	"xbot/internal/extension/mcp/mcpstore"
	"xbot/internal/extension/oauth"
	"xbot/internal/extension/oauth/oauthtest"
	"xbot/internal/host/safehttp"
	"xbot/internal/pg"
	"xbot/internal/secret"
	"xbot/internal/store"
	"xbot/internal/testing/pgtest"
)

// signedIn is the cookie by which tests know who is signed in in a browser.
const signedIn = "user"

type visitors struct{}

func (visitors) Visitor(r *http.Request) (chat.UserID, error) {
	c, err := r.Cookie(signedIn)
	if err != nil {
		return 0, nil // nobody is
	}
	id, err := strconv.ParseInt(c.Value, 10, 64)
	return chat.UserID(id), err
}

// site is a server whose people connect accounts at acme and globex, which are one provider.
type site struct {
	*oauth.Accounts

	t        *testing.T
	store    *store.Store
	provider *oauthtest.Provider
	ann, bob chat.UserID
	told     []string // which accounts were connected, and whether an administrator has
}

// AccountConnected implements connect.Servers.
func (s *site) AccountConnected(user chat.UserID, provider string, vouches bool) {
	s.told = append(s.told, fmt.Sprint(user, provider, vouches))
}

func setup(t *testing.T) *site {
	t.Helper()
	t.Parallel()
	st := store.New(pgtest.NewPool(t, pg.MigrationsHash(), pg.Migrate), store.Options{})
	ann, err := st.Users.EnsureAdmin(t.Context(), "ann")
	require.NoError(t, err)
	bob, err := st.Users.CreateUser(t.Context(), "bob", "member")
	require.NoError(t, err)
	allow, err := safehttp.ParseAllow([]string{"127.0.0.1"})
	require.NoError(t, err)
	s := &site{t: t, store: st, provider: oauthtest.New(t), ann: ann.ID, bob: bob.ID, Accounts: &oauth.Accounts{Calls: st.Calls, Conversations: st.Conversations, OAuth: st.OAuth, Users: st.Users, Key: secret.NewKey(), HTTP: safehttp.NewTransport(allow)}}
	c := &oauthcallback.Connect{Accounts: s.Accounts, Visitors: visitors{}, Origins: auth.Hosts{}, People: st.Users, Servers: s, Log: slog.New(slog.DiscardHandler)}
	server := httptest.NewServer(c.Handler())
	t.Cleanup(server.Close)
	s.Public = server.URL
	for _, id := range []string{"acme", "globex"} {
		_, err := s.Save(t.Context(), oauth.Draft{Secret: oauthtest.ClientSecret, OAuthProviderConfig: chat.OAuthProviderConfig{
			ID: id, Name: id, Issuer: s.provider.URL, AuthorizeURL: s.provider.URL + "/authorize", TokenURL: s.provider.URL + "/token", AccountURL: s.provider.URL + "/account",
			Scopes: []string{"read"}, ClientID: oauthtest.ClientID, Enabled: true,
		}}, s.ann)
		require.NoError(t, err)
	}
	return s
}

// browser is one in which somebody is signed in; 0: nobody is.
type browser struct {
	*site

	client *http.Client
}

func (s *site) browser(who chat.UserID) *browser {
	s.t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(s.t, err)
	b := &browser{s, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	if who != 0 {
		jar.SetCookies(b.address("/"), []*http.Cookie{{Name: signedIn, Value: strconv.FormatInt(int64(who), 10)}})
	}
	return b
}

func (b *browser) address(path string) *url.URL {
	b.t.Helper()
	u, err := url.Parse(b.Public + path)
	require.NoError(b.t, err)
	return u
}

// does sends one request, and returns the status, the page and where it leads.
func (b *browser) does(method, address string) (status int, page, to string) {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, address, nil)
	require.NoError(b.t, err)
	if method == http.MethodPost {
		r.Header.Set("Origin", b.Public)
	}
	resp, err := b.client.Do(r)
	require.NoError(b.t, err)
	defer func() { require.NoError(b.t, resp.Body.Close()) }()
	body, err := io.ReadAll(resp.Body)
	require.NoError(b.t, err)
	return resp.StatusCode, string(body), resp.Header.Get("Location")
}

// leaves goes to the provider by a ticket of ann's, consents, and returns the address to come back by.
func (b *browser) leaves(provider string, login bool) string {
	b.t.Helper()
	status, page, to := b.does(http.MethodPost, b.ticket(provider, login))
	require.Equal(b.t, http.StatusSeeOther, status, page)
	status, page, back := b.does(http.MethodGet, to)
	require.Equal(b.t, http.StatusFound, status, page)
	return back
}

func (s *site) ticket(provider string, login bool) string {
	return s.Address(oauth.Ticket{User: s.ann, Provider: provider, Login: login, Expires: time.Now().Add(time.Minute)})
}

// connected are the providers at which ann has an account.
func (s *site) connected() (out []string) {
	s.t.Helper()
	all, err := s.List(s.t.Context(), s.ann)
	require.NoError(s.t, err)
	for _, a := range all {
		out = append(out, a.Provider)
	}
	return out
}

func TestConnect_TwoWaysToProvidersAreOpenInOneBrowser(t *testing.T) {
	s := setup(t)
	b := s.browser(s.ann)
	first, second, third := b.leaves("acme", true), b.leaves("globex", true), b.leaves("acme", true)
	for i, back := range []string{first, second, third} {
		status, page, _ := b.does(http.MethodGet, back)
		require.Equal(t, http.StatusOK, status, page)
		require.Contains(t, page, "lena@example.com")
		require.Len(t, b.client.Jar.Cookies(b.address(oauth.Root)), 1+2-i, "what is used goes, alone; the login stays")
	}
	require.Equal(t, []string{"acme", "globex"}, s.connected())
	told := []string{fmt.Sprint(s.ann, "acme", true), fmt.Sprint(s.ann, "globex", true), fmt.Sprint(s.ann, "acme", true)}
	require.Equal(t, told, s.told, "so that servers of tools are asked anew")
	status, page, _ := b.does(http.MethodGet, second)
	require.Equal(t, http.StatusGone, status, page)
	require.Equal(t, told, s.told)
}

func TestConnect_AWayIsOpenInTheBrowserThatWasSent(t *testing.T) {
	s := setup(t)
	b, other := s.browser(0), s.browser(0)
	back := b.leaves("acme", false)
	other.leaves("acme", false) // which has a cookie, of another way
	status, page, _ := other.does(http.MethodGet, back)
	require.Equal(t, http.StatusGone, status, page)
	require.Empty(t, s.connected())
	status, page, _ = b.does(http.MethodGet, back)
	require.Equal(t, http.StatusOK, status, page)
	require.Equal(t, []string{"acme"}, s.connected())
}

func TestConnect_ATicketThatDemandsALoginIsForThatPersonAlone(t *testing.T) {
	s := setup(t)
	for who, name := range map[chat.UserID]string{0: "nobody", s.bob: "bob"} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			status, page, _ := s.browser(who).does(method, s.ticket("acme", true))
			require.Equal(t, http.StatusForbidden, status, "%s %s: %s", name, method, page)
			require.Contains(t, page, "Somebody else")
		}
		b := s.browser(s.ann)
		back := b.leaves("acme", true)
		b.client.Jar.SetCookies(b.address("/"), []*http.Cookie{{Name: signedIn, Value: strconv.FormatInt(int64(who), 10)}})
		status, page, _ := b.does(http.MethodGet, back)
		require.Equal(t, http.StatusForbidden, status, "%s comes back: %s", name, page)
	}
	status, page, _ := s.browser(s.bob).does(http.MethodGet, s.ticket("acme", false))
	require.Equal(t, http.StatusForbidden, status, page)
	require.Empty(t, s.connected())
	require.Zero(t, s.provider.Count("/token"))
}

func TestConnect_APersonWhoIsDisabledMeanwhileConnectsNothing(t *testing.T) {
	s := setup(t)
	_, err := s.store.Users.CreateUser(t.Context(), "carl", "admin") // the last one cannot be
	require.NoError(t, err)
	b := s.browser(0)
	back := b.leaves("acme", false)
	require.NoError(t, s.store.Users.Disable(t.Context(), s.ann, nil))
	status, page, _ := b.does(http.MethodGet, back)
	require.Equal(t, http.StatusForbidden, status, page)
	require.Empty(t, b.client.Jar.Cookies(b.address(oauth.Root)), "the way is used up")
	status, page, _ = b.does(http.MethodGet, s.ticket("acme", false))
	require.Equal(t, http.StatusForbidden, status, page)
	require.Empty(t, s.connected())
	require.Zero(t, s.provider.Count("/token"))
}

func TestConnect_AnAnswerWithAStateThatNobodyGaveChangesNothing(t *testing.T) {
	s := setup(t)
	b := s.browser(s.ann)
	back := b.leaves("acme", true)
	for _, state := range []string{"", "no-state", "%00", string(make([]byte, 5000))} {
		status, page, _ := b.does(http.MethodGet, s.Public+oauth.Callback+"?code=x&state="+url.QueryEscape(state))
		require.Equal(t, http.StatusGone, status, page)
	}
	status, page, _ := b.does(http.MethodGet, back)
	require.Equal(t, http.StatusOK, status, page)
}

func TestConnect_OfAnMCPServerThePageSaysWhereTokensGoAndWhoIsAsked(t *testing.T) {
	s := setup(t)
	id, err := s.store.MCPServers.SetMCPServer(t.Context(), mcpstore.Server{MCPServer: chat.MCPServer{User: s.ann, MCPConfig: chat.MCPConfig{Name: "tracker", Transport: chat.MCPHTTP, URL: "https://mcp.example.com/mcp", Enabled: true}}}, s.ann)
	require.NoError(t, err)
	require.NoError(t, s.SaveOf(t.Context(), oauth.Server{ID: id, Revision: 1}, oauth.Draft{OAuthProviderConfig: chat.OAuthProviderConfig{
		Name: "tracker", Issuer: s.provider.URL, AuthorizeURL: "https://login.mail.example/authorize", TokenURL: s.provider.URL + "/token", ClientID: "xbot", Resource: "https://mcp.example.com/mcp",
	}}, s.ann))
	b := s.browser(s.ann)
	status, page, _ := b.does(http.MethodGet, b.ticket(oauth.ProviderOf(id), true))
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, page, "The account at login.mail.example will be used by xbot at the MCP server mcp.example.com, which is sent the tokens.")
	_, page, _ = b.does(http.MethodGet, b.ticket("acme", true))
	require.NotContains(t, page, "which is sent the tokens")
}
