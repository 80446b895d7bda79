package agents_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/codingagent"
	"xbot/internal/codingagent/agents"
)

// lines that agents write, as seeds.
var seeds = []string{
	`{"id":"initialize:k","result":{}}` + "\n" + `{"id":"thread:k","result":{"thread":{"id":"t"}}}` + "\n" +
		`{"id":"turn:k","result":{"turn":{"id":"u"}}}` + "\n" + `{"method":"item/started","params":{"item":{"id":"i","type":"fileChange","changes":[{"path":"a"}]}}}` + "\n" +
		`{"id":7,"method":"item/fileChange/requestApproval","params":{"itemId":"i"}}` + "\n" + `{"method":"turn/completed","params":{"turn":{"id":"u","status":"completed"}}}`,
	`{"type":"control_response","response":{"subtype":"success","request_id":"initialize:k"}}` + "\n" +
		`{"type":"assistant","session_id":"s","message":{"id":"m","content":[{"type":"text","text":"x"},{"type":"tool_use","id":"u","name":"Bash","input":{"command":"ls"}}]}}` + "\n" +
		`{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"ls"}}}` + "\n" + `{"type":"result","subtype":"success"}`,
	`{"jsonrpc":"2.0","id":"initialize:k","result":{}}` + "\n" + `{"method":"event","params":{"type":"ToolCall","payload":{"id":"c","function":{"name":"Shell"}}}}` + "\n" +
		`{"method":"event","params":{"type":"ToolCallPart","payload":{"arguments_part":"{"}}}` + "\n" + `{"id":"q","method":"request","params":{"type":"ApprovalRequest","payload":{"id":"x"}}}` + "\n" +
		`{"id":"prompt:k","result":{"status":"finished"}}`,
	`{"type":"ready"}` + "\n" + `{"type":"response","id":"session:k","status":200,"body":{"id":"s"}}` + "\n" +
		`{"type":"event","event":{"type":"permission.asked","properties":{"id":"p","permission":"edit","patterns":["../x"]}}}` + "\n" +
		`{"type":"event","event":{"type":"session.status","properties":{"sessionID":"s","status":{"type":"busy"}}}}` + "\n" + `{"type":"event","event":{"type":"session.idle","properties":{"sessionID":"s"}}}`,
	`{"jsonrpc":"2.0","id":"initialize:k","result":{}}` + "\n" + `{"method":"event","params":{"type":"TurnBegin","payload":{}}}` + "\n" +
		`{"jsonrpc":"2.0","id":"prompt:k","error":{"code":-32002,"message":"no pictures"}}` + "\n" + `{"jsonrpc":"2.0","id":"prompt without pictures:k","error":{"code":-32002}}`,
	"null\n[]\n\"\"\n{\n\x00\n{\"id\":{}}\n{\"id\":null,\"method\":\"\"}", "",
}

func FuzzDrivers_TakeWhateverComes(f *testing.F) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, log string) {
		for _, name := range agents.Names() {
			turn := codingagent.Turn{Key: "k", Text: "x", Dir: "/w", Sandbox: codingagent.WorkspaceWrite, Approvals: codingagent.ApproveOnRequest}
			turn.Pictures = []codingagent.Picture{{Hash: "h", MediaType: "image/png", Data: []byte("x")}}
			written := map[string]string{}
			one, err := agents.New(name, turn)
			require.NoError(t, err)
			two, err := agents.New(name, turn)
			require.NoError(t, err)
			ends := 0
			for line := range strings.SplitSeq(log, "\n") {
				step := one.Line([]byte(line))
				require.Equal(t, step, two.Line([]byte(line)))
				for _, w := range step.Writes {
					require.NotEmpty(t, w.Key)
					require.NotContains(t, string(w.Line), "\n")
					if line, again := written[w.Key]; again && strings.HasPrefix(w.Key, "prompt") {
						require.Equal(t, line, string(w.Line), "a key is one write")
					}
					written[w.Key] = string(w.Line)
				}
				for _, event := range step.Events {
					ends += bounded(t, event)
					if asked, ok := event.(codingagent.Request); ok {
						one.Answer(asked.ID, codingagent.Answer{Declined: true})
						two.Answer(asked.ID, codingagent.Answer{Declined: true})
					}
				}
			}
			require.LessOrEqual(t, ends, 1, "a turn ends once")
		}
	})
}

// bounded checks an event, and counts ends.
func bounded(t *testing.T, event codingagent.Event) int {
	t.Helper()
	switch e := event.(type) {
	case codingagent.Work:
		require.NotContains(t, e.Title, "\n")
		require.LessOrEqual(t, len([]rune(e.Title)), 200)
		require.LessOrEqual(t, len(e.Output), 4<<10)
		require.LessOrEqual(t, len(e.Files), 50)
	case codingagent.Request:
		require.True(t, e.Approval != nil || len(e.Questions) > 0)
	case codingagent.End:
		require.NotContains(t, e.Error, "\n")
		return 1
	}
	return 0
}

func TestDrivers_IgnoreALineOfMoreThan10MB(t *testing.T) {
	for _, name := range agents.Names() {
		driver, err := agents.New(name, codingagent.Turn{Key: "k"})
		require.NoError(t, err)
		require.Equal(t, codingagent.Step{}, driver.Line([]byte(`{"type":"ready","id":"initialize:k","x":"`+strings.Repeat("a", codingagent.MaxLine)+`"}`)))
	}
}

func TestDrivers_PassNoValueOfThePolicyAsAFlag(t *testing.T) {
	hostile := "--dangerously-bypass"
	for _, name := range agents.Names() {
		driver, err := agents.New(name, codingagent.Turn{
			Key: "k", Thread: hostile, Model: hostile, Effort: hostile, Profile: hostile, Personality: hostile, AddDirs: []string{hostile}, Text: hostile,
		})
		require.NoError(t, err)
		require.NotContains(t, driver.Command(), hostile, name)
	}
}
