package mcp_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/extension/mcp"
	"xbot/internal/extension/mcp/discovery"
	"xbot/internal/extension/oauth"
	"xbot/internal/extension/oauth/oauthtest"
	"xbot/internal/fault"
	"xbot/internal/tool/toolset"
)

// accounts are those that people have connected: their tokens by person.
type accounts struct {
	mu      sync.Mutex
	tokens  map[chat.UserID]string
	renewed map[string]string // what takes the place of a token that a server refuses; "": there is none, and the account must be connected again
	away    bool              // the provider, when a token is to be renewed
	refused []string          // tokens
}

func (a *accounts) Refused(_ context.Context, user chat.UserID, provider, access string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.refused = append(a.refused, access)
	switch next := a.renewed[access]; {
	case a.away:
		return fault.Errorf(fault.Unavailable, "acme does not answer")
	case next != "":
		a.tokens[user] = next
		return nil
	}
	delete(a.tokens, user)
	return fault.Errorf(fault.Denied, "%w", &oauth.NotConnectedError{Provider: provider, Why: "a server does not accept its token any more"})
}

func (a *accounts) refusals() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.refused)
}

func (a *accounts) leave() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.away = true
}

func (a *accounts) set(user chat.UserID, token string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tokens[user] = token
}

func (a *accounts) Token(_ context.Context, user chat.UserID, provider string) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if token := a.tokens[user]; token != "" {
		return token, nil
	}
	return "", fault.Errorf(fault.Denied, "%w", &oauth.NotConnectedError{Provider: provider, Why: "none is connected"})
}

// providers are the ids of those that there are.
type providers []string

func (p providers) SaveOf(context.Context, oauth.Server, oauth.Draft, chat.UserID) error {
	return fault.Errorf(fault.Invalid, "not here")
}

func (p providers) Providers(context.Context, chat.UserID) ([]chat.OAuthProvider, error) {
	var out []chat.OAuthProvider
	for _, id := range p {
		out = append(out, chat.OAuthProvider{OAuthProviderConfig: chat.OAuthProviderConfig{ID: id, Enabled: id != "off"}})
	}
	return out, nil
}

func withAccounts(a *accounts) func(*mcp.Config) {
	return func(c *mcp.Config) { c.Tokens = a }
}

// accountDraft is a server of the installation that accounts authorize.
func accountDraft(url string) mcp.Draft {
	return mcp.Draft{MCPConfig: chat.MCPConfig{Name: "web", Transport: chat.MCPHTTP, URL: url, Account: "acme"}}
}

// personal is a server that offers each of its people, by token, something else: the tools, prompts and resources of the names that are theirs.
func personal(t *testing.T, names map[string]string) (url string, change func(token string)) {
	t.Helper()
	servers := map[string]*sdk.Server{}
	for token, name := range names {
		servers[token] = sdk.NewServer(&sdk.Implementation{Name: name, Version: "1"}, &sdk.ServerOptions{Instructions: "You are " + name + "."})
		servers[token].AddTool(&sdk.Tool{Name: name + "_tool", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "for " + name}}}, nil
		})
		servers[token].AddPrompt(&sdk.Prompt{Name: name + "_prompt"}, nil)
		servers[token].AddResource(&sdk.Resource{Name: name, URI: "note:///" + name + "s-diary"}, nil)
	}
	t.Cleanup(func() {
		for _, s := range servers {
			for session := range s.Sessions() {
				_ = session.Close() // those whose client went without a word
			}
		}
	})
	of := func(r *http.Request) *sdk.Server {
		return servers[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
	}
	h := sdk.NewStreamableHTTPHandler(of, nil)
	url = web(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if of(r) == nil {
			http.Error(w, "who are you", http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r)
	}))
	return url, func(token string) {
		servers[token].AddTool(&sdk.Tool{Name: names[token] + "_more", InputSchema: map[string]any{"type": "object"}}, nil)
	}
}

