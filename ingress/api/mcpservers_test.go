package api_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"xbot/ingress/api/connections"
	"xbot/ingress/api/mcpservers"
	"xbot/internal/chat"
	"xbot/internal/extension/oauth"
	"xbot/internal/extension/oauth/oauthtest"
	"xbot/internal/fault"
)

// headerOfTools is what the test's servers of tools want to be told.
const headerOfTools = "Bearer tools-of-hers-90210"

// serverOfTools is an MCP server that lets in who knows its secret.
func serverOfTools(t *testing.T) string {
	t.Helper()
	s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	said := func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{}, nil, nil
	}
	sdk.AddTool(s, &sdk.Tool{Name: "look.up", Description: "Looks it up.", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}}, said)
	sdk.AddTool(s, &sdk.Tool{Name: "order", Description: "Orders it."}, said)
	tools := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, &sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); got != headerOfTools {
			http.Error(w, "wrong key "+got, http.StatusUnauthorized)
			return
		}
		tools.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { served.CloseClientConnections(); served.Close() })
	return served.URL
}

func (p *person) mcpServers() []chat.MCPServer {
	p.t.Helper()
	var got mcpservers.MCPServers
	a := p.get("/api/mcp-servers")
	a.is(http.StatusOK, &got)
	require.NotContains(p.t, string(a.body), headerOfTools)
	return got.Servers
}

func (p *person) setMCP(name string, draft object) mcpservers.MCPServerState {
	p.t.Helper()
	var got mcpservers.MCPServerState
	a := p.put("/api/mcp-servers/"+name, draft)
	a.is(http.StatusOK, &got)
	require.NotContains(p.t, string(a.body), headerOfTools)
	return got
}

func toolNames(tools []mcpservers.MCPServerTool) (out []string) {
	for _, t := range tools {
		out = append(out, t.Name)
	}
	return out
}

func TestMCPServers_OfTheInstallationAreTriedListedAndUsedByAll(t *testing.T) {
	b := setup(t)
	url := serverOfTools(t)
	made := b.alice.setMCP("shop", object{"shared": true, "url": url, "headers": object{"Authorization": headerOfTools}, "instructions": "for orders", "trusted": true, "enabled": true})
	require.Empty(t, made.Problem)
	require.Equal(t, []string{"mcp_shop_look_up", "mcp_shop_order"}, toolNames(made.Tools))
	require.Equal(t, mcpservers.MCPServerTool{Name: "mcp_shop_look_up", Description: "Looks it up.", Class: chat.ClassRead, ReadOnly: true}, made.Tools[0])
	require.Equal(t, chat.ClassOnce, made.Tools[1].Class)
	require.Equal(t, 2, made.Server.Tools)
	require.NotNil(t, made.Server.ListedAt)
	require.Equal(t, []string{"Authorization"}, made.Server.HeaderNames)
	require.Equal(t, url, b.alice.mcpServers()[0].URL)

	seen := b.bob.mcpServers()
	require.Len(t, seen, 1)
	require.True(t, seen[0].Shared)
	require.Equal(t, 2, seen[0].Tools)
	require.Empty(t, seen[0].URL+seen[0].ChangedBy, "how it is reached is for administrators")
	require.Empty(t, seen[0].HeaderNames)
	var tools mcpservers.MCPServerTools
	b.bob.get("/api/mcp-servers/shop/tools?shared=true").is(http.StatusOK, &tools)
	require.Equal(t, made.Tools, tools.Tools)

	for _, refused := range []answer{
		b.bob.put("/api/mcp-servers/shop", object{"shared": true, "url": url, "enabled": true, "revision": 1}),
		b.bob.delete("/api/mcp-servers/shop?shared=true"), b.bob.post("/api/mcp-servers/shop/refresh?shared=true", nil),
	} {
		refused.problem(http.StatusForbidden)
	}
	b.bob.delete("/api/mcp-servers/shop").problem(http.StatusNotFound)
	require.NotContains(t, b.log.String(), headerOfTools)

	b.alice.delete("/api/mcp-servers/shop?shared=true").is(http.StatusNoContent, nil)
	require.Empty(t, b.bob.mcpServers())
	b.alice.get("/api/mcp-servers/shop/tools?shared=true").problem(http.StatusNotFound)
}

