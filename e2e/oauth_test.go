package e2e

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/extension/oauth/oauthtest"
)

// provides adds a provider to the installation.
func (s *server) provides(p *oauthtest.Provider) {
	s.t.Helper()
	_, err := s.client.SetOauthProvider(s.t.Context(), "acme", apiclient.OAuthProviderDraft{
		Name: "Acme", Issuer: p.URL, AuthorizeURL: p.URL + "/authorize", TokenURL: p.URL + "/token", RevokeURL: p.URL + "/revoke", AccountURL: p.URL + "/account",
		Scopes: []string{"read"}, MoreScopes: []string{"write"}, ClientID: oauthtest.ClientID, ClientSecret: oauthtest.ClientSecret, Enabled: true,
	})
	require.NoError(s.t, err)
}

// link is where an account is connected, for a call or for none.
func (s *server) link(call chat.CallID) string {
	s.t.Helper()
	got, err := s.client.ConnectOauthAccount(s.t.Context(), "acme", apiclient.ConnectRequest{Call: call})
	require.NoError(s.t, err)
	return s.url + got.Link
}

// visit sends one request of a browser, which follows no redirect, and returns where it is led.
func (s *server) visit(c *browser, method, address string) (status int, body, to string) {
	s.t.Helper()
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	req, err := http.NewRequestWithContext(s.t.Context(), method, address, nil)
	require.NoError(s.t, err)
	if method == http.MethodPost {
		req.Header.Set("Origin", s.url)
	}
	resp, err := c.Do(req)
	require.NoError(s.t, err)
	defer func() { require.NoError(s.t, resp.Body.Close()) }()
	text, err := io.ReadAll(resp.Body)
	require.NoError(s.t, err)
	return resp.StatusCode, string(text), resp.Header.Get("Location")
}

// leaves opens a link, goes on to the provider and consents, and returns the address with which the browser comes back.
func (s *server) leaves(c *browser, link string) string {
	s.t.Helper()
	status, page, _ := s.visit(c, http.MethodGet, link)
	require.Equal(s.t, http.StatusOK, status, page)
	require.Contains(s.t, page, "Continue to Acme")
	status, page, to := s.visit(c, http.MethodPost, link)
	require.Equal(s.t, http.StatusSeeOther, status, page)
	status, page, back := s.visit(c, http.MethodGet, to)
	require.Equal(s.t, http.StatusFound, status, page)
	return back
}

// connects connects an account by a link, in a browser of its own.
func (s *server) connects(link string) {
	s.t.Helper()
	c := s.browser()
	status, page, _ := s.visit(c, http.MethodGet, s.leaves(c, link))
	require.Equal(s.t, http.StatusOK, status, page)
	require.Contains(s.t, page, "lena@example.com")
}

// strays comes back from a provider whose token endpoint refuses, and returns what the browser shows.
func (s *server) strays(kept secrets) (string, error) {
	s.t.Helper()
	c := s.browser()
	status, page, to := s.visit(c, http.MethodPost, s.link(""))
	require.Equal(s.t, http.StatusSeeOther, status, page)
	at, err := url.Parse(to)
	require.NoError(s.t, err)
	kept["OAuth state"] = at.Query().Get("state")
	status, page, _ = s.visit(c, http.MethodGet, s.url+"/oauth/callback?state="+kept["OAuth state"]+"&code="+kept.made("OAuth code"))
	require.Equal(s.t, http.StatusBadGateway, status, page)
	return page, nil
}

const authorize = `call oauth_authorize {"provider":"acme","reason":"to list your issues","scopes":["write"]}`