func TestAccount_WhatAServerListsToOnePersonIsShownToNobodyElse(t *testing.T) {
	t.Parallel()
	who := &accounts{tokens: map[chat.UserID]string{ann: "token-of-ann", bob: "token-of-bob"}}
	f := setup(t, withAccounts(who))
	url, _ := personal(t, map[string]string{"token-of-ann": "ann", "token-of-bob": "bob"})
	at := f.addFor(0, accountDraft(url))
	at.Vouched = true
	made, err := f.Refresh(t.Context(), at)
	require.NoError(t, err)
	require.Equal(t, chat.MCPState{Digest: made.Digest, Tools: 1, Prompts: 1}, made.MCPState, "an administrator vouches for tools and prompts; her resources are hers")
	source := mcp.NewSource(f.rows, f.Connections)
	require.Len(t, f.tools(source, bob), 2)

	his := mcp.At{Server: at.Server, Person: bob}
	require.Equal(t, "for bob", f.call(his, "bob_tool", chat.ClassOnce, "").Content)
	tools := f.tools(source, ann)
	require.Contains(t, tools, "mcp_web_ann_tool")
	require.NotContains(t, tools, "mcp_web_bob_tool")
	listed, err := f.Resources(t.Context(), mcp.At{Server: at.Server, Person: ann})
	require.NoError(t, err)
	require.NotContains(t, listed.Content, "diary")
	require.Equal(t, 1, f.rows.listings())
	prompts, err := f.Prompts(t.Context(), bob)
	require.NoError(t, err)
	require.Equal(t, "ann_prompt", prompts[0].Name)

	f.Forget(at.Server)
	his.Vouched = false
	_, err = f.Refresh(t.Context(), his)
	require.NoError(t, err)
	require.Equal(t, 1, f.rows.listings(), "nobody vouches for what it lists to him")
}

func TestAccount_ServersAreAskedByThemselvesWhenItIsConnected(t *testing.T) {
	t.Parallel()
	who := &accounts{tokens: map[chat.UserID]string{}}
	f := setup(t, withAccounts(who))
	url, _ := personal(t, map[string]string{"token-of-ann": "ann", "token-of-bob": "bob"})
	at := f.addFor(0, accountDraft(url))
	source := mcp.NewSource(f.rows, f.Connections)
	_, err := f.Refresh(t.Context(), mcp.At{Server: at.Server, Person: ann, Vouched: true})
	require.ErrorContains(t, err, "none is connected")

	who.set(bob, "token-of-bob")
	f.AccountConnected(bob, "acme", false)
	f.AccountConnected(bob, "globex", true)
	who.set(ann, "token-of-ann")
	f.AccountConnected(ann, "acme", true)
	require.Eventually(t, func() bool { return f.rows.listings() == 1 }, waitLong, waitShort)
	require.Contains(t, f.tools(source, bob), "mcp_web_ann_tool", "an administrator vouches for it")

	f.AccountConnected(bob, "acme", true)
	require.NoError(t, f.Close(), "which waits for what was asked")
	require.Equal(t, 1, f.rows.listings(), "what was listed is not replaced by what somebody else may see")
	f.AccountConnected(ann, "acme", true) // and after the end nobody is asked
}

func TestAccount_AServerThatRefusesOnePersonIsNoProblemOfTheInstallation(t *testing.T) {
	t.Parallel()
	who := &accounts{tokens: map[chat.UserID]string{ann: "token-of-ann", bob: "wrong"}}
	f := setup(t, withAccounts(who))
	url, _ := personal(t, map[string]string{"token-of-ann": "ann"})
	at := f.addFor(0, accountDraft(url))
	at.Vouched = true
	_, err := f.Refresh(t.Context(), at)
	require.NoError(t, err)
	require.True(t, f.call(mcp.At{Server: at.Server, Person: bob}, "ann_tool", chat.ClassOnce, "").IsError)
	require.Empty(t, f.rows.problem(at.Server))
}

func TestAccount_AListThatChangesCountsWhereAnAdministratorVouches(t *testing.T) {
	t.Parallel()
	who := &accounts{tokens: map[chat.UserID]string{ann: "token-of-ann", bob: "token-of-bob"}}
	f := setup(t, withAccounts(who))
	url, change := personal(t, map[string]string{"token-of-ann": "ann", "token-of-bob": "bob"})
	at := f.addFor(0, accountDraft(url))
	at.Vouched = true
	_, err := f.Refresh(t.Context(), at)
	require.NoError(t, err)
	f.call(mcp.At{Server: at.Server, Person: bob}, "bob_tool", chat.ClassOnce, "")
	change("token-of-bob")
	change("token-of-ann")
	source := mcp.NewSource(f.rows, f.Connections)
	require.Eventually(t, func() bool {
		tools, err := source.Tools(t.Context(), toolset.Place{User: bob})
		return err == nil && len(tools) == 3
	}, waitLong, waitShort)
	tools := f.tools(source, bob)
	require.Contains(t, tools, "mcp_web_ann_more")
	listed, err := f.Resources(t.Context(), at)
	require.NoError(t, err)
	require.NotContains(t, listed.Content, "diary", "also in the list that came by itself")
}

