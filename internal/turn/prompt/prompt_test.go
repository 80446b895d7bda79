package prompt_test

import (
	"embed"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tiktoken-go/tokenizer"
	"pgregory.net/rapid"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/llm"
	"xbot/internal/testing/goldentest"
	"xbot/internal/tool"
	"xbot/internal/tool/ask"
	toolcontext "xbot/internal/tool/context"
	"xbot/internal/tool/file"
	toollogs "xbot/internal/tool/logs"
	notes "xbot/internal/tool/memory"
	"xbot/internal/tool/shell"
	"xbot/internal/tool/task"
	"xbot/internal/tool/todo"
	"xbot/internal/tool/tooltest"
	tooltrigger "xbot/internal/tool/trigger"
	"xbot/internal/tool/web"
	"xbot/internal/turn/prompt"
)

//go:embed testdata
var testdata embed.FS

// allTools are the tools of the product, made anew at each call as each process makes them.
func allTools() []tool.Spec { return registry().Specs() }

func registry() *tool.Registry {
	memory := tooltest.NewMemory()
	return tool.New(
		shell.New(), ask.New(), file.NewRead(nil), file.NewCreate(), file.NewReplace(memory), file.NewGlob(), file.NewGrep(),
		file.NewCd(memory, memory), todo.NewWrite(memory), todo.NewList(memory, memory), notes.NewWrite(nil), notes.NewList(nil, nil),
		web.NewDownload(nil, ""), task.NewStatus(nil), task.NewRead(nil, nil), task.NewWait(nil), task.NewKill(nil, task.Killer{}),
		toolcontext.NewOffloadRecall(nil), toolcontext.NewEdit(nil), toolcontext.NewRecallMasked(nil),
		tooltrigger.New(nil), toollogs.New(nil, nil),
	)
}

// conversation is a transcript with everything in it that a transcript may hold.
func conversation() []chat.Line {
	return []chat.Line{
		{Preface: "[2026-11-21 Sat 04:00 UTC · folder /src]", Message: chat.Message{Role: chat.RoleUser, Content: "What is in here?\nBe brief."}},
		{Opaque: []byte(`{"signature":"s"}`), Message: chat.Message{
			Role: chat.RoleAssistant, Content: "Let me look.", Reasoning: "A listing and a file will tell.",
			ToolCalls: []chat.ToolCall{
				{ID: "t1.0.0", ProviderID: "call_0", Name: "Glob", Arguments: `{"pattern":"*"}`, State: chat.CallDone, Result: "a.go\nb.go"},
				{ID: "t1.0.1", ProviderID: "call_0", Name: "Read", Arguments: `{"path":`, State: chat.CallDone, Result: "Error: the arguments are no JSON", IsError: true},
				{ID: "t1.0.2", ProviderID: "call_0", Name: "Shell", Arguments: `{"command":"make"}`, State: chat.CallRunning, Result: "half of it"},
				{ID: "t1.0.3", ProviderID: "call_0", Name: "Shell", Arguments: `{"command":"ls"}`, State: chat.CallOpen},
			},
		}},
		{Message: chat.Message{Role: chat.RoleNotice, Content: "Stopped."}},
		{Preface: "[2026-11-21 Sat 04:05 UTC · folder /src]", Message: chat.Message{Role: chat.RoleUser, Content: "再试一次"}},
		{Message: chat.Message{Role: chat.RoleAssistant, Content: "两个文件。"}},
		{Message: chat.Message{Role: chat.RoleUser, Content: "Thanks"}},
	}
}

func TestRequest_TellsAConversationAsTheModelReadsIt(t *testing.T) {
	r := prompt.Request(prompt.Base(), conversation(), nil)
	var b strings.Builder
	for _, m := range r.Messages {
		fmt.Fprintf(&b, "%s %s error=%t\n", m.Role, m.ToolCallID, m.IsError)
		for _, part := range [][2]string{{"content", m.Content}, {"reasoning", m.Reasoning}, {"opaque", string(m.Opaque)}} {
			fmt.Fprintf(&b, "  %s %q\n", part[0], part[1])
		}
		for _, c := range m.ToolCalls {
			fmt.Fprintf(&b, "  call %s %s %s\n", c.ID, c.Name, c.Arguments)
		}
	}
	goldentest.Equal(t, testdata, "testdata/conversation.golden", b.String())
}