func TestOAuth_ATurnWaitsThroughAKillForTheAccountAndEndsOnce(t *testing.T) {
	t.Parallel()
	s, p := newServer(t, "XBOT_HTTP_ALLOW=127.0.0.1"), oauthtest.New(t)
	s.provides(p)
	k := s.newTalk()
	id := k.send(authorize, "say thank you")
	call := k.untilAsked(1)
	require.Equal(t, &chat.AccountAsk{Provider: "acme", Name: "Acme", Scopes: []string{"read", "write"}}, call.Approval.Questions[0].Connect)
	require.Contains(t, call.Approval.Questions[0].Text, "to list your issues")
	_, err := k.client.AnswerApproval(t.Context(), k.key, call.ID, apiclient.Answer{Decision: apiclient.Allow, Answers: chat.Answers{"q1": {"connected"}}})
	require.ErrorContains(t, err, "by connecting the account at Acme", "nobody can say that it is")
	k.send("please do")
	k.untilNotice(time.Minute, "by connecting the account at Acme")

	link, c := s.link(call.ID), s.browser()
	back := s.leaves(c, link)
	s.crash()
	s.boot()
	require.Equal(t, chat.ApprovalOpen, k.lastApproval().State, "the turn waits after a restart")
	status, page, _ := s.visit(s.browser(), http.MethodGet, back)
	require.Equal(t, http.StatusGone, status, "another browser brings the state: %s", page)
	status, page, _ = s.visit(c, http.MethodGet, back)
	require.Equal(t, http.StatusOK, status, page)
	require.Contains(t, page, "The conversation that asked goes on.")
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
	require.Equal(t, "connected: Acme as lena@example.com\nscopes: read write", lastCalls(k)[0].Result)
	require.Equal(t, []string{"thank you"}, k.answers())

	status, page, _ = s.visit(c, http.MethodGet, back)
	require.Equal(t, http.StatusGone, status, "a state counts once: %s", page)
	status, page, _ = s.visit(c, http.MethodGet, link)
	require.Equal(t, http.StatusGone, status, "its call waits no more: %s", page)
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, k.send(authorize, "say again")).State)
	require.Nil(t, lastCalls(k)[0].Approval, "what is connected is answered at once")
	require.Equal(t, 1, p.Count("/token"))
	k.wellFormed()
	for _, secret := range append(p.Secrets(), oauthtest.ClientSecret) {
		s.nowhere(secret)
	}
}

func TestOAuth_AnAccountThatIsConnectedOnThePageLetsAllTurnsGoOnThatWaitForIt(t *testing.T) {
	t.Parallel()
	s, p := newServer(t, "XBOT_HTTP_ALLOW=127.0.0.1"), oauthtest.New(t)
	s.provides(p)
	const plain = `call oauth_authorize {"provider":"acme","reason":"to list your issues"}`
	k, other := s.newTalk(), s.newTalk()
	first, second := k.send(plain, "say thank you"), other.send(plain, "say thanks")
	k.untilAsked(1)
	other.untilAsked(1)
	s.connects(s.link(""))
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, first).State)
	require.Equal(t, chat.TurnDone, other.untilEnded(time.Minute, second).State)
	require.Equal(t, []string{"thank you"}, k.answers())
	require.Equal(t, []string{"thanks"}, other.answers())
}

func TestOAuth_NobodyElseEndsWhatAPersonBegan(t *testing.T) {
	t.Parallel()
	s, p := newServer(t, "XBOT_HTTP_ALLOW=127.0.0.1"), oauthtest.New(t)
	s.provides(p)
	k := s.newTalk()
	id := k.send(authorize, "say well then")
	call := k.untilAsked(1)
	bob := s.colleague("bob")
	_, err := bob.client.ConnectOauthAccount(t.Context(), "acme", apiclient.ConnectRequest{Call: call.ID})
	require.ErrorContains(t, err, "there is no call")

	link, other := s.link(call.ID), s.browser()
	page := s.signInAs("bob", other)
	status, text, _ := s.visit(other, http.MethodGet, link)
	require.Equal(t, http.StatusForbidden, status, text)
	require.Contains(t, text, "Somebody else", page)
	back := s.leaves(s.browser(), link)
	status, text, _ = s.visit(other, http.MethodGet, back)
	require.Equal(t, http.StatusGone, status, text)

	evil, err := http.NewRequestWithContext(t.Context(), http.MethodPost, link, nil)
	require.NoError(t, err)
	evil.Header.Set("Origin", "https://evil.example")
	resp, err := http.DefaultClient.Do(evil)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusForbidden, resp.StatusCode, "another site cannot send a browser on its way")

	p.Rule(oauthtest.Rules{Deny: "access_denied"})
	c := s.browser()
	status, text, _ = s.visit(c, http.MethodGet, s.leaves(c, link))
	require.Equal(t, http.StatusForbidden, status)
	require.Contains(t, text, "Acme says: access_denied")
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
	require.Contains(t, lastCalls(k)[0].Result, "Acme says: access_denied (the person said no)", "the call learns it")
	require.Zero(t, p.Count("/token"))

	id = k.send(authorize, "say as you like")
	call = k.untilAsked(2)
	k.answer(call.ID, apiclient.Answer{Decision: apiclient.Deny, Note: "not today"})
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
	require.Contains(t, lastCalls(k)[0].Result, "not today")
}

// signInAs signs a browser in as somebody.
func (s *server) signInAs(name string, c *browser) string {
	s.t.Helper()
	link, err := s.operate("login-link", "--user="+name)
	require.NoError(s.t, err, link)
	require.Equal(s.t, http.StatusOK, s.signIn(c, link))
	return link
}