func TestAccount_TokensGoNowhereInClearTextNorToAProviderThatIsNone(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for url, fits := range map[string]bool{
		"https://mcp.example.com/mcp": true, "http://127.0.0.1:8080/mcp": true, "http://[::1]/mcp": true, "http://localhost:80/mcp": true,
		"http://mcp.example.com/mcp": false, "http://10.0.0.7/mcp": false, "http://localhost.example.com/mcp": false, "http://127.0.0.1.example.com": false, "HTTP://mcp.example.com": false,
	} {
		d := accountDraft(url)
		saved, err := f.servers.Put(t.Context(), 0, d, ann)
		if fits {
			require.NoError(t, err, url)
			require.Equal(t, "acme", saved.Account)
		} else {
			require.Equal(t, fault.Invalid, fault.KindOf(err), url)
			require.ErrorContains(t, err, "the url must be https", url)
		}
		d.Account = ""
		_, err = f.servers.Put(t.Context(), 0, d, ann)
		require.NoError(t, err, "without an account: %s", url)
	}
	d := accountDraft("https://mcp.example.com/mcp")
	d.Account = "acmee"
	_, err := f.servers.Put(t.Context(), 0, d, ann)
	require.Equal(t, fault.Invalid, fault.KindOf(err))
	require.ErrorContains(t, err, `there is no provider "acmee"; there are: acme, off`)

	d.Account = "off"
	_, err = f.servers.Put(t.Context(), 0, d, ann)
	require.NoError(t, err, "one that is switched off can be switched on again")
	f.servers.Providers = providers(nil)
	d.Enabled = false
	_, err = f.servers.Put(t.Context(), 0, d, ann)
	require.NoError(t, err, "what stays needs no provider: a server whose provider is gone can be switched off")
	d.Account = "acme"
	_, err = f.servers.Put(t.Context(), 0, d, ann)
	require.ErrorContains(t, err, "nor any other")
	f.servers.Providers = nil
	_, err = f.servers.Put(t.Context(), 0, d, ann)
	require.ErrorContains(t, err, "accounts cannot be connected here")
}

// guarded is the test server over a transport, which lets a token in, and counts the calls of tools that come with one.
func guarded(t *testing.T, transport chat.MCPTransport) (url string, accept func(token string), calls *atomic.Int32) {
	t.Helper()
	s := testServer()
	t.Cleanup(func() {
		for session := range s.Sessions() {
			_ = session.Close() // those whose client went without a word
		}
	})
	var h http.Handler = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil)
	if transport == chat.MCPSSE {
		h = sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return s }, nil)
	}
	var mu sync.Mutex
	var accepted string
	calls = &atomic.Int32{}
	url = web(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		good := accepted == "" || r.Header.Get("Authorization") == "Bearer "+accepted
		mu.Unlock()
		body, err := io.ReadAll(r.Body)
		if err != nil || !good {
			http.Error(w, "not with "+r.Header.Get("Authorization"), http.StatusUnauthorized)
			return
		}
		if bytes.Contains(body, []byte(`"tools/call"`)) {
			calls.Add(1)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		h.ServeHTTP(w, r)
	}))
	return url, func(token string) { mu.Lock(); accepted = token; mu.Unlock() }, calls
}

