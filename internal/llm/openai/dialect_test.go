package openai_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm"
	"xbot/internal/llm/llmtest"
	"xbot/internal/llm/openai"
)

// refuseUnless answers "ok" to requests that ok accepts and refuses the others with a text.
func (b bundle) refuseUnless(status int, text string, ok func(map[string]any) bool) {
	b.Handle(func(r llmtest.Request) llmtest.Reply {
		if ok(b.body(r.N)) {
			return llmtest.Reply{Text: "ok"}
		}
		return llmtest.Reply{Status: status, Error: text}
	})
}

func limited(text string) llm.Request {
	req := ask(text)
	req.MaxTokens = 50
	return req
}

func TestGenerate_LearnsHowTheProviderWantsALimit(t *testing.T) {
	t.Parallel()
	none := func(body map[string]any) bool { return body["max_tokens"] == nil }
	cases := map[string]struct {
		model, text string
		ok          func(map[string]any) bool
	}{
		"the newer name": {"m", "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
			func(body map[string]any) bool {
				return body["max_completion_tokens"] == float64(50) && body["max_tokens"] == nil
			}},
		"not the newer name": {"gpt-5-mini", "Unknown parameter: max_completion_tokens",
			func(body map[string]any) bool {
				return body["max_tokens"] == float64(50) && body["max_completion_tokens"] == nil
			}},
		"not so high": {"m", "max_tokens is too large: 50. This model supports at most 40 completion tokens", none},
		// https://github.com/anomalyco/opencode/issues/16971
		"not so high, Qwen": {"m", "<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 40]", none},
		// https://github.com/NousResearch/hermes-agent/issues/51793
		"not so high, OpenAI": {"m", "Invalid 'max_tokens': integer above maximum value. Expected a value <= 40, but got 50 instead.", none},
		// https://github.com/RooCodeInc/Roo-Code/issues/5136
		"not so high, Groq": {"m", "`max_tokens` must be less than or equal to `40`, the maximum value for `max_tokens` is less than the `context_window` for this model", none},
		// https://github.com/danny-avila/LibreChat/issues/6494
		"not so high, Bedrock": {"m", "The maximum tokens you requested exceeds the model limit of 40. Try again with a maximum tokens value that is lower than 40.", none},
		// https://github.com/openclaw/openclaw/issues/131797
		"not so high, Ollama": {"m", "max_tokens (50) exceeds model's maximum output tokens (40)", none},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setupModel(t, c.model, 0)
			b.refuseUnless(400, c.text, c.ok)
			_, err := b.client.Generate(t.Context(), limited("x"), nil)
			require.NoError(t, err)
			_, err = b.client.Generate(t.Context(), limited("x"), nil)
			require.NoError(t, err)
			require.Equal(t, 3, b.Count(), "it is learned once")
		})
	}
}

func TestGenerate_GivesReasoningModelsTheNewerLimit(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"gpt-5.2", "o3-mini", "openai/o4-mini", "gpt-6"} {
		b := setupModel(t, model, 0)
		_, err := b.client.Generate(t.Context(), limited("x"), nil)
		require.NoError(t, err)
		require.Equal(t, float64(50), b.body(0)["max_completion_tokens"], model)
	}
	b := setupModel(t, "o365-assistant", 0)
	_, err := b.client.Generate(t.Context(), limited("x"), nil)
	require.NoError(t, err)
	require.Equal(t, float64(50), b.body(0)["max_tokens"])
}

func TestGenerate_LearnsThatPeopleAndModelTakeTurns(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Expected last role User or Tool; Unexpected role 'user' after role 'tool'",
		"Conversation roles must alternate user/assistant/user/assistant/...",
	} {
		b := setup(t)
		b.refuseUnless(400, text, func(body map[string]any) bool { return len(body["messages"].([]any)) == 1 })
		req := ask("x")
		req.Messages = append(req.Messages, llm.Message{Role: "user", Content: "<system-reminder>mind</system-reminder>", Volatile: true})
		_, err := b.client.Generate(t.Context(), req, nil)
		require.NoError(t, err)
		require.Len(t, b.body(0)["messages"], 2, "as it is where that is taken, so that the message stays the same bytes")
		require.Equal(t, "x\n\n<system-reminder>mind</system-reminder>", b.body(1)["messages"].([]any)[0].(map[string]any)["content"])
	}
}

