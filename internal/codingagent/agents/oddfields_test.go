package agents_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/codingagent"
	"xbot/internal/codingagent/agents"
)

// oddLogs are turns in which fields have other types than the protocols say.
var oddLogs = map[string]string{
	"codex": `{"id":"initialize:k","result":"ready"}
{"id":"thread:k","result":{"thread":{"id":"t"},"model":7}}
{"id":"turn:k","result":{"turn":{"id":"u","status":1}}}
{"method":"item/started","params":{"threadId":"t","turnId":"u","item":{"id":"i","type":"commandExecution","command":["ls"],"exitCode":"0"}}}
{"method":"thread/tokenUsage/updated","params":{"threadId":"t","turnId":"u","tokenUsage":{"total":{"inputTokens":"many"},"last":null}}}
{"method":"item/completed","params":{"threadId":"t","turnId":"u","item":{"id":"m","type":"agentMessage","text":"done","changes":{}}}}
{"method":"turn/completed","params":{"threadId":"t","turn":{"id":"u","status":"completed","error":"none"}}}`,
	"claude": `{"type":"control_response","response":{"subtype":"success","request_id":"initialize:k"}}
{"type":"assistant","session_id":"s","uuid":5,"message":{"id":"m","content":[{"type":"text","text":"done","id":3},{"type":"tool_use","id":"u","name":"Bash","input":[]}]}}
{"type":"user","session_id":"s","message":{"content":[{"type":"tool_result","tool_use_id":"u","is_error":"no","content":{}}]}}
{"type":"result","subtype":"success","is_error":null,"result":{"text":"done"},"usage":{"input_tokens":"12"},"errors":{}}`,
	"kimi": `{"jsonrpc":2,"id":"initialize:k","result":{}}
{"method":"event","params":{"type":"TurnBegin","payload":"x"}}
{"method":"event","params":{"type":"ContentPart","payload":{"type":"text","text":"done","think":{}}}}
{"method":"event","params":{"type":"StatusUpdate","payload":{"token_usage":{"output":"1"}}}}
{"id":"prompt:k","result":{"status":"finished","steps":"3"}}`,
	"opencode": `{"type":"ready","id":1}
{"type":"response","id":"session:k","status":200,"body":{"id":"s","title":{}}}
{"type":"event","event":{"type":"message.updated","properties":{"info":{"id":"a","sessionID":"s","role":"assistant","tokens":{"input":"5","cache":0}}}}}
{"type":"event","event":{"type":"message.part.updated","properties":{"part":{"id":"p","sessionID":"s","messageID":"a","type":"text","text":"done","time":{"end":1},"state":"none"}}}}
{"type":"event","event":{"type":"session.idle","properties":{"sessionID":"s","status":"idle"}}}`,
}

func TestDrivers_AFieldOfAnotherTypeCostsThatFieldAlone(t *testing.T) {
	for _, name := range agents.Names() {
		require.Contains(t, oddLogs, name)
		driver, err := agents.New(name, codingagent.Turn{Key: "k", Text: "x", Dir: "/w"})
		require.NoError(t, err)
		var end codingagent.Event
		for line := range strings.SplitSeq(oddLogs[name], "\n") {
			for _, event := range driver.Line([]byte(line)).Events {
				end = event
			}
		}
		require.Equal(t, codingagent.End{Outcome: codingagent.Completed, Reply: "done"}, end, name)
	}
}

// Codex gives a turn up with an error that it does not retry; not every version completes the turn afterwards (openai/codex#28495).
func TestCodex_EndsATurnThatItDoesNotRetry(t *testing.T) {
	for params, outcome := range map[string]codingagent.Outcome{
		`{"threadId":"t","turnId":"u","willRetry":false,"error":{"message":"stream disconnected"}}`: codingagent.Failed,
		`{"threadId":"t","turnId":"u","willRetry":true,"error":{"message":"stream disconnected"}}`:  "",
		`{"threadId":"t","turnId":"u","error":{"message":"stream disconnected"}}`:                   "",
		`{"threadId":"t","turnId":"v","willRetry":false,"error":{"message":"of an earlier turn"}}`:  "",
		`{"threadId":"t","willRetry":false,"error":{"message":"of no turn"}}`:                       "",
	} {
		driver, err := agents.New("codex", codingagent.Turn{Key: "k", Text: "x", Dir: "/w"})
		require.NoError(t, err)
		for _, line := range []string{`{"id":"initialize:k","result":{}}`, `{"id":"thread:k","result":{"thread":{"id":"t"}}}`, `{"id":"turn:k","result":{"turn":{"id":"u"}}}`} {
			driver.Line([]byte(line))
		}
		var got codingagent.Outcome
		for _, event := range driver.Line([]byte(`{"method":"error","params":` + params + `}`)).Events {
			end := event.(codingagent.End)
			require.Equal(t, "stream disconnected", end.Error)
			got = end.Outcome
		}
		require.Equal(t, outcome, got, params)
	}
}