func TestAccount_ATokenThatAServerRefusesIsRenewedOnceOrConnectedAgain(t *testing.T) {
	t.Parallel()
	for _, transport := range []chat.MCPTransport{chat.MCPHTTP, chat.MCPSSE} {
		t.Run(string(transport), func(t *testing.T) {
			t.Parallel()
			who := &accounts{tokens: map[chat.UserID]string{ann: "token-1"}, renewed: map[string]string{"token-1": "token-2"}}
			f := setup(t, withAccounts(who))
			url, accept, calls := guarded(t, transport)
			accept("token-1")
			d := accountDraft(url)
			d.Transport = transport
			at := f.addFor(0, d)
			at.Vouched = true
			_, err := f.Refresh(t.Context(), at)
			require.NoError(t, err)
			echo := func() chat.ToolResult { return f.call(at, "echo", chat.ClassOnce, `{"text":"a"}`) }
			require.Equal(t, "you said a", echo().Content)

			accept("token-2")
			require.Equal(t, "you said a", echo().Content, "it was renewed")
			require.Equal(t, []string{"token-1"}, who.refusals())
			require.EqualValues(t, 2, calls.Load())

			accept("none") // the person has withdrawn it
			got := echo()
			require.True(t, got.IsError)
			require.Contains(t, got.Content, "call oauth_authorize with provider acme, then try again; nothing was done")
			require.Equal(t, []string{"token-1", "token-2"}, who.refusals())
			require.Contains(t, echo().Content, "call oauth_authorize", "nothing is asked without an account")
			require.Empty(t, f.rows.problem(at.Server), "it is no problem of the server")

			accept("token-4")
			who.set(ann, "token-4")
			require.Equal(t, "you said a", echo().Content, "she has connected it again")

			accept("token-5")
			who.leave()
			got = echo()
			require.True(t, got.IsError)
			require.Contains(t, got.Content, "acme does not answer; nothing was done")
			require.EqualValues(t, 3, calls.Load())
		})
	}
}

func TestAccount_AServerThatRefusesEveryTokenIsAskedTwice(t *testing.T) {
	t.Parallel()
	who := &accounts{tokens: map[chat.UserID]string{ann: "token-1"}, renewed: map[string]string{"token-1": "token-2", "token-2": "token-1"}}
	f := setup(t, withAccounts(who))
	url, accept, _ := guarded(t, chat.MCPHTTP)
	at := f.addFor(0, accountDraft(url))
	require.Equal(t, "you said a", f.call(at, "echo", chat.ClassRead, `{"text":"a"}`).Content)
	accept("none")
	got := f.call(at, "echo", chat.ClassOnce, `{"text":"a"}`)
	require.True(t, got.IsError)
	require.Contains(t, got.Content, "Unauthorized")
	require.NotContains(t, got.Content, "token-")
	require.Len(t, who.refusals(), 2)
}

func TestAccount_ARefusalWhileConnectingIsThePersons(t *testing.T) {
	t.Parallel()
	who := &accounts{tokens: map[chat.UserID]string{ann: "token-1"}}
	f := setup(t, withAccounts(who))
	url, accept, _ := guarded(t, chat.MCPHTTP)
	accept("none")
	at := f.addFor(0, accountDraft(url))
	at.Vouched = true
	_, err := f.Refresh(t.Context(), at)
	require.Equal(t, fault.Denied, fault.KindOf(err))
	require.ErrorContains(t, err, "call oauth_authorize with provider acme")
	require.Empty(t, f.rows.problem(at.Server))
}

func TestAccount_AServerThatWantsOneSaysSoBeforeAnyIsNamed(t *testing.T) {
	t.Parallel()
	for _, transport := range []chat.MCPTransport{chat.MCPHTTP, chat.MCPSSE} {
		t.Run(string(transport), func(t *testing.T) {
			t.Parallel()
			f := setup(t)
			url, accept, calls := guarded(t, transport)
			d := mcp.Draft{MCPConfig: chat.MCPConfig{Name: "web", Transport: transport, URL: url}}
			at := f.add(d)
			require.Equal(t, "you said a", f.call(at, "echo", chat.ClassOnce, `{"text":"a"}`).Content)
			require.False(t, f.rows.wants(at.Server))

			accept("token")
			got := f.call(at, "echo", chat.ClassOnce, `{"text":"a"}`)
			require.True(t, got.IsError)
			require.Contains(t, got.Content, "it wants an account: whoever has added it connects one on the page")
			require.NotContains(t, got.Content, "outcome unknown")
			require.EqualValues(t, 1, calls.Load())
			_, err := f.Refresh(t.Context(), at)
			require.Equal(t, fault.Denied, fault.KindOf(err))
			require.ErrorContains(t, err, "it wants an account")
			require.True(t, f.rows.wants(at.Server))
			require.Contains(t, f.rows.problem(at.Server), "it wants an account")

			for name, header := range map[string]string{"bearer": "Authorization", "keyed": "X-Api-Key"} {
				d.Name, d.Headers = name, map[string]string{header: "wrong"}
				at = f.add(d)
				_, err = f.Refresh(t.Context(), at)
				require.Error(t, err)
				require.NotContains(t, err.Error(), "it wants an account", "it was given something, which it does not like")
				require.False(t, f.rows.wants(at.Server))
			}
		})
	}
}

// found is what a server names.
type found struct{ discovery.Found }

