package e2e

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/fault"
	"xbot/internal/llm/llmtest"
)

// shop is an MCP server in the process of the test, which lets in who sends its key.
type shop struct {
	url, key string
	release  chan struct{} // closed at the end of the test: calls that hang end
	hang     func()        // keeps each call waiting; nil: calls do not wait

	mu    sync.Mutex
	calls map[string]int // by tool
}

// newShop starts one. Its tools hang where their first call asks for it.
func newShop(t *testing.T, key string) *shop {
	t.Helper()
	p := &shop{key: "Bearer " + key, release: make(chan struct{}), calls: map[string]int{}}
	s := sdk.NewServer(&sdk.Implementation{Name: "shop", Version: "1"}, &sdk.ServerOptions{Instructions: "look things up before you order them"})
	sdk.AddTool(s, &sdk.Tool{Name: "look_up", Description: "Looks up what a fruit costs.", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}}, p.tool("look_up"))
	sdk.AddTool(s, &sdk.Tool{Name: "order", Description: "Orders a fruit."}, p.tool("order"))
	s.AddPrompt(&sdk.Prompt{Name: "menu", Arguments: []*sdk.PromptArgument{{Name: "day"}}}, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: "Make a menu for " + r.Params.Arguments["day"]}}}}, nil
	})
	tools := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil)
	at := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != p.key {
			http.Error(w, "wrong key "+r.Header.Get("Authorization"), http.StatusUnauthorized)
			return
		}
		tools.ServeHTTP(w, r)
	}))
	p.url = at.URL + "/mcp"
	t.Cleanup(func() { close(p.release); at.CloseClientConnections(); at.Close() })
	return p
}

type order struct {
	Fruit string `json:"fruit"`
	Hang  bool   `json:"hang,omitempty"`
}

func (p *shop) tool(name string) sdk.ToolHandlerFor[order, any] {
	return func(_ context.Context, _ *sdk.CallToolRequest, in order) (*sdk.CallToolResult, any, error) {
		p.mu.Lock()
		p.calls[name]++
		n := p.calls[name]
		p.mu.Unlock()
		if p.hang != nil {
			p.hang()
		}
		if in.Hang && n == 1 {
			<-p.release
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: fmt.Sprintf("%s: %s, call %d", name, in.Fruit, n)}}}, nil, nil
	}
}

func (p *shop) called(name string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls[name]
}

// offers adds the shop to the person's servers, or to the installation's.
func (s *server) offers(name string, p *shop, shared bool) apiclient.MCPServerState {
	s.t.Helper()
	got, err := s.client.SetMCPServer(s.t.Context(), name, apiclient.MCPServerDraft{
		Shared: shared, Trusted: shared, URL: p.url, Headers: map[string]string{"Authorization": p.key}, Instructions: "for fruit", Enabled: true,
	})
	require.NoError(s.t, err)
	require.Empty(s.t, got.Problem)
	require.Len(s.t, got.Tools, 3, "with the one for its prompts")
	return got
}

// toolResults are those of all calls, in the order of the transcript.
func (k *talk) toolResults() (out []string) {
	k.t.Helper()
	for _, m := range k.transcript().Messages {
		for _, c := range m.ToolCalls {
			out = append(out, c.Result)
		}
	}
	return out
}

func TestMCP_ToolsOfAServerAreFoundCalledAndGoneWithIt(t *testing.T) {
	t.Parallel()
	s, p := newServer(t, "XBOT_HTTP_ALLOW=127.0.0.1"), newShop(t, "fruit-90210")
	made := s.offers("fruits", p, false)
	require.Equal(t, "mcp_fruits_look_up", made.Tools[0].Name)
	require.False(t, made.Tools[0].ReadOnly, "nobody trusts a server of a person's own")
	require.Equal(t, chat.ClassOnce, made.Tools[0].Class)
	require.Equal(t, chat.ClassOnce, made.Tools[1].Class)

	k := s.newTalk()
	turn := k.untilEnded(time.Minute, k.send(
		`call search_tools {"query":"what does a fruit cost"}`, "each", `call mcp_fruits_look_up {"fruit":"quince"}`, `call mcp_fruits_order {"fruit":"quince"}`, "say ordered"))
	require.Equal(t, chat.TurnDone, turn.State)
	results := k.toolResults()
	require.Len(t, results, 3)
	require.Contains(t, results[0], "mcp_fruits_look_up")
	require.Contains(t, results[1], "look_up: quince, call 1")
	require.Contains(t, results[2], "order: quince, call 1")
	require.Equal(t, []string{"ordered"}, k.answers())

	require.NoError(t, s.client.DeleteMCPServer(t.Context(), "fruits", apiclient.DeleteMCPServerParams{}))
	k.untilEnded(time.Minute, k.send(`call mcp_fruits_order {"fruit":"quince"}`, "say in vain"))
	require.NotContains(t, k.toolResults()[3], "order: quince")
	require.Equal(t, 1, p.called("order"))
	k.wellFormed()
}

func TestMCP_TheInstallationDeniesAToolOfAServerByName(t *testing.T) {
	t.Parallel()
	s, p := newServer(t, "XBOT_HTTP_ALLOW=127.0.0.1", "XBOT_TOOL_RULES=mcp_fruits_order=deny,websearch=ask,skill=ask"), newShop(t, "fruit-90210")
	s.offers("fruits", p, false)
	k := s.newTalk()
	k.untilEnded(time.Minute, k.send(`call search_tools {"query":"fruit"}`, "each", `call mcp_fruits_look_up {"fruit":"quince"}`, `call mcp_fruits_order {"fruit":"quince"}`, "say tried"))
	results := k.toolResults()
	require.Contains(t, results[1], "look_up: quince, call 1")
	require.Contains(t, results[2], "deny this call of mcp_fruits_order")
	require.Zero(t, p.called("order"))
}