func TestMCPServers_OneThatCannotBeReachedIsKeptWithItsProblem(t *testing.T) {
	b := setup(t)
	url := serverOfTools(t)
	made := b.alice.setMCP("shop", object{"shared": true, "url": url, "headers": object{"Authorization": "Bearer of-somebody-else"}, "enabled": true})
	require.Contains(t, made.Problem, "the MCP server shop cannot be used")
	require.NotContains(t, made.Problem, "of-somebody-else")
	require.Equal(t, made.Problem, b.alice.mcpServers()[0].Problem)
	require.Empty(t, made.Tools)

	mended := b.alice.setMCP("shop", object{"shared": true, "url": url, "headers": object{"Authorization": headerOfTools}, "enabled": true, "revision": made.Server.Revision})
	require.Empty(t, mended.Problem)
	require.Len(t, mended.Tools, 2)
	require.Empty(t, b.alice.mcpServers()[0].Problem)
	b.alice.put("/api/mcp-servers/shop", object{"shared": true, "url": url, "enabled": true, "revision": made.Server.Revision}).problem(http.StatusConflict)
	elsewhere := object{"shared": true, "url": "https://elsewhere.example/mcp", "headers": object{"Authorization": ""}, "enabled": true, "revision": mended.Server.Revision}
	require.Contains(t, b.alice.put("/api/mcp-servers/shop", elsewhere).problem(http.StatusBadRequest), "enter the value of Authorization again")

	var now mcpservers.MCPServerState
	off := b.alice.setMCP("shop", object{"shared": true, "url": url, "headers": object{"Authorization": ""}, "enabled": false, "revision": mended.Server.Revision})
	require.Len(t, off.Tools, 2, "what it would offer is known")
	require.Contains(t, b.alice.post("/api/mcp-servers/shop/refresh?shared=true", nil).problem(http.StatusBadRequest), "switched off")
	on := b.alice.setMCP("shop", object{"shared": true, "url": url, "headers": object{"Authorization": ""}, "enabled": true, "revision": off.Server.Revision})
	require.Empty(t, on.Problem, "the value that was left empty has stayed")
	b.alice.post("/api/mcp-servers/shop/refresh?shared=true", nil).is(http.StatusOK, &now)
	require.Len(t, now.Tools, 2)
}

func TestMCPServers_OfAPersonAreTheirsAloneAndReachNoPrivateAddress(t *testing.T) {
	b := setup(t)
	made := b.bob.setMCP("shop", object{"url": serverOfTools(t), "headers": object{"Authorization": headerOfTools}, "enabled": true})
	require.Contains(t, made.Problem, "not an address on the public internet")
	require.Empty(t, b.alice.mcpServers(), "nor does an administrator see it")
	b.alice.get("/api/mcp-servers/shop/tools").problem(http.StatusNotFound)
	b.alice.post("/api/mcp-servers/shop/refresh", nil).problem(http.StatusNotFound)
	b.alice.delete("/api/mcp-servers/shop").problem(http.StatusNotFound)
	b.alice.setMCP("shop", object{"command": "true", "enabled": false})
	require.Len(t, b.bob.mcpServers(), 1, "two people may have one of the same name")
	b.bob.delete("/api/mcp-servers/shop").is(http.StatusNoContent, nil)
	require.Len(t, b.alice.mcpServers(), 1)
}

func TestMCPServers_CommandsRunOnTheRunnerOfThePersonAlone(t *testing.T) {
	b := setup(t)
	made := b.bob.setMCP("local", object{"command": "true", "env": object{"KEY": "sk-of-bob-90210"}, "enabled": true})
	require.Equal(t, chat.MCPStdio, made.Server.Transport)
	require.Contains(t, made.Problem, "there is no runner for this user")
	require.Equal(t, []string{"KEY"}, made.Server.EnvNames)
	b.boxes.of[b.bob.user.ID] = offline{}
	var now mcpservers.MCPServerState
	a := b.bob.post("/api/mcp-servers/local/refresh", nil)
	a.is(http.StatusOK, &now)
	require.Contains(t, now.Problem, "runner laptop is offline")
	require.NotContains(t, string(a.body), "sk-of-bob-90210")
	require.Empty(t, b.bob.mcpServers()[0].Problem, "that a runner is away says nothing about the server")
}

func TestMCPServers_BadInputIsRefusedWithASentence(t *testing.T) {
	b := setup(t)
	for name, c := range map[string]struct {
		path   string
		draft  object
		status int
		says   string
	}{
		"a name with a space":          {"a%20b", object{"command": "x", "enabled": true}, 400, "small letters, digits and dashes"},
		"a name that is too long":      {"aaaaaaaaaabbbbbbbbbbccccccccccddddd", object{"command": "x", "enabled": true}, 400, "1 to 32"},
		"neither":                      {"a", object{"enabled": true}, 400, "neither a command nor a url"},
		"both":                         {"a", object{"command": "x", "url": "https://a.example", "enabled": true}, 400, "either a command"},
		"a url of another scheme":      {"a", object{"url": "file:///etc/passwd", "enabled": true}, 400, "the url must be like"},
		"a url with a password":        {"a", object{"url": "https://u:p@a.example", "enabled": true}, 400, "secrets belong into headers"},
		"a header of the protocol":     {"a", object{"url": "https://a.example", "headers": object{"Host": "x"}, "enabled": true}, 400, `the header "Host" cannot be set`},
		"a variable that is no name":   {"a", object{"command": "x", "env": object{"A=B": "x"}, "enabled": true}, 400, "cannot be set"},
		"no word whether it is in use": {"a", object{"command": "x"}, 422, "validation failed"},
		"another transport":            {"a", object{"transport": "carrier-pigeon", "enabled": true}, 422, "validation failed"},
		"a change of what is not":      {"a", object{"command": "x", "enabled": true, "revision": 3}, 404, "there is no MCP server"},
	} {
		require.Contains(t, b.bob.put("/api/mcp-servers/"+c.path, c.draft).problem(c.status), c.says, name)
	}
	require.Empty(t, b.bob.mcpServers())
	for i := range 33 {
		name, status := "s"+string(rune('a'+i%26))+string(rune('a'+i/26)), http.StatusOK
		if i == 32 {
			status = http.StatusBadRequest
		}
		require.Equal(t, status, b.bob.put("/api/mcp-servers/"+name, object{"command": "x", "enabled": false}).status, name)
	}
}