func TestGenerate_LearnsToAskForNoUsage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.refuseUnless(422, "extra fields not permitted: stream_options", func(body map[string]any) bool { return body["stream_options"] == nil })
	answer, _, err := b.ask("x")
	require.NoError(t, err)
	require.Equal(t, "ok", answer.Text)
}

func TestGenerate_AsksForAWholeAnswerWhereAStreamIsRefused(t *testing.T) {
	t.Parallel()
	const verify = "Your organization must be verified to stream this model. Please go to: https://platform.openai.com/settings/organization/general and click on Verify Organization. " +
		"If you just verified, it can take up to 15 minutes for access to propagate."
	plain := func(text string) string {
		return `{"error":{"message":"` + text + `","type":"invalid_request_error","param":"stream","code":"unsupported_value"}}`
	}
	for name, refusal := range map[string]string{
		// https://github.com/continuedev/continue/issues/7129, https://github.com/RooCodeInc/Roo-Code/issues/6868
		"an account": plain(verify),
		// https://github.com/BeehiveInnovations/pal-mcp-server/issues/134
		"an account behind a gateway": `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":` + strconv.Quote(plain(verify)) + `}}}`,
		// https://github.com/animalnots/BetterChatGPT-PLUS/issues/62
		"a model": plain("Unsupported value: 'stream' does not support true with this model. Only the default (false) value is supported."),
		// https://github.com/huggingface/chat-ui/issues/296
		"a model of Hugging Face": `{"error":["Error in ` + "`stream`: `stream`" + ` is not supported for this model"]}`,
		// https://github.com/earendil-works/pi/issues/3739
		"tools": plain("This model doesn't support tool use in streaming mode."),
	} {
		for _, responses := range []bool{false, true} {
			t.Run(fmt.Sprint(name, responses), func(t *testing.T) {
				t.Parallel()
				b := setupWith(t, openai.Config{Model: "m", Responses: responses})
				b.Strict()
				b.Handle(func(r llmtest.Request) llmtest.Reply {
					if r.Stream {
						return llmtest.Reply{Status: 400, Body: refusal, Header: http.Header{"Content-Type": {"application/json"}}}
					}
					return llmtest.Reply{Text: "hi", Reasoning: "hm", Calls: []llmtest.Call{{Name: "A", Arguments: `{"a":1}`}}, Usage: &llmtest.Usage{Prompt: 7, Completion: 3}}
				})
				for range 2 {
					sink := &recorder{t: t}
					answer, err := b.client.Generate(t.Context(), llm.Request{Messages: ask("x").Messages, Tools: []llm.Tool{{Name: "A"}}}, sink)
					require.NoError(t, err)
					require.Equal(t, "hi", answer.Text)
					require.Equal(t, "hm", answer.Reasoning)
					require.Equal(t, []llm.ToolCall{{Name: "A", Arguments: `{"a":1}`}}, withoutIDs(answer.ToolCalls))
					require.Equal(t, chat.Usage{PromptTokens: 7, CompletionTokens: 3}, answer.Usage)
					require.Equal(t, []string{"hi"}, sink.text)
				}
				require.Equal(t, 3, b.Count(), "it is learned once")
				require.Equal(t, false, b.body(2)["stream"])
				require.Nil(t, b.body(2)["stream_options"])
			})
		}
	}
}

func TestGenerate_WaitsForAWholeAnswerAsLongAsAModelMayWork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		generate := func(takes time.Duration) (llm.Answer, error) {
			client, err := openai.New(openai.Config{BaseURL: "http://host/v1", Model: "m", Transport: streamless(takes)})
			require.NoError(t, err)
			return client.Generate(t.Context(), ask("x"), nil)
		}
		answer, err := generate(9 * time.Minute)
		require.NoError(t, err)
		require.Equal(t, "hi", answer.Text)
		_, err = generate(11 * time.Minute)
		require.ErrorIs(t, err, llm.ErrTimeout)
		require.ErrorContains(t, err, "sent nothing for 10m0s")
	})
}