func TestMCP_APromptOfAServerIsASlashCommand(t *testing.T) {
	t.Parallel()
	s, p := newServer(t, "XBOT_HTTP_ALLOW=127.0.0.1"), newShop(t, "fruit-90210")
	s.offers("fruits", p, false)
	k := s.newTalk()
	turn := k.untilEnded(time.Minute, k.send("/mcp_fruits_menu for Monday", `call mcp_fruits_prompts {"name":"menu","arguments":{"day":"Monday"}}`, "say figs"))
	require.Equal(t, chat.TurnDone, turn.State)
	require.Equal(t, []string{"Make a menu for Monday"}, k.toolResults())
	first := s.model.Requests()[0]
	require.Contains(t, first.Messages[len(first.Messages)-1].Content, "[/mcp_fruits_menu names a prompt: get it with the tool mcp_fruits_prompts before anything else")
	require.True(t, slices.ContainsFunc(first.Tools, func(f llmtest.Tool) bool { return f.Name == "mcp_fruits_prompts" }), "its parameters are shown at once")
	require.Equal(t, []string{"figs"}, k.answers())

	before := len(s.model.Requests())
	k.send("/retry")
	require.Eventually(t, func() bool {
		return slices.ContainsFunc(s.model.Requests()[before:], func(r llmtest.Request) bool { // beside others, such as for a title, which have no tools
			return len(r.Tools) > 0 && strings.Contains(r.Messages[len(r.Messages)-1].Content, "[/mcp_fruits_menu names a prompt")
		})
	}, time.Minute, 50*time.Millisecond, "asked again it is one still")
}

func TestMCP_AKillLeavesACallThatActsUnknownAndOneThatReadsIsRepeated(t *testing.T) {
	t.Parallel()
	s, p := newServer(t), newShop(t, "fruit-90210")
	s.offers("fruits", p, true)
	acts, reads := s.newTalk(), s.newTalk()
	program := func(tool string) []string {
		return []string{`call search_tools {"query":"fruit"}`, "each", "call mcp_fruits_" + tool + ` {"fruit":"quince","hang":true}`, "say went on"}
	}
	ordered, looked := acts.send(program("order")...), reads.send(program("look_up")...)
	require.Eventually(t, func() bool { return p.called("order") == 1 && p.called("look_up") == 1 }, time.Minute, 10*time.Millisecond, "both are at work")
	s.crash()
	s.boot()
	require.Equal(t, chat.TurnDone, acts.untilEnded(crashLimit, ordered).State)
	require.Equal(t, chat.TurnDone, reads.untilEnded(crashLimit, looked).State)
	require.Contains(t, acts.toolResults()[1], "Outcome unknown", "the order may have been placed")
	require.Equal(t, 1, p.called("order"), "it is not placed again")
	require.Contains(t, reads.toolResults()[1], "look_up: quince, call 2")
	require.Equal(t, []string{"went on"}, acts.answers())
	require.Equal(t, []string{"went on"}, reads.answers())
	acts.wellFormed()
	reads.wellFormed()
}

func TestMCP_ServersOfTheFileAreEverybodysAndChangeWithItAlone(t *testing.T) {
	t.Parallel()
	s, p := newServer(t, "XBOT_HTTP_ALLOW=127.0.0.1", "FRUIT_KEY=fruit-90210"), newShop(t, "fruit-90210")
	file := filepath.Join(s.home, "mcp.json")
	write := func(content string) { require.NoError(t, os.WriteFile(file, []byte(content), 0o600)) }
	listed := func() []chat.MCPServer {
		all, err := s.client.ListMCPServers(t.Context())
		require.NoError(t, err)
		return all
	}
	write(`{"mcpServers":{"fruits":{"url":"` + p.url + `","headers":{"Authorization":"Bearer ${FRUIT_KEY}"},"trusted":true}}}`)
	require.Eventually(t, func() bool { all := listed(); return len(all) == 1 && all[0].Tools == 2 && all[0].Trusted }, time.Minute, 100*time.Millisecond, "it is taken over, and asked what it offers")
	require.True(t, listed()[0].FromFile)

	k := s.colleague("bob").newTalk()
	k.untilEnded(time.Minute, k.send(`call mcp_fruits_look_up {"fruit":"quince"}`, "say asked"))
	require.Contains(t, k.toolResults()[0], "look_up: quince, call 1")
	_, err := s.client.SetMCPServer(t.Context(), "fruits", apiclient.MCPServerDraft{Shared: true, URL: p.url, Revision: 1})
	require.Equal(t, fault.Denied, fault.KindOf(err))
	require.ErrorContains(t, err, "mcp.json")
	require.Equal(t, fault.Denied, fault.KindOf(s.client.DeleteMCPServer(t.Context(), "fruits", apiclient.DeleteMCPServerParams{Shared: true})))

	write("{ half written")
	s.crash()
	s.boot()
	require.Len(t, listed(), 1, "a file that is wrong changes nothing, also after a kill")
	write(`{"mcpServers":{}}`)
	require.Eventually(t, func() bool { return len(listed()) == 0 }, time.Minute, 100*time.Millisecond)
	k.untilEnded(time.Minute, k.send(`call mcp_fruits_look_up {"fruit":"quince"}`, "say in vain"))
	require.Equal(t, 1, p.called("look_up"))
	k.keepsSecret("fruit-90210")
}