// The request is the one of codex 0.139 and later for a tool of an MCP server that is not marked read-only (ai-sdk-provider-codex-cli#33).
func TestCodex_AsksBeforeItCallsAToolOfAnMCPServer(t *testing.T) {
	const asks = `{"id":7,"method":"mcpServer/elicitation/request","params":{"threadId":"t","turnId":"u","serverName":"shop","mode":"form","message":"Allow the shop MCP server to run tool \"buy\"?","requestedSchema":{"type":"object","properties":{}},"_meta":{"codex_approval_kind":"mcp_tool_call","persist":["session","always"],"tool_params":{"item":"tea"}}}}`
	for _, c := range []struct {
		sandbox   codingagent.Sandbox
		approvals codingagent.Approvals
		line      string
		asked     bool
		want      string
	}{
		{codingagent.WorkspaceWrite, codingagent.ApproveOnRequest, asks, true, `{"action":"accept","content":{},"_meta":{"persist":"session"}}`},
		{codingagent.WorkspaceWrite, codingagent.ApproveNever, asks, false, `{"action":"decline","content":null}`},
		{codingagent.FullAccess, codingagent.ApproveNever, asks, false, `{"action":"accept","content":{}}`},
		{codingagent.FullAccess, codingagent.ApproveNever, strings.Replace(asks, "mcp_tool_call", "tool_suggestion", 1), false, `{"action":"decline","content":null}`},
		{codingagent.WorkspaceWrite, codingagent.ApproveOnRequest, strings.Replace(asks, `"codex_approval_kind":"mcp_tool_call"`, `"x":1`, 1), false, `{"action":"decline","content":null}`},
		{codingagent.FullAccess, codingagent.ApproveNever, strings.Replace(asks, `"message":"Allow`, `"message":{},"x":"`, 1), false, `{"action":"decline","content":null}`},
	} {
		driver, err := agents.New("codex", codingagent.Turn{Key: "k", Text: "x", Dir: "/w", Sandbox: c.sandbox, Approvals: c.approvals})
		require.NoError(t, err)
		for _, line := range []string{`{"id":"initialize:k","result":{}}`, `{"id":"thread:k","result":{"thread":{"id":"t"}}}`, `{"id":"turn:k","result":{"turn":{"id":"u"}}}`} {
			driver.Line([]byte(line))
		}
		step := driver.Line([]byte(c.line))
		writes := step.Writes
		if c.asked {
			require.Empty(t, writes)
			asked := step.Events[0].(codingagent.Request)
			require.Equal(t, codingagent.ToolCall, asked.Approval.Kind)
			require.Contains(t, asked.Approval.Title, `{"item":"tea"}`)
			writes = driver.Answer(asked.ID, codingagent.Answer{Approved: true, Always: true})
		}
		require.Len(t, writes, 1)
		var reply struct {
			Result json.RawMessage `json:"result"`
		}
		require.NoError(t, json.Unmarshal(writes[0].Line, &reply))
		require.JSONEq(t, c.want, string(reply.Result), c.line)
	}
}

func TestClaude_ShowsTheArgumentsOfAToolOfAnMCPServer(t *testing.T) {
	for input, whole := range map[string]bool{`{"item":"tea"}`: true, `{"item":"` + strings.Repeat("x", 900) + `"}`: false} {
		driver, err := agents.New("claude", codingagent.Turn{Key: "k", Text: "x", Dir: "/w", Sandbox: codingagent.WorkspaceWrite, Approvals: codingagent.ApproveOnRequest})
		require.NoError(t, err)
		driver.Line([]byte(`{"type":"control_response","response":{"subtype":"success","request_id":"initialize:k"}}`))
		step := driver.Line([]byte(`{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"mcp__shop__buy","tool_use_id":"t","input":` + input + `}}`))
		approval := step.Events[len(step.Events)-1].(codingagent.Request).Approval
		require.Contains(t, approval.Title, "mcp__shop__buy\n"+input[:10])
		require.Equal(t, whole, approval.Whole())
	}
}

func TestDrivers_RequestsWithAFieldOfAnotherTypeAreNotAllowedAtOnce(t *testing.T) {
	for name, request := range map[string]string{
		"claude": `{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"Edit","input":{"file_path":"a"},"blocked_path":["/etc"]}}`,
		"kimi":   `{"id":"r","method":"request","params":{"type":"ApprovalRequest","payload":{"id":"x","action":["edit file outside of the folder"],"display":[{"type":"diff","path":"a"}]}}}`,
	} {
		driver, err := agents.New(name, codingagent.Turn{Key: "k", Text: "x", Dir: "/w", Sandbox: codingagent.WorkspaceWrite, Approvals: codingagent.ApproveOnRequest})
		require.NoError(t, err)
		driver.Line([]byte(`{"type":"control_response","response":{"subtype":"success","request_id":"initialize:k"}}`))
		step := driver.Line([]byte(request))
		require.Empty(t, step.Writes, name)
		require.IsType(t, codingagent.Request{}, step.Events[len(step.Events)-1], name)
	}
}