// streamless is a provider that refuses to stream and takes its time to answer.
type streamless time.Duration

func (s streamless) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	reply := func(status int, text string) (*http.Response, error) {
		return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(text)), Request: r}, nil
	}
	if strings.Contains(string(body), `"stream":true`) {
		return reply(http.StatusBadRequest, `{"error":{"message":"Your organization must be verified to stream this model."}}`)
	}
	select {
	case <-time.After(time.Duration(s)):
		return reply(http.StatusOK, `{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]}`)
	case <-r.Context().Done():
		return nil, context.Cause(r.Context())
	}
}

func TestGenerate_DoesNotStreamTheSameTextTwice(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.replies(llmtest.Reply{Body: sse(delta(`{"content":"hello"}`), `{"error":{"code":400,"message":"stream_options is not supported"}}`)})
	_, sink, err := b.ask("x")
	require.Equal(t, fault.Invalid, fault.KindOf(err))
	require.Equal(t, []string{"hello"}, sink.text)
	require.Equal(t, 1, b.Count())
}

func TestGenerate_LearnsWhatBecomesOfReasoning(t *testing.T) {
	t.Parallel()
	history := func(b bundle, reasoning string) llm.Request {
		return llm.Request{Messages: []llm.Message{
			{Role: "user", Content: "a"},
			{Role: "assistant", Reasoning: reasoning, Opaque: b.origin(), ToolCalls: []llm.ToolCall{{ID: "1", Name: "A"}}},
			{Role: "tool", ToolCallID: "1", Content: "ok"},
		}}
	}
	hasField := func(body map[string]any) bool {
		_, there := body["messages"].([]any)[1].(map[string]any)["reasoning_content"]
		return there
	}
	t.Run("refused", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		b.refuseUnless(400, "'messages.1': property 'reasoning_content' is unsupported", func(body map[string]any) bool { return !hasField(body) })
		_, err := b.client.Generate(t.Context(), history(b, "because"), nil)
		require.NoError(t, err)
	})
	t.Run("missed", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		b.refuseUnless(400, "The reasoning_content in the thinking mode must be passed back to the API.", hasField)
		_, err := b.client.Generate(t.Context(), history(b, ""), nil)
		require.NoError(t, err)
	})
	t.Run("never satisfied", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		b.refuseUnless(400, "reasoning_content must be better", func(map[string]any) bool { return false })
		_, err := b.client.Generate(t.Context(), history(b, ""), nil)
		require.Equal(t, fault.Invalid, fault.KindOf(err))
		require.Equal(t, 2, b.Count())
	})
}

func TestGenerate_MarksCallsOfOthersWhereSignaturesAreMissed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	signed := func(body map[string]any) bool {
		call := body["messages"].([]any)[1].(map[string]any)["tool_calls"].([]any)[0].(map[string]any)
		return call["extra_content"] != nil
	}
	b.refuseUnless(400, "Function call is missing a thought_signature in functionCall parts.", signed)
	_, err := b.client.Generate(t.Context(), llm.Request{Messages: []llm.Message{
		{Role: "user", Content: "a"},
		{Role: "assistant", ToolCalls: []llm.ToolCall{{ID: "1", Name: "A"}, {ID: "2", Name: "A"}}},
		{Role: "tool", ToolCallID: "1", Content: "ok"},
		{Role: "tool", ToolCallID: "2", Content: "ok"},
	}}, nil)
	require.NoError(t, err)
	require.Equal(t, 2, b.Count())
	require.Equal(t, 1, strings.Count(string(b.Requests()[1].Raw), "skip_thought_signature_validator"), "the first call of an answer is enough")
}

