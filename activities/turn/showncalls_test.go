package turn_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/activities/activitiestest"
	"xbot/internal/automation/hook"
	"xbot/internal/chat"
	"xbot/internal/llm/llmtest"
)

// live puts together what is told of calls while a step is generated.
func (b *fixture) live(step int) (calls map[chat.CallID]chat.ToolCall) {
	b.T.Helper()
	sub := b.Bus.Subscribe(activitiestest.Key)
	defer sub.Close()
	_, err := b.Generate(b.T.Context(), step)
	require.NoError(b.T, err)
	calls = map[chat.CallID]chat.ToolCall{}
	for len(sub.Live()) > 0 {
		var d chat.Delta
		require.NoError(b.T, json.Unmarshal((<-sub.Live()).Data, &d))
		if d.Call == "" {
			continue
		}
		c := calls[d.Call]
		require.Equal(b.T, len(c.Arguments), d.ArgumentsOffset)
		c.Name, c.Arguments = d.ToolName, c.Arguments+d.Arguments
		calls[d.Call] = c
	}
	return calls
}

func TestGenerate_TellsTheArgumentsOfCallsAsTheyAreKept(t *testing.T) {
	b := setup(t, "say x")
	b.Server.Handle(func(llmtest.Request) llmtest.Reply {
		return llmtest.Reply{Calls: []llmtest.Call{
			{Name: "Shell", Arguments: `{"command":"echo 字 \u0000 a long enough line"}`}, {Name: "Sh\x00ell", Arguments: `{"command":"` + "b\x00c" + `"}`}, {Name: "nobodys", Arguments: `{`},
		}}
	})
	told := b.live(0)
	kept := b.LastMessage().ToolCalls
	require.Len(t, told, len(kept))
	for _, c := range kept {
		require.Equal(t, [2]string{c.Name, c.Arguments}, [2]string{told[c.ID].Name, told[c.ID].Arguments})
	}
}

func TestGenerate_TellsNothingOfCallsThatAreDropped(t *testing.T) {
	b := setup(t, "say x")
	b.Server.Handle(func(llmtest.Request) llmtest.Reply {
		reply := llmtest.Reply{}
		for n := range 100 {
			reply.Calls = append(reply.Calls, llmtest.Call{Name: "Shell", Arguments: fmt.Sprintf(`{"command":"echo %d"}`, n)})
		}
		return reply
	})
	told := b.live(0)
	require.Len(t, told, 64)
	for _, c := range b.LastMessage().ToolCalls {
		require.Equal(t, c.Arguments, told[c.ID].Arguments)
	}
}

// hookFiles are hooks that hold everywhere.
type hookFiles struct{ set hook.Set }

func (h hookFiles) For(context.Context, chat.SessionKey) hook.Set { return h.set }

func TestGenerate_TellsNoArgumentsThatAHookMayChange(t *testing.T) {
	b := setup(t, `call Shell {"command":"echo secret"}`+"\n"+`call Read {"path":"a.txt"}`)
	file := hook.Parse([]byte(`{"hooks":{"PreToolUse":[{"matcher":"Shell","hooks":[{"type":"http","url":"https://policy.example/"}]}]}}`), "hooks.json", hook.LayerHome, hook.Grants{})
	require.Empty(t, file.Faults)
	b.Model.Hooks = hookFiles{hook.Merge(file)}
	told := b.live(0)
	shell, read := chat.NewCallID(activitiestest.Turn, 0, 0), chat.NewCallID(activitiestest.Turn, 0, 1)
	require.Equal(t, chat.ToolCall{Name: "Shell"}, told[shell], "people see which call is written")
	require.Equal(t, chat.ToolCall{Name: "Read", Arguments: `{"path":"a.txt"}`}, told[read])
}