func TestMCPServers_AFaultOfTheServerIsNoProblemOfTheirs(t *testing.T) {
	b := setup(t)
	b.boxes.err = fault.Errorf(fault.Internal, "the table is gone")
	detail := b.bob.put("/api/mcp-servers/local", object{"command": "true", "enabled": true}).problem(http.StatusInternalServerError)
	require.NotContains(t, detail, "table")
	require.True(t, slices.ContainsFunc(b.bob.mcpServers(), func(s chat.MCPServer) bool { return s.Name == "local" }), "it is stored all the same")
}

// protected is a server of tools that lets nobody in without a token of a provider, which it names.
func protected(t *testing.T) (*oauthtest.Provider, *oauthtest.Resource) {
	t.Helper()
	s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	sdk.AddTool(s, &sdk.Tool{Name: "order", Description: "Orders it."}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{}, nil, nil
	})
	p := oauthtest.New(t)
	return p, p.Protect(t, sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, &sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true}))
}

func TestMCPServers_AServerNamesTheProviderOfItsAccountForWhoeverHasAddedIt(t *testing.T) {
	b := setup(t)
	provider, tools := protected(t)
	for _, p := range []*person{b.alice, b.bob} { // her server is the installation's
		draft := object{"url": tools.At(), "enabled": true, "shared": p == b.alice}
		query := map[bool]string{true: "?shared=true"}[p == b.alice]
		made := p.setMCP("tracker", draft)
		require.True(t, made.Server.WantsAccount || p == b.bob, "people's servers are on the public internet: %+v", made)
		var named chat.MCPServer
		p.post("/api/mcp-servers/tracker/account"+query, nil).is(http.StatusOK, &named)
		require.Equal(t, oauth.ProviderOf(made.Server.ID), named.Account)
		require.False(t, named.WantsAccount)
		require.Empty(t, named.Problem)
	}
	require.Equal(t, 2, provider.Clients())
	b.bob.post("/api/mcp-servers/tracker/account?shared=true", nil).problem(http.StatusForbidden)
	b.bob.post("/api/mcp-servers/other/account", nil).problem(http.StatusNotFound)

	ids := func(p *person) (out []string) {
		for _, c := range p.accounts().Providers {
			out = append(out, c.ID)
		}
		return out
	}
	hers, his := ids(b.alice), ids(b.bob)
	require.Len(t, hers, 1, "the installation's alone, though she is an administrator")
	require.Len(t, his, 2)
	require.Contains(t, his, hers[0])
	b.alice.post("/api/oauth/accounts/"+his[1]+"/connect", object{}).problem(http.StatusNotFound)
	b.bob.post("/api/oauth/accounts/"+his[1]+"/connect", object{}).is(http.StatusOK, nil)
	var all connections.OAuthProviders
	b.alice.get("/api/oauth/providers").is(http.StatusOK, &all)
	require.Len(t, all.Providers, 1)
	require.NotZero(t, all.Providers[0].MCPServer)
	for _, id := range []string{his[0], his[1], "mcp-99"} {
		b.alice.delete("/api/oauth/providers/" + id).problem(http.StatusForbidden)
		b.alice.put("/api/oauth/providers/"+id, acmeOAuth(provider, nil)).problem(http.StatusForbidden)
	}
	require.Contains(t, b.alice.put("/api/mcp-servers/thief", object{"shared": true, "url": tools.At(), "account": hers[0], "enabled": true}).problem(http.StatusBadRequest), "there is no provider")
	require.Contains(t, b.bob.put("/api/mcp-servers/thief", object{"url": tools.At(), "account": his[1], "enabled": true}).problem(http.StatusBadRequest), "servers of the installation alone")

	tools.Rule(oauthtest.ResourceRules{Metadata: func(m map[string]any) { m["resource"] = "https://mail.example.com" }})
	require.Contains(t, b.bob.post("/api/mcp-servers/tracker/account", nil).problem(http.StatusBadRequest), "about somebody else")
	require.Equal(t, his, ids(b.bob), "what there was stays")
	b.bob.delete("/api/mcp-servers/tracker").is(http.StatusNoContent, nil)
	require.Equal(t, hers, ids(b.bob))
}