func TestGenerate_GivesNothingBackWhereStateIsRefused(t *testing.T) {
	t.Parallel()
	for _, refusal := range []string{
		"Corrupted thought signature.", "messages.1.content.0: Invalid `signature` in `thinking` block",
		"body.messages.1.assistant.reasoning_details: Extra inputs are not permitted", "messages.1.x_state: Extra inputs are not permitted",
	} {
		t.Run(refusal, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.refuseUnless(400, refusal, func(body map[string]any) bool {
				return body["messages"].([]any)[1].(map[string]any)["x_state"] == nil
			})
			kept := json.RawMessage(strings.TrimSuffix(string(b.origin()), "}") + `,"fields":{"x_state":"S"}}`)
			_, err := b.client.Generate(t.Context(), llm.Request{Messages: []llm.Message{
				{Role: "user", Content: "a"}, {Role: "assistant", Content: "b", Opaque: kept}, {Role: "user", Content: "c"},
			}}, nil)
			require.NoError(t, err)
			require.Equal(t, 2, b.Count())
		})
	}
}

// https://github.com/tailcallhq/forgecode/issues/1195, https://github.com/microsoft/vscode/issues/282326
func TestGenerate_GivesNoThoughtsBackWithoutThinkingWhereThatIsRefused(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]string{
		"OpenRouter": `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"messages.11.content.0: When thinking is disabled, an ` +
			"`assistant` message in the final position cannot contain `thinking`. To use thinking blocks, enable `thinking`" + ` in your request.\"}}","provider_name":"Google"}}}`,
		"Copilot": `{"error":{"message":"messages.1.content.0: When thinking is disabled, an assistant message in the final position cannot contain thinking. To use thinking blocks, enable thinking in your request.","code":"invalid_request_body"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.Handle(func(r llmtest.Request) llmtest.Reply {
				if raw := string(r.Raw); !strings.Contains(raw, `"high"`) && (strings.Contains(raw, "reasoning_details") || strings.Contains(raw, "reasoning_content")) {
					return llmtest.Reply{Status: 400, Body: refusal, Header: http.Header{"Content-Type": {"application/json"}}}
				}
				return llmtest.Reply{Text: "ok"}
			})
			kept := json.RawMessage(strings.TrimSuffix(string(b.origin()), "}") + `,"fields":{"reasoning_details":[{"text":"hm"}]}}`)
			req := llm.Request{Messages: []llm.Message{
				{Role: "user", Content: "a"}, {Role: "assistant", Reasoning: "hm", Opaque: kept, ToolCalls: []llm.ToolCall{{ID: "1", Name: "A"}}}, {Role: "tool", ToolCallID: "1", Content: "ok"},
			}}
			for _, level := range []string{chat.ThinkOff, "", chat.ThinkHigh} {
				req.Effort = level
				_, err := b.client.Generate(t.Context(), req, nil)
				require.NoError(t, err)
			}
			require.Equal(t, 4, b.Count(), "it is learned once")
			require.Contains(t, string(b.Requests()[3].Raw), "reasoning_details", "a request that thinks has them")
		})
	}
}

func TestGenerate_ExplainsModelsWhoseToolsAreElsewhere(t *testing.T) {
	t.Parallel()
	req := ask("x")
	req.Tools = []llm.Tool{{Name: "A"}}
	b := setupModel(t, "gpt-6-astra", 0)
	_, err := b.client.Generate(t.Context(), req, nil)
	require.Equal(t, fault.Invalid, fault.KindOf(err))
	require.Contains(t, err.Error(), "takes tools only through OpenAI's Responses API")

	b = setupModel(t, "gpt-6-sol", 0)
	_, err = b.client.Generate(t.Context(), req, nil)
	require.NoError(t, err)
	require.Equal(t, "none", b.body(0)["reasoning_effort"])
}

// https://github.com/anomalyco/opencode/issues/40770
func TestGenerate_LearnsFromARefusalInsideAStream(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.replies(
		llmtest.Reply{Body: sse(`{"error":{"code":"invalid_parameter_error","message":"Range of max_tokens should be [1, 40]","type":"invalid_request_error"}}`)},
		llmtest.Reply{Text: "ok"})
	answer, err := b.client.Generate(t.Context(), limited("x"), nil)
	require.NoError(t, err)
	require.Equal(t, "ok", answer.Text)
	require.Nil(t, b.body(1)["max_tokens"])
}
