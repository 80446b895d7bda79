package ask_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/automation/hook"
	"xbot/internal/automation/hook/ask"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/tool"
)

// serves is a server that says what the test wants, and notes how it was called.
type serves struct {
	says      chat.ToolResult
	err       error
	server    string
	tool      string
	shared    bool
	arguments string
}

func (s *serves) CallTool(_ context.Context, _ chat.SessionKey, server string, shared bool, tool string, arguments json.RawMessage) (chat.ToolResult, error) {
	s.server, s.shared, s.tool, s.arguments = server, shared, tool, string(arguments)
	return s.says, s.err
}

func calls(input string) hook.Handler {
	h := hook.Handler{Kind: hook.KindMCP, MCPCall: hook.MCPCall{Server: "guard", Tool: "check"}}
	if input != "" {
		h.Input = json.RawMessage(input)
	}
	return h
}

func TestMCP_ReadsWhatTheToolSaysLikeTheAnswerOfACommand(t *testing.T) {
	t.Parallel()
	s := &serves{says: tool.Text(`{"decision":"deny","reason":"not on a Friday"}`)}
	a, err := ask.MCP{Servers: s}.Ask(t.Context(), calls(""), question())
	require.NoError(t, err)
	require.Equal(t, hook.Answer{Decision: hook.Deny, Reason: "not on a Friday"}, a)
	require.Equal(t, []string{"guard", "check"}, []string{s.server, s.tool})
	require.JSONEq(t, string(question().Body), s.arguments, "without input the payload is the arguments")
	require.True(t, s.shared, "the administrator's file means the installation's servers")
	project := calls("")
	project.Layer = hook.LayerProject
	_, err = ask.MCP{Servers: s}.Ask(t.Context(), project, question())
	require.NoError(t, err)
	require.False(t, s.shared)
}

func TestMCP_PutsMembersOfThePayloadIntoTheArguments(t *testing.T) {
	t.Parallel()
	s := &serves{says: tool.Text("fine")}
	q := question()
	q.Body = []byte(`{"tool_name":"Shell","tool_input":{"command":"rm ${tool_name}","n":[1,2]}}`)
	_, err := ask.MCP{Servers: s}.Ask(t.Context(), calls(`{"what":"${tool_input.command}","all":"${tool_input}","text":"run ${tool_name} with ${tool_input.n}, ${gone}!","gone":"${a.b}","list":["${tool_name}"],"n":7}`), q)
	require.NoError(t, err)
	require.JSONEq(t, `{"what":"rm ${tool_name}","all":{"command":"rm ${tool_name}","n":[1,2]},"text":"run Shell with [1,2], !","gone":null,"list":["Shell"],"n":7}`, s.arguments)
}

func TestMCP_AServerThatFailsIsAFailureOfTheHook(t *testing.T) {
	t.Parallel()
	for _, s := range []*serves{{says: tool.Fail("no such tool")}, {err: fault.Errorf(fault.NotFound, "there is no MCP server")}, {says: tool.Text(`{"decision":"perhaps"}`)}} {
		a, err := ask.MCP{Servers: s}.Ask(t.Context(), calls(""), question())
		require.Error(t, err)
		require.Zero(t, a)
	}
}
