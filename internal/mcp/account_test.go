package mcp_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/mcp"
	"xbot/internal/oauth"
	"xbot/internal/toolset"
)

// accounts are those that people have connected: their tokens by person.
type accounts struct {
	mu     sync.Mutex
	tokens map[chat.UserID]string
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

func (p providers) Providers(context.Context) ([]chat.OAuthProvider, error) {
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
