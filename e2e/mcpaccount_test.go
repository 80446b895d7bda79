package e2e

import (
	"net/http"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/extension/oauth/oauthtest"
)

// connectsAt connects an account at a provider that an MCP server has named, in a browser of the person's own.
func (s *server) connectsAt(client *apiclient.Client, provider string) {
	s.t.Helper()
	got, err := client.ConnectOauthAccount(s.t.Context(), provider, apiclient.ConnectRequest{})
	require.NoError(s.t, err)
	c := s.browser()
	status, page, _ := s.visit(c, http.MethodGet, s.url+got.Link)
	require.Equal(s.t, http.StatusOK, status)
	require.Contains(s.t, page, "which is sent the tokens")
	status, page, to := s.visit(c, http.MethodPost, s.url+got.Link)
	require.Equal(s.t, http.StatusSeeOther, status, page)
	status, page, back := s.visit(c, http.MethodGet, to)
	require.Equal(s.t, http.StatusFound, status, page)
	status, page, _ = s.visit(c, http.MethodGet, back)
	require.Equal(s.t, http.StatusOK, status, page)
}

func TestOAuth_AnMCPServerNamesItsOwnProviderAndOnlyItsPersonGetsATokenForIt(t *testing.T) {
	t.Parallel()
	s, p := newServer(t, "XBOT_HTTP_ALLOW=127.0.0.1"), oauthtest.New(t)
	p.Rule(oauthtest.Rules{Life: 30 * time.Second}) // so that each request renews it
	issues := sdk.NewServer(&sdk.Implementation{Name: "issues", Version: "1"}, nil)
	issues.AddTool(&sdk.Tool{Name: "mine", InputSchema: map[string]any{"type": "object"}, Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}}, said("your issues"))
	at := p.Protect(t, sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return issues }, &sdk.StreamableHTTPOptions{Stateless: true}))

	made, err := s.client.SetMCPServer(t.Context(), "issues", apiclient.MCPServerDraft{URL: at.At(), Enabled: true})
	require.NoError(t, err)
	require.Contains(t, made.Problem, "it wants an account")
	require.True(t, made.Server.WantsAccount)
	bob := s.colleague("bob")
	_, err = bob.client.SetMCPAccount(t.Context(), "issues", apiclient.SetMCPAccountParams{})
	require.ErrorContains(t, err, "there is no MCP server")
	named, err := s.client.SetMCPAccount(t.Context(), "issues", apiclient.SetMCPAccountParams{})
	require.NoError(t, err)
	require.Equal(t, 1, p.Clients())
	refreshed := func() apiclient.MCPServerState {
		got, err := s.client.RefreshMCPServer(t.Context(), "issues", apiclient.RefreshMCPServerParams{})
		require.NoError(t, err)
		return got
	}
	require.Contains(t, refreshed().Problem, "call oauth_authorize with provider "+named.Account)

	s.connectsAt(s.client, named.Account)
	require.Len(t, refreshed().Tools, 1)
	k, before := s.newTalk(), p.Count("/token")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, k.send(`call mcp_issues_mine {}`, "say there")).State)
	require.Equal(t, "your issues", lastCalls(k)[0].Result)
	require.Greater(t, p.Count("/token"), before, "it was renewed, for the same server")
	s.crash()
	s.boot()
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, k.send(`call mcp_issues_mine {}`, "say there still")).State)
	require.Equal(t, "your issues", lastCalls(k)[0].Result)

	_, err = bob.client.ConnectOauthAccount(t.Context(), named.Account, apiclient.ConnectRequest{})
	require.ErrorContains(t, err, "there is no provider", "it is for whoever has added the server")
	theirs, calls := bob.newTalk(), at.Requests("lena@example.com")
	theirs.untilEnded(time.Minute, theirs.send(`call mcp_issues_mine {}`, "say none"))
	require.NotContains(t, lastCalls(theirs)[0].Result, "your issues")
	require.Equal(t, calls, at.Requests("lena@example.com"), "her token is not used for bob")

	p.Withdraw()
	k.untilEnded(time.Minute, k.send(`call mcp_issues_mine {}`, "say withdrawn"))
	require.Contains(t, lastCalls(k)[0].Result, "call oauth_authorize with provider "+named.Account)
	id := k.send(`call oauth_authorize {"provider":"`+named.Account+`","reason":"to list your issues"}`, `call mcp_issues_mine {}`, "say again")
	call := k.untilAsked(1)
	require.Equal(t, &chat.AccountAsk{Provider: named.Account, Name: "issues", Scopes: []string{"tools"}}, call.Approval.Questions[0].Connect)
	s.connectsAt(s.client, named.Account)
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	require.Equal(t, []string{"there", "there still", "withdrawn", "again"}, k.answers(), "the turn has waited for the account")
	gone, err := s.client.DeleteOauthAccount(t.Context(), named.Account)
	require.NoError(t, err)
	require.Empty(t, gone)
	require.Zero(t, p.Live(), "the provider was told")
	require.NoError(t, s.client.DeleteMCPServer(t.Context(), "issues", apiclient.DeleteMCPServerParams{}))
	left, err := s.client.ListOauthAccounts(t.Context())
	require.NoError(t, err)
	require.Empty(t, left.Providers, "it has gone with its server")
	for _, secret := range p.Secrets() {
		s.nowhere(secret)
	}
}
