package e2e

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
)

// restaurant is an MCP server that asks the user for whom a table is, and books it then. Its menu it asks the model for.
func restaurant(t *testing.T) (url string, booked *atomic.Int32) {
	t.Helper()
	booked = &atomic.Int32{}
	s := sdk.NewServer(&sdk.Implementation{Name: "restaurant", Version: "1"}, nil)
	sdk.AddTool(s, &sdk.Tool{Name: "book", Description: "Books a table."}, func(_ context.Context, r *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
		got, ok := r.Params.InputResponses["who"].(*sdk.ElicitResult)
		if !ok {
			form := map[string]any{"type": "object", "required": []string{"name"}, "properties": map[string]any{"name": map[string]any{"type": "string"}}}
			return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"who": &sdk.ElicitParams{Mode: "form", Message: "For whom?", RequestedSchema: form}}}, nil, nil
		}
		if got.Action != "accept" {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "not booked: " + got.Action}}}, nil, nil
		}
		booked.Add(1)
		name, _ := got.Content["name"].(string)
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "a table for " + name}}}, nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "menu", Description: "Makes a menu."}, func(_ context.Context, r *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
		got, ok := r.Params.InputResponses["soup"].(*sdk.CreateMessageWithToolsResult) //nolint:staticcheck // servers of older versions of the protocol ask the model
		if !ok {
			ask := &sdk.CreateMessageParams{MaxTokens: 100, Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: "say tomato soup"}}}} //nolint:staticcheck // as above
			return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"soup": ask}}, nil, nil
		}
		return &sdk.CallToolResult{Content: got.Content}, nil, nil
	})
	at := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil))
	t.Cleanup(func() { at.CloseClientConnections(); at.Close() })
	return at.URL, booked
}

// TestMCP_AServersQuestionIsAskedAndSurvivesAKill has the server killed while the question of an MCP server is open.
func TestMCP_AServersQuestionIsAskedAndSurvivesAKill(t *testing.T) {
	t.Parallel()
	s := newServer(t, "XBOT_HTTP_ALLOW=127.0.0.1")
	url, booked := restaurant(t)
	got, err := s.client.SetMCPServer(t.Context(), "restaurant", apiclient.MCPServerDraft{URL: url, Enabled: true})
	require.NoError(t, err)
	require.Empty(t, got.Problem)

	k := s.newTalk()
	id := k.send(`call mcp_restaurant_book {}`, "say done")
	call := k.untilAsked(1)
	require.Contains(t, call.Approval.Questions[0].Text, "MCP · restaurant: For whom?")
	require.Zero(t, booked.Load())
	s.crash()
	s.boot()
	require.Equal(t, chat.ApprovalOpen, k.lastApproval().State, "the question is still open after a restart")
	k.answer(call.ID, apiclient.Answer{Decision: apiclient.Allow, Answers: chat.Answers{"q1": {"Bob"}}})
	turn := k.untilEnded(crashLimit, id)
	require.Equal(t, chat.TurnDone, turn.State)
	require.Equal(t, "a table for Bob", lastCalls(k)[0].Result)
	require.Equal(t, []string{"done"}, k.answers())
	require.EqualValues(t, 1, booked.Load())

	id = k.send(`call mcp_restaurant_menu {}`, "say cooked")
	call = k.untilAsked(2)
	require.Contains(t, call.Approval.Questions[0].Text, "The MCP server restaurant wants to ask the model")
	require.Contains(t, call.Approval.Questions[0].Text, "user: say tomato soup")
	k.answer(call.ID, apiclient.Answer{Decision: apiclient.Allow, Answers: chat.Answers{"q1": {call.Approval.Questions[0].Options[0].Label}}})
	k.untilEnded(crashLimit, id)
	require.Equal(t, "tomato soup", lastCalls(k)[0].Result)
	k.wellFormed()
}

// TestHistories_OfAnMCPServersQuestion has the call need a permission first, and the second question declined.
func TestHistories_OfAnMCPServersQuestion(t *testing.T) {
	t.Parallel()
	s := newServer(t, "XBOT_HTTP_ALLOW=127.0.0.1", "XBOT_TOOL_RULES=mcp_restaurant_*=ask")
	url, booked := restaurant(t)
	_, err := s.client.SetMCPServer(t.Context(), "restaurant", apiclient.MCPServerDraft{URL: url, Enabled: true})
	require.NoError(t, err)
	k := s.newTalk()
	id := k.send(`call mcp_restaurant_book {}`, "say done")
	call := k.untilAsked(1)
	require.Empty(t, call.Approval.Questions, "first, whether it may run")
	k.answer(call.ID, apiclient.Answer{Decision: apiclient.Allow})
	require.Eventually(t, func() bool {
		a := k.lastApproval()
		return a != nil && a.State == chat.ApprovalOpen && len(a.Questions) == 1
	}, time.Minute, 10*time.Millisecond)
	k.answer(call.ID, apiclient.Answer{Decision: apiclient.Allow, Answers: chat.Answers{"q1": {"Bob"}}})
	turn := k.untilEnded(time.Minute, id)
	require.Equal(t, "a table for Bob", lastCalls(k)[0].Result)
	small(t, "a question of an MCP server", k.capture("mcpasks", turn), 60, 12<<10)

	id = k.send(`call mcp_restaurant_book {}`, "say never mind")
	call = k.untilAsked(2)
	k.answer(call.ID, apiclient.Answer{Decision: apiclient.Allow})
	require.Eventually(t, func() bool {
		a := k.lastApproval()
		return a != nil && a.State == chat.ApprovalOpen && len(a.Questions) == 1
	}, time.Minute, 10*time.Millisecond)
	k.answer(call.ID, apiclient.Answer{Decision: apiclient.Deny})
	k.untilEnded(time.Minute, id)
	require.Contains(t, lastCalls(k)[0].Result, "The user declined to answer")
	require.EqualValues(t, 1, booked.Load())
}
