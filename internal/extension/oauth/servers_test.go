package oauth_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/extension/mcp/mcpstore"
	"xbot/internal/extension/oauth"
	"xbot/internal/extension/oauth/oauthtest"
	"xbot/internal/fault"
)

// guarded is an MCP server of somebody, 0: the installation, and what it has named.
type guarded struct {
	*bundle

	row      mcpstore.Server
	resource *oauthtest.Resource
}

func (b *bundle) guarded(owner chat.UserID) *guarded {
	b.t.Helper()
	g := &guarded{bundle: b, resource: b.provider.Protect(b.t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))}
	id, err := b.store.MCPServers.SetMCPServer(b.t.Context(), mcpstore.Server{MCPServer: chat.MCPServer{User: owner, MCPConfig: chat.MCPConfig{Name: "tracker", Transport: chat.MCPHTTP, URL: g.resource.At(), Enabled: true}}}, owner)
	require.NoError(b.t, err)
	g.row = g.now(id)
	require.NoError(b.t, g.names(g.row.Revision))
	g.row = g.now(id)
	return g
}

func (g *guarded) now(id int64) mcpstore.Server {
	g.t.Helper()
	row, err := g.store.MCPServers.MCPServer(g.t.Context(), id)
	require.NoError(g.t, err)
	return row
}

// names has the server name the provider.
func (g *guarded) names(revision int64) error {
	d := g.draft()
	d.Name, d.AccountURL, d.MoreScopes, d.Resource = "tracker", "", nil, g.resource.At()
	return g.SaveOf(g.t.Context(), oauth.Server{ID: g.row.ID, Revision: revision}, d, g.user)
}

func (g *guarded) id() string { return oauth.ProviderOf(g.row.ID) }

// calls uses a token at the server.
func (g *guarded) calls(token string) int {
	g.t.Helper()
	r, err := http.NewRequestWithContext(g.t.Context(), http.MethodPost, g.resource.At(), nil)
	require.NoError(g.t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(r)
	require.NoError(g.t, err)
	require.NoError(g.t, resp.Body.Close())
	return resp.StatusCode
}

func TestServers_TokensAreAskedForAndRenewedForTheServerAlone(t *testing.T) {
	b := setup(t)
	g := b.guarded(b.user)
	require.Equal(t, g.id(), g.row.Account)
	b.provider.Rule(oauthtest.Rules{Life: time.Hour})
	_, err := g.Finish(t.Context(), g.backFrom(g.id()))
	require.NoError(t, err)
	first, err := g.Token(t.Context(), g.user, g.id())
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, g.calls(first))
	g.ends(time.Second)
	second, err := g.Token(t.Context(), g.user, g.id())
	require.NoError(t, err)
	require.NotEqual(t, first, second)
	require.Equal(t, http.StatusOK, g.calls(second), "it was renewed for the server")
	b.connect()
	require.Equal(t, http.StatusUnauthorized, g.calls(b.token()), "a token that was asked for nothing is not for it")
}

func TestServers_TheProviderOfAPersonsServerIsForThatPersonAlone(t *testing.T) {
	b := setup(t)
	g := b.guarded(b.user)
	who, err := b.store.Users.CreateUser(t.Context(), "bob", "member")
	require.NoError(t, err)
	for user, sees := range map[chat.UserID]bool{b.user: true, who.ID: false, 0: false} {
		all, err := g.Providers(t.Context(), user)
		require.NoError(t, err)
		require.Len(t, all, map[bool]int{true: 2, false: 1}[sees])
		_, err = g.Provider(t.Context(), user, g.id())
		require.Equal(t, !sees, fault.Is(err, fault.NotFound), "%v", err)
		_, err = g.Begin(t.Context(), oauth.Ticket{User: user, Provider: g.id()}, browser)
		require.Equal(t, sees, err == nil, "%v", err)
	}
	_, err = g.Token(t.Context(), who.ID, g.id())
	require.Equal(t, fault.NotFound, fault.KindOf(err))
	_, err = g.Token(t.Context(), g.user, g.id())
	missing, ok := errors.AsType[*oauth.NotConnectedError](err)
	require.True(t, ok)
	require.Contains(t, missing.Error(), "account at tracker")
	require.Contains(t, missing.Error(), "call oauth_authorize with provider "+g.id())
}

