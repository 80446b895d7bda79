package prompt_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"xbot/internal/chat"
	"xbot/internal/llm"
	"xbot/internal/llm/anthropic"
	"xbot/internal/llm/llmtest"
	"xbot/internal/llm/openai"
	"xbot/internal/turn/prompt"
)

// texts are what rows may hold at worst: nothing, blanks, NUL, bytes that are no text, JSON that is none.
var texts = rapid.OneOf(
	rapid.SampledFrom([]string{"", " ", "\n\t", "\x00", "a\x00b", "\xff\xfe", "{", `{"a":1}`, "[1]", "null", `"x"`, "hello", "你好", "<system-reminder>"}),
	rapid.StringN(0, 40, 200),
)

func drawCall(t *rapid.T, id chat.CallID) chat.ToolCall {
	return chat.ToolCall{
		ID: id, ProviderID: "call_0", Name: rapid.OneOf(rapid.SampledFrom([]string{"Read", "", "no such tool", "工具", "a.b/c"}), texts).Draw(t, "name"),
		Arguments: texts.Draw(t, "arguments"), Result: texts.Draw(t, "result"), IsError: rapid.Bool().Draw(t, "is error"),
		State:   rapid.SampledFrom([]chat.CallState{chat.CallOpen, chat.CallRunning, chat.CallDone}).Draw(t, "state"),
		Offload: rapid.SampledFrom([]string{"", "ol_0123456789"}).Draw(t, "offload"),
	}
}

// drawWindow makes a conversation as no program would write it, with records about what may not be there.
func drawWindow(t *rapid.T) chat.Window {
	w := chat.Window{Session: "agent:main:web:thread:t", Upto: 99}
	calls := []chat.CallID{"t.none.0"}
	for i := range rapid.IntRange(0, 12).Draw(t, "lines") {
		role := rapid.SampledFrom([]chat.Role{chat.RoleUser, chat.RoleAssistant, chat.RoleAssistant, chat.RoleNotice, ""}).Draw(t, "role")
		m := chat.Message{ID: chat.MessageID(i + 1), Turn: "t", Step: i, Role: role, Content: texts.Draw(t, "content"), Reasoning: texts.Draw(t, "reasoning")}
		for n := range rapid.IntRange(0, 3).Draw(t, "calls") {
			id := chat.NewCallID("t", i, n)
			if rapid.IntRange(0, 9).Draw(t, "repeated") == 0 {
				id = calls[len(calls)-1]
			}
			calls = append(calls, id)
			m.ToolCalls = append(m.ToolCalls, drawCall(t, id))
		}
		opaque := rapid.SampledFrom([]string{"", "{", `{"origin":"x","blocks":[{"call":true},{"text":-1}]}`, "null"}).Draw(t, "opaque")
		w.Lines = append(w.Lines, chat.Line{Message: m, Preface: texts.Draw(t, "preface"), Opaque: []byte(opaque)})
	}
	some := func(label string) (chat.MessageID, chat.CallID) {
		return chat.MessageID(rapid.IntRange(0, 14).Draw(t, label)), rapid.SampledFrom(calls).Draw(t, label)
	}
	for i := range rapid.IntRange(0, 6).Draw(t, "controls") {
		id, call := some("about")
		c := chat.Control{ID: chat.ControlID(i + 1), Message: id}
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			c.Kind, c.Masks = chat.ControlMask, []chat.Mask{{ID: "mk_0123456789", Message: id, Call: call, Text: texts.Draw(t, "mask")}}
		case 1:
			c.Kind, c.Stale = chat.ControlStale, &chat.Stale{Offload: "ol_0123456789", Call: call, Path: texts.Draw(t, "path")}
		case 2:
			action := rapid.SampledFrom([]string{chat.EditDelete, chat.EditDeleteTurn, chat.EditTruncate, chat.EditReplace, ""}).Draw(t, "action")
			c.Kind, c.Edit = chat.ControlEdit, &chat.Edit{Action: action, Message: id, Call: call, Turn: "t", Old: texts.Draw(t, "old"), Regex: rapid.Bool().Draw(t, "regex")}
		default:
			c.Kind, c.Undo = chat.ControlUndo, chat.ControlID(rapid.IntRange(0, 6).Draw(t, "undone"))
		}
		w.Controls = append(w.Controls, c)
	}
	if rapid.Bool().Draw(t, "compacted") {
		w.Compaction = &chat.Control{ID: 50, Kind: chat.ControlCompact, Compaction: &chat.Compaction{Summary: texts.Draw(t, "summary")}}
	}
	return w
}

func TestCompose_NoRowMakesAConversationImpossible(t *testing.T) {
	server := llmtest.New(t)
	server.Strict()
	server.Handle(func(llmtest.Request) llmtest.Reply { return llmtest.Reply{Text: "ok"} })
	first, err := openai.New(openai.Config{BaseURL: server.BaseURL(), Model: "m"})
	require.NoError(t, err)
	second, err := anthropic.New(anthropic.Config{BaseURL: server.URL(), Model: "m", APIKey: "k"})
	require.NoError(t, err)
	rapid.Check(t, func(rt *rapid.T) {
		w := drawWindow(rt)
		sent := chat.Sent{
			Reminder: rapid.SampledFrom([]string{"", "<system-reminder>\nx\n</system-reminder>"}).Draw(rt, "reminder"),
			Fill:     rapid.SampledFrom([]float64{0, 0.4, 0.9}).Draw(rt, "fill"),
		}
		r := prompt.Compose("system", nil, w, sent)
		before, _ := prompt.Digest(r)
		for _, client := range []llm.Client{first, second} {
			_, err := client.Generate(t.Context(), r, nil)
			require.NoError(rt, err)
		}
		after, _ := prompt.Digest(prompt.Compose("system", nil, w, sent))
		require.Equal(rt, before, after, "the same rows make the same request")
	})
}

func TestRebuild_TakesASystemPromptApartFromItsTools(t *testing.T) {
	tools := prompt.Request("", nil, allTools()).Tools
	w := chat.Window{Lines: conversation()}
	for _, system := range []string{prompt.Base(), "a prompt with\n\n## tool Fake\nin it\n{}"} {
		r := prompt.Compose(system, tools, w, chat.Sent{Reminder: "mind"})
		sum, size := prompt.Digest(r)
		require.Positive(t, size)
		again, exact := prompt.Rebuild(chat.SentStep{Sent: chat.Sent{Reminder: "mind", Hash: sum}, Window: w, System: system, Static: prompt.Static(r)})
		require.True(t, exact, system)
		require.Equal(t, r, again)
		_, exact = prompt.Rebuild(chat.SentStep{Sent: chat.Sent{Reminder: "other", Hash: sum}, Window: w, System: system, Static: prompt.Static(r)})
		require.False(t, exact)
	}
}