func TestRequest_EveryCallHasItsPair(t *testing.T) {
	states := []chat.CallState{chat.CallOpen, chat.CallRunning, chat.CallDone}
	rapid.Check(t, func(t *rapid.T) {
		var lines []chat.Line
		for i := range rapid.IntRange(0, 8).Draw(t, "lines") {
			role := rapid.SampledFrom([]chat.Role{chat.RoleUser, chat.RoleAssistant, chat.RoleNotice}).Draw(t, "role")
			m := chat.Message{Role: role, Content: rapid.String().Draw(t, "content")}
			for n := range rapid.IntRange(0, 4).Draw(t, "calls") {
				m.ToolCalls = append(m.ToolCalls, chat.ToolCall{
					ID: chat.NewCallID("t", i, n), ProviderID: "call_0", Name: "Read",
					State: rapid.SampledFrom(states).Draw(t, "state"), Result: rapid.String().Draw(t, "result"),
				})
			}
			lines = append(lines, chat.Line{Message: m})
		}
		messages := prompt.Request(prompt.Base(), lines, nil).Messages
		for i := 0; i < len(messages); i++ {
			if messages[i].Role == "tool" {
				t.Fatalf("message %d is a result without a call", i)
			}
			for n, call := range messages[i].ToolCalls {
				result := messages[i+1+n]
				if result.Role != "tool" || result.ToolCallID != call.ID {
					t.Fatalf("call %s is not followed by its result", call.ID)
				}
			}
			i += len(messages[i].ToolCalls)
		}
	})
}

func TestRequest_ACallWithoutAResultIsUnknownAndNotWhatItPrintedSoFar(t *testing.T) {
	for _, m := range prompt.Request(prompt.Base(), conversation(), nil).Messages {
		switch m.ToolCallID {
		case "t1.0.2", "t1.0.3":
			require.Equal(t, i18n.Say(i18n.English, i18n.CallUnknown), m.Content)
			require.True(t, m.IsError)
		case "t1.0.0":
			require.False(t, m.IsError)
		}
		require.NotContains(t, m.Content, "Stopped.", "notices are for people")
	}
}

func TestCompose_ResultsOfAProgramAreToldWhereAnotherAnswerCameBetween(t *testing.T) {
	user := func(id int, origin, content string) chat.Line {
		return chat.Line{Message: chat.Message{ID: chat.MessageID(id), Role: chat.RoleUser, Origin: origin, Content: content}}
	}
	call := chat.Line{Message: chat.Message{ID: 2, Role: chat.RoleAssistant, ToolCalls: []chat.ToolCall{{ID: "t.0.0", Name: "get_weather", Class: chat.ClassClient, State: chat.CallDone, Result: "sunny"}}}}
	answer := chat.Line{Message: chat.Message{ID: 4, Role: chat.RoleAssistant, Content: "I wait."}}
	results := user(5, chat.OriginClient, "[Results]")
	for name, c := range map[string]struct {
		lines []chat.Line
		roles []string
	}{
		"at once":         {[]chat.Line{user(1, "", "weather?"), call, results}, []string{"user", "assistant", "tool"}},
		"later":           {[]chat.Line{user(1, "", "weather?"), call, user(3, "", "well?"), answer, results}, []string{"user", "assistant", "tool", "user", "assistant", "user"}},
		"with a question": {[]chat.Line{user(1, "", "weather?"), call, results, user(6, "", "and?")}, []string{"user", "assistant", "tool", "user"}},
	} {
		for _, r := range []llm.Request{prompt.Request("", c.lines, nil), prompt.Compose("", nil, chat.Window{Lines: c.lines}, chat.Sent{})} {
			var roles []string
			for _, m := range r.Messages {
				roles = append(roles, m.Role)
			}
			require.Equal(t, c.roles, roles, name)
		}
	}
}

func TestStatic_IsTheSameBytesInEveryStepAndProcess(t *testing.T) {
	lines := conversation()
	first := prompt.Static(prompt.Request(prompt.Base(), nil, allTools()))
	for n := range lines {
		require.Equal(t, first, prompt.Static(prompt.Request(prompt.Base(), lines[:n], allTools())))
	}
	for _, spec := range allTools() {
		require.Contains(t, first, "## tool "+spec.Name+"\n")
		require.Contains(t, first, string(spec.Parameters))
	}
	require.NotContains(t, first, "2026", "what changes with time stands with the messages")
}

func TestRequest_KeepsItsPrefixAsTheConversationGrows(t *testing.T) {
	lines := conversation()
	before := []llm.Message{}
	for n := range lines {
		now := prompt.Request(prompt.Base(), lines[:n+1], nil).Messages
		require.Equal(t, before, now[:len(before)], "a provider's cache needs the same beginning")
		before = append([]llm.Message(nil), now...)
	}
}

// TestRequest_AGreetingCostsLittle checks the budget of a greeting: system prompt and tool schemas of "hello".
func TestRequest_AGreetingCostsLittle(t *testing.T) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	require.NoError(t, err)
	lines := []chat.Line{{Preface: "[2026-11-21 Sat 04:00 UTC]", Message: chat.Message{Role: chat.RoleUser, Content: "hello"}}}
	r := prompt.Request(newWorld(t).system(), lines, allTools())
	require.Contains(t, r.System, "renders Markdown", "all parts that a new conversation has")
	text := prompt.Static(r)
	for _, m := range r.Messages {
		text += fmt.Sprintln(m.Role, m.Content)
	}
	tokens, _, err := codec.Encode(text)
	require.NoError(t, err)
	t.Logf("%d tokens", len(tokens))
	require.LessOrEqual(t, len(tokens), 2500, "the goal; the budget is 4000")
}