func (f found) Find(context.Context, chat.MCPServer) (discovery.Found, error) { return f.Found, nil }

// naming are providers that keep what servers have named in the rows of servers.
type naming struct {
	providers

	rows *rows
}

func (n naming) SaveOf(_ context.Context, server oauth.Server, d oauth.Draft, by chat.UserID) error {
	s, err := n.rows.MCPServer(context.Background(), server.ID)
	if err != nil {
		return err
	}
	if s.Revision != server.Revision || d.Resource == "" {
		return fault.Errorf(fault.Conflict, "changed")
	}
	s.Account = oauth.ProviderOf(server.ID)
	_, err = n.rows.SetMCPServer(context.Background(), s, by)
	return err
}

func TestDiscover_TheAccountOfAServerIsForItAndStaysWhileItIsThere(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.servers.Finder = found{discovery.Found{OAuthProviderConfig: chat.OAuthProviderConfig{Issuer: "https://login.example.com", Resource: "https://mcp.example.com"}}}
	f.servers.Providers = naming{providers{"acme"}, f.rows}
	d := mcp.Draft{MCPConfig: chat.MCPConfig{Name: "web", Transport: chat.MCPHTTP, URL: "https://mcp.example.com/mcp", Enabled: true}}
	put := func(change func(d *mcp.Draft)) (chat.MCPServer, error) {
		changed := d
		change(&changed)
		return f.servers.Put(t.Context(), ann, changed, ann)
	}
	_, err := put(func(*mcp.Draft) {})
	require.NoError(t, err)
	_, err = f.servers.Discover(t.Context(), bob, "web", bob)
	require.Equal(t, fault.NotFound, fault.KindOf(err), "it is hers")
	s, err := f.servers.Discover(t.Context(), ann, "web", ann)
	require.NoError(t, err)
	own := oauth.ProviderOf(s.ID)
	require.Equal(t, own, s.Account)

	s, err = put(func(d *mcp.Draft) { d.Instructions = "Ask it." })
	require.NoError(t, err)
	require.Equal(t, own, s.Account, "another change leaves it")
	_, err = put(func(d *mcp.Draft) { d.Name, d.Account = "other", own })
	require.ErrorContains(t, err, "servers of the installation alone", "it is for one server")
	shared := accountDraft("https://evil.example.com/mcp")
	shared.Account = own
	_, err = f.servers.Save(t.Context(), 0, shared, ann)
	require.ErrorContains(t, err, "there is no provider", "nor for one of the installation")

	s, err = put(func(d *mcp.Draft) { d.Headers = map[string]string{"authorization": "Bearer mine"} })
	require.NoError(t, err)
	require.Empty(t, s.Account, "a header takes its place")
	_, err = f.servers.Discover(t.Context(), ann, "web", ann)
	require.ErrorContains(t, err, "take it away first")
	_, err = put(func(*mcp.Draft) {})
	require.NoError(t, err)
	for i, account := range []string{"", own} {
		_, err = f.servers.Discover(t.Context(), ann, "web", ann)
		require.NoError(t, err)
		s, err = put(func(d *mcp.Draft) { d.URL, d.Account = fmt.Sprint("https://mcp.example.com/other", i), account })
		require.NoError(t, err)
		require.Empty(t, s.Account, "at another address it names another")
	}

	_, err = f.servers.Put(t.Context(), ann, mcp.Draft{MCPConfig: chat.MCPConfig{Name: "local", Command: "true"}}, ann)
	require.NoError(t, err)
	_, err = f.servers.Discover(t.Context(), ann, "local", ann)
	require.ErrorContains(t, err, "a command is given what it needs by env")
	f.servers.Finder = nil
	_, err = f.servers.Discover(t.Context(), ann, "web", ann)
	require.ErrorContains(t, err, "accounts cannot be connected here")
}

func TestAccount_AServerWithHeadersWantsOneWhereItSaysAtWhichProvider(t *testing.T) {
	t.Parallel()
	f := setup(t)
	guarded := oauthtest.New(t).Protect(t, http.NotFoundHandler())
	at := f.add(mcp.Draft{MCPConfig: chat.MCPConfig{Name: "web", URL: guarded.At()}, Headers: map[string]string{"X-Tenant": "a"}})
	_, err := f.Refresh(t.Context(), at)
	require.ErrorContains(t, err, "it wants an account")
	require.True(t, f.rows.wants(at.Server))
}
