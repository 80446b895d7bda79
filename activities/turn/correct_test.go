package turn_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/llm/llmtest"
)

// answering makes the model give these answers, one a request, the last one again and again.
func (b *fixture) answering(replies ...llmtest.Reply) {
	n := 0
	b.Server.Handle(func(llmtest.Request) llmtest.Reply {
		n++
		return replies[min(n, len(replies))-1]
	})
}

func TestGenerate_ReadsCallsThatWereWrittenAsText(t *testing.T) {
	b := setup(t, "# text")
	b.answering(llmtest.Reply{Text: "I look.\n<tool_call>\n{\"name\":\"Read\",\"arguments\":{\"path\":\"a.go\"}}\n</tool_call>"})
	out, err := b.Generate(t.Context(), 0)
	require.NoError(t, err)
	require.Len(t, out.Calls, 1)
	require.Equal(t, "Read", out.Calls[0].Name)
	require.Equal(t, "I look.", b.LastMessage().Content)
	require.Equal(t, 1, b.Server.Count())
}

func TestGenerate_TellsTheModelOnceWhatWasWrongWithItsAnswer(t *testing.T) {
	for name, first := range map[string]llmtest.Reply{
		"a call as text that names no tool": {Text: `<tool_call>{"name":"NoSuchTool","arguments":{}}</tool_call>`},
		"reasoning only":                    {Reasoning: "hm"},
		"reasoning and white space":         {Reasoning: "hm", Text: " \n"},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t, "# text")
			b.answering(first, llmtest.Reply{Text: "mended"})
			out, err := b.Generate(t.Context(), 0)
			require.NoError(t, err)
			require.Equal(t, "stop", out.Finish)
			require.Equal(t, "mended", b.LastMessage().Content)
			requests := b.Server.Requests()
			require.Len(t, requests, 2)
			require.NotEqual(t, requests[0].Messages, requests[1].Messages, "the model is told what was wrong")
			last := requests[1].Messages[len(requests[1].Messages)-1]
			require.Contains(t, last.Content, "Your last answer held")
		})
	}
}

func TestGenerate_EndsWellWithAnEmptyAnswerAfterTools(t *testing.T) {
	for name, text := range map[string]string{"nothing": "", "white space": " \n "} {
		t.Run(name, func(t *testing.T) {
			b := setup(t, `call Read {"path":"a.txt"}`)
			b.Sandbox.Put(t, "a.txt", "forty-two\n")
			b.AskForCalls()
			_, err := b.RunTool(t.Context(), 0)
			require.NoError(t, err)
			b.answering(llmtest.Reply{Text: text})
			out, err := b.Generate(t.Context(), 1)
			require.NoError(t, err)
			require.Equal(t, "stop", out.Finish)
			require.Empty(t, out.Calls)
			require.Equal(t, 2, b.Server.Count())
			require.Equal(t, chat.RoleNotice, b.LastMessage().Role, "the model does not read it")
			require.Equal(t, i18n.Say(i18n.English, i18n.ModelSilent), b.LastMessage().Content)
		})
	}
}

func TestGenerate_TakesWhiteSpaceForAnEmptyAnswer(t *testing.T) {
	b := setup(t, "# text")
	b.answering(llmtest.Reply{Text: " \n"}, llmtest.Reply{Text: "here"})
	_, err := b.Generate(t.Context(), 0)
	require.ErrorContains(t, err, "empty answer")
	_, err = b.Generate(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, "here", b.LastMessage().Content)
}
