package turn_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/llm/llmtest"
)

// A platform sends nothing of an answer without words (https://github.com/NousResearch/hermes-agent/pull/43084,
// https://github.com/agno-agi/agno/issues/6179).
func TestGenerate_SaysWhyAnAnswerHasNoWords(t *testing.T) {
	for finish, say := range map[string]i18n.ID{"content_filter": i18n.ModelFiltered, "length": i18n.ModelCutShort} {
		t.Run(finish, func(t *testing.T) {
			b := setup(t, `call Read {"path":"a.txt"}`)
			b.Sandbox.Put(t, "a.txt", "forty-two\n")
			b.AskForCalls()
			_, err := b.RunTool(t.Context(), 0)
			require.NoError(t, err)
			b.answering(llmtest.Reply{Finish: finish})
			out, err := b.Generate(t.Context(), 1)
			require.NoError(t, err)
			require.Equal(t, finish, out.Finish, "programs read the reason")
			require.Equal(t, chat.RoleNotice, b.LastMessage().Role, "the model does not read it")
			require.Equal(t, i18n.Say(i18n.English, say), b.LastMessage().Content)
		})
	}
}

// Thoughts may use up the limit before the first word.
func TestGenerate_AsksOnceForAFirstAnswerThatItsLimitCutBeforeItsWords(t *testing.T) {
	b := setup(t, "# text")
	b.answering(llmtest.Reply{Reasoning: "hm", Finish: "length"})
	out, err := b.Generate(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, "length", out.Finish)
	require.Equal(t, 1, b.Server.Count())
	require.Equal(t, i18n.Say(i18n.English, i18n.ModelCutShort), b.LastMessage().Content)
}

func TestGenerate_TellsTheModelThatACallWrittenAsTextWasCut(t *testing.T) {
	b := setup(t, "# text")
	b.answering(llmtest.Reply{Text: `<tool_call>{"name":"Read","argum`, Finish: "length"}, llmtest.Reply{Text: "mended"})
	out, err := b.Generate(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, "stop", out.Finish)
	require.Equal(t, 2, b.Server.Count())
}

func TestGenerate_AddsNoNoticeToAnAnswerWithWords(t *testing.T) {
	for _, finish := range []string{"content_filter", "length"} {
		t.Run(finish, func(t *testing.T) {
			b := setup(t, "say hel", "finish "+finish)
			out, err := b.Generate(t.Context(), 0)
			require.NoError(t, err)
			require.Equal(t, finish, out.Finish)
			require.Equal(t, "hel", b.LastMessage().Content)
		})
	}
}

// https://github.com/mastra-ai/mastra/pull/20302
func TestGenerate_TellsTheModelThatItsProviderCouldNotReadItsCall(t *testing.T) {
	b := setup(t, "# text")
	b.answering(llmtest.Reply{Finish: "MALFORMED_FUNCTION_CALL"}, llmtest.Reply{Text: "mended"})
	out, err := b.Generate(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, "stop", out.Finish)
	require.Equal(t, "mended", b.LastMessage().Content)
	require.Equal(t, 2, b.Server.Count())
}

// https://github.com/pydantic/pydantic-ai/issues/4354
func TestGenerate_TellsTheModelThatItsCallWasRefusedAsUnreadable(t *testing.T) {
	b := setup(t, "# text")
	b.answering(llmtest.Reply{Status: 400, Body: `{"error":{"message":"Failed to call a function.","type":"invalid_request_error","code":"tool_use_failed","failed_generation":"<function=Read{"}}`},
		llmtest.Reply{Text: "mended"})
	out, err := b.Generate(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, "stop", out.Finish)
	require.Equal(t, "mended", b.LastMessage().Content)
	require.Equal(t, 2, b.Server.Count())
}

// https://github.com/vllm-project/vllm/pull/46303, https://github.com/jin-bo/agentao/pull/125
func TestGenerate_DoesNotMakeACallThatWasCutBeforeItsArguments(t *testing.T) {
	for name, c := range map[string]struct {
		arguments, finish string
		ran               bool
	}{
		"no arguments, cut":    {"", "length", false},
		"an empty object, cut": {"{}", "length", false},
		"half an object, cut":  {`{"path":"a.t`, "length", false},
		"whole arguments, cut": {`{"path":"a.txt"}`, "length", true},
		"whole arguments":      {`{"path":"a.txt"}`, "tool_calls", true},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t, "# text")
			b.Sandbox.Put(t, "a.txt", "forty-two\n")
			b.answering(llmtest.Reply{Calls: []llmtest.Call{{Name: "Read", Arguments: c.arguments}}, Finish: c.finish})
			out, err := b.Generate(t.Context(), 0)
			require.NoError(t, err)
			require.Len(t, out.Calls, 1)
			if c.arguments == "{}" || c.arguments == "" {
				require.Contains(t, b.LastMessage().ToolCalls[0].Arguments, "cut off")
			}
			ran, err := b.RunTool(t.Context(), 0)
			require.NoError(t, err)
			require.Equal(t, !c.ran, ran.Error)
		})
	}
}