// said is a tool that says a text.
func said(text string) sdk.ToolHandler {
	return func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil
	}
}

func TestOAuth_AnAccountAuthorizesAnMCPServerUntilItIsDisconnected(t *testing.T) {
	t.Parallel()
	s, p := newServer(t, "XBOT_HTTP_ALLOW=127.0.0.1"), oauthtest.New(t)
	s.provides(p)
	p.Rule(oauthtest.Rules{Life: 30 * time.Second}) // so that each request renews it
	at := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		who, ok := p.Accepts(token)
		if !ok {
			http.Error(w, "wrong "+token, http.StatusUnauthorized)
			return
		}
		sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server {
			one := sdk.NewServer(&sdk.Implementation{Name: "issues", Version: "1"}, nil)
			one.AddResource(&sdk.Resource{Name: who, URI: "issue:///of-" + who}, nil)
			one.AddTool(&sdk.Tool{Name: "mine", InputSchema: map[string]any{"type": "object"}, Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}}, said("issues of "+who+" by "+token))
			return one
		}, &sdk.StreamableHTTPOptions{Stateless: true}).ServeHTTP(w, r)
	}))
	t.Cleanup(func() { at.CloseClientConnections(); at.Close() })
	_, err := s.client.SetMCPServer(t.Context(), "issues", apiclient.MCPServerDraft{URL: at.URL, Account: "acme", Enabled: true})
	require.ErrorContains(t, err, "servers of the installation alone")
	made, err := s.client.SetMCPServer(t.Context(), "issues", apiclient.MCPServerDraft{Shared: true, Trusted: true, URL: at.URL, Account: "acme", Enabled: true})
	require.NoError(t, err)
	require.Contains(t, made.Problem, "call oauth_authorize with provider acme")
	require.Empty(t, made.Server.Problem, "that somebody has no account says nothing about the server")

	s.connects(s.link(""))
	made, err = s.client.RefreshMCPServer(t.Context(), "issues", apiclient.RefreshMCPServerParams{Shared: true})
	require.NoError(t, err)
	require.Empty(t, made.Problem)
	require.Len(t, made.Tools, 1)
	require.Zero(t, made.Server.Resources, "they are the administrator's own")
	k, before := s.newTalk(), p.Count("/token")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, k.send(`call mcp_issues_mine {}`, "say there")).State)
	require.Equal(t, "issues of lena@example.com by [hidden]", lastCalls(k)[0].Result, "no model sees a token")
	require.Greater(t, p.Count("/token"), before, "it was renewed before its end")

	bob := s.colleague("bob")
	theirs := bob.newTalk()
	theirs.untilEnded(time.Minute, theirs.send(`call mcp_issues_mine {}`, "say none"))
	require.Contains(t, lastCalls(theirs)[0].Result, "call oauth_authorize with provider acme", "bob has no account")

	p.Rule(oauthtest.Rules{Account: "bob@example.com"}) // whose tokens have no end
	c := s.browser()
	bob.signInAs("bob", c)
	status, page, _ := s.visit(c, http.MethodGet, s.leaves(c, bob.link("")))
	require.Equal(t, http.StatusOK, status, page)
	theirs.untilEnded(time.Minute, theirs.send(`call mcp_issues_mine {}`, "say his"))
	require.Equal(t, "issues of bob@example.com by [hidden]", lastCalls(theirs)[0].Result)
	p.Withdraw()
	theirs.untilEnded(time.Minute, theirs.send(`call mcp_issues_mine {}`, "say withdrawn"))
	require.Contains(t, lastCalls(theirs)[0].Result, "call oauth_authorize with provider acme", "the server refuses what has no end")
	his, err := bob.client.ListOauthAccounts(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, his.Accounts[0].Problem)
	servers, err := s.client.ListMCPServers(t.Context())
	require.NoError(t, err)
	require.Empty(t, servers[0].Problem, "what one person meets is no problem of the server")

	p.Rule(oauthtest.Rules{})
	s.connects(s.link(""))
	gone, err := s.client.DeleteOauthAccount(t.Context(), "acme")
	require.NoError(t, err)
	require.Empty(t, gone)
	require.Zero(t, p.Live(), "the provider was told")
	k.untilEnded(time.Minute, k.send(`call mcp_issues_mine {}`, "say gone"))
	require.Contains(t, lastCalls(k)[0].Result, "call oauth_authorize with provider acme")
	for _, secret := range p.Secrets() {
		s.nowhere(secret)
	}
}