func TestServers_TheInstallationsIsForEverybody(t *testing.T) {
	b := setup(t)
	g := b.guarded(0)
	_, err := g.Provider(t.Context(), b.user+1, g.id())
	require.NoError(t, err)
}

func TestServers_AProviderComesAndGoesWithItsServer(t *testing.T) {
	b := setup(t)
	d := b.draft()
	d.ID, d.Resource, d.SilentIssuer = "mcp-1", "https://x.example", true
	_, err := b.Save(t.Context(), d, b.user)
	require.Equal(t, fault.Denied, fault.KindOf(err), "nobody takes the id of one")
	d.ID = "plain"
	plain, err := b.Save(t.Context(), d, b.user)
	require.NoError(t, err)
	require.Empty(t, plain.Resource)
	require.False(t, plain.SilentIssuer)

	g := b.guarded(b.user)
	connected := func() *chat.OAuthAccount {
		a, ok, err := g.Account(t.Context(), g.user, g.id())
		require.NoError(t, err)
		if !ok {
			return nil
		}
		return &a
	}
	_, err = g.Finish(t.Context(), g.backFrom(g.id()))
	require.NoError(t, err)
	require.Equal(t, fault.Denied, fault.KindOf(g.Remove(t.Context(), g.id())))

	back := g.backFrom(g.id())
	require.Equal(t, fault.Conflict, fault.KindOf(g.names(g.row.Revision-1)), "it was changed meanwhile")
	require.Empty(t, connected().Problem)
	require.NoError(t, g.names(g.row.Revision))
	require.Equal(t, "the provider was asked anew", connected().Problem)
	_, err = g.Finish(t.Context(), back)
	require.Error(t, err, "who was on the way there begins again")

	g.row = g.now(g.row.ID)
	g.row.URL, g.row.Account = "https://elsewhere.example/mcp", ""
	_, err = g.store.MCPServers.SetMCPServer(t.Context(), g.row, g.user)
	require.NoError(t, err)
	require.Nil(t, connected(), "its server has named another")
	_, err = g.Provider(t.Context(), g.user, g.id())
	require.Equal(t, fault.NotFound, fault.KindOf(err))

	g = b.guarded(0)
	_, err = g.Finish(t.Context(), g.backFrom(g.id()))
	require.NoError(t, err)
	require.NoError(t, g.store.MCPServers.RemoveMCPServer(t.Context(), 0, "tracker", false))
	require.Nil(t, connected())
	var told int
	require.NoError(t, b.pool.QueryRow(t.Context(), "SELECT count(*) FROM changes WHERE kind = 'provider' AND name LIKE 'mcp-%'").Scan(&told))
	require.Zero(t, told, "whose server it is sees its account change, and administrators do not")
	require.NoError(t, b.pool.QueryRow(t.Context(), "SELECT count(*) FROM changes WHERE kind = 'mcp' AND after ->> 'account' = $1 AND owner IS NULL", g.id()).Scan(&told))
	require.Equal(t, 1, told)
}

func TestServers_AProviderThatNeedNotSayWhoItIsMaySayNothingElse(t *testing.T) {
	b := setup(t)
	g := b.guarded(b.user)
	for _, c := range []struct {
		silent bool
		iss    string
		good   bool
	}{{true, "", true}, {true, b.provider.URL, true}, {true, "https://other.example", false}, {false, "", false}} {
		d := b.draft()
		d.Name, d.AccountURL, d.Resource, d.SilentIssuer = "tracker", "", g.resource.At(), c.silent
		require.NoError(t, g.SaveOf(t.Context(), oauth.Server{ID: g.row.ID, Revision: g.now(g.row.ID).Revision}, d, g.user))
		back := g.backFrom(g.id())
		back.Issuer = c.iss
		_, err := g.Finish(t.Context(), back)
		if c.good {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, oauth.ErrOtherIssuer)
		}
	}
}
