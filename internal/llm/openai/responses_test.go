package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm"
	"xbot/internal/llm/llmtest"
	"xbot/internal/llm/openai"
)

// setupResponses is a client of the Responses API before a server that refuses what the real one refuses.
func setupResponses(t *testing.T, model string) bundle {
	t.Helper()
	b := setupWith(t, openai.Config{Model: model, Responses: true})
	b.Strict()
	return b
}

// conversation has everything that a request can hold; the reasoning came from the model r at the host of b.
func (b bundle) conversation() llm.Request {
	opaque := `{"origin":"` + b.Addr() + ` r","items":[
		{"encrypted":"E1","summary":[{"type":"summary_text","text":"first"}]},{"text":7,"phase":"commentary"},{"encrypted":"E2"},{"call":true},{"call":true}]}`
	return llm.Request{
		System: "be brief",
		Messages: []llm.Message{
			{Role: "user", Content: "look", Pictures: []llm.Picture{shown}},
			{Role: "assistant", Content: "I look.", Opaque: json.RawMessage(opaque), Reasoning: "first", ToolCalls: []llm.ToolCall{
				{ID: "a.0", Name: "Read", Arguments: `{"path":"x"}`}, {ID: "a.1", Name: "run it", Arguments: `{"command":`},
			}},
			{Role: "tool", ToolCallID: "a.0", Content: "a picture", Pictures: []llm.Picture{shown}},
			{Role: "tool", ToolCallID: "a.1"},
			{Role: "assistant", Content: "A cat."},
			{Role: "user", Content: "thanks"},
			{Role: "user", Content: "<system-reminder>mind</system-reminder>", Volatile: true},
		},
		Tools: []llm.Tool{
			{Name: "Read", Description: "reads", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"from":{"type":"integer"}},"required":["path"]}`)},
			{Name: "Bare"},
		},
		MaxTokens: 3, Effort: chat.ThinkHigh,
	}
}

func TestResponses_SendsTheRequestThatTheAPIExpects(t *testing.T) {
	t.Parallel()
	b := setupResponses(t, "r")
	_, err := b.client.Generate(t.Context(), b.conversation(), nil)
	require.NoError(t, err)
	sent := b.Requests()[0]
	require.Equal(t, llmtest.Responses, sent.Dialect)
	require.Equal(t, "Bearer "+key, sent.Header.Get("Authorization"))
	first, second := sent.Messages[1].Calls[0].ID, sent.Messages[1].Calls[1].ID
	require.Len(t, first, 9)
	require.JSONEq(t, `{
		"model": "r", "stream": true, "store": false, "instructions": "be brief", "max_output_tokens": 16,
		"include": ["reasoning.encrypted_content"], "reasoning": {"effort": "high", "summary": "auto"},
		"input": [
			{"type": "message", "role": "user", "content": [
				{"type": "input_text", "text": "look"}, {"type": "input_image", "detail": "auto", "image_url": "data:image/png;base64,cDE="}]},
			{"type": "reasoning", "summary": [{"type": "summary_text", "text": "first"}], "encrypted_content": "E1"},
			{"type": "message", "role": "assistant", "content": "I look.", "phase": "commentary"},
			{"type": "reasoning", "summary": [], "encrypted_content": "E2"},
			{"type": "function_call", "call_id": "`+first+`", "name": "Read", "arguments": "{\"path\":\"x\"}"},
			{"type": "function_call", "call_id": "`+second+`", "name": "run_it", "arguments": "{\"malformed_arguments\":\"{\\\"command\\\":\"}"},
			{"type": "function_call_output", "call_id": "`+first+`", "output": [
				{"type": "input_text", "text": "a picture"}, {"type": "input_image", "detail": "auto", "image_url": "data:image/png;base64,cDE="}]},
			{"type": "function_call_output", "call_id": "`+second+`", "output": "(no output)"},
			{"type": "message", "role": "assistant", "content": "A cat."},
			{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "thanks"}]},
			{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "<system-reminder>mind</system-reminder>"}]}],
		"tools": [
			{"type": "function", "name": "Read", "description": "reads", "strict": false, "parameters":
				{"type": "object", "properties": {"path": {"type": "string"}, "from": {"type": "integer"}}, "required": ["path"]}},
			{"type": "function", "name": "Bare", "strict": false, "parameters": {"type": "object", "properties": {}}}]}`, string(sent.Raw))
}

func TestResponses_SendsTheSameBytesForTheSameConversation(t *testing.T) {
	t.Parallel()
	b := setupResponses(t, "r")
	for range 5 {
		_, err := b.client.Generate(t.Context(), b.conversation(), nil)
		require.NoError(t, err)
	}
	for _, r := range b.Requests() {
		require.Equal(t, string(b.Requests()[0].Raw), string(r.Raw))
	}
}

func TestResponses_SendsNeitherLimitNorToolsNorEffortThatNobodyAskedFor(t *testing.T) {
	t.Parallel()
	b := setupResponses(t, "r")
	_, _, err := b.ask("say x")
	require.NoError(t, err)
	for _, field := range []string{"max_output_tokens", "tools", "instructions", "temperature", "previous_response_id"} {
		require.NotContains(t, b.body(0), field)
	}
	require.Equal(t, map[string]any{"summary": "auto"}, b.body(0)["reasoning"])
}

func TestResponses_StreamsTextAndReasoning(t *testing.T) {
	t.Parallel()
	b := setupResponses(t, "m")
	answer, sink, err := b.ask("think let me see\nsay hello, 世界, how are you today?\nchunks 5\nusage 12 7 3")
	require.NoError(t, err)
	require.NotEmpty(t, answer.Opaque)
	answer.Opaque = nil
	require.Equal(t, llm.Answer{
		Text: "hello, 世界, how are you today?", Reasoning: "let me see", Finish: llm.FinishStop, Model: "m",
		Usage: chat.Usage{PromptTokens: 12, CompletionTokens: 7, CachedTokens: 3},
	}, answer)
	require.Len(t, sink.text, 5)
	require.Equal(t, answer.Text, strings.Join(sink.text, ""))
	require.Equal(t, answer.Reasoning, strings.Join(sink.reasoning, ""))
	require.Positive(t, sink.progress)
	require.Equal(t, "openai/m", b.client.Model())
}

// next adds an answer with its results, as the next step of a turn does.
func next(req llm.Request, a llm.Answer) llm.Request {
	req.Messages = append(req.Messages, llm.Message{Role: "assistant", Content: a.Text, Reasoning: a.Reasoning, Opaque: a.Opaque, ToolCalls: a.ToolCalls})
	for _, call := range a.ToolCalls {
		req.Messages = append(req.Messages, llm.Message{Role: "tool", ToolCallID: call.ID, Content: "ok"})
	}
	return req
}

func TestResponses_GivesReasoningBackWithItsCalls(t *testing.T) {
	t.Parallel()
	b := setupResponses(t, "m")
	req := ask("think why not\nsay let me look\ncall Shell {\"a\":1}\ncall Shell {\"command\":\"a command of more than sixteen bytes\"}\nsay done")
	answer, err := b.client.Generate(t.Context(), req, nil)
	require.NoError(t, err)
	require.Equal(t, llm.FinishToolCalls, answer.Finish)
	require.Equal(t, []llm.ToolCall{
		{ID: "call_0_0", Name: "Shell", Arguments: `{"a":1}`}, {ID: "call_0_1", Name: "Shell", Arguments: `{"command":"a command of more than sixteen bytes"}`},
	}, answer.ToolCalls)
	answer, err = b.client.Generate(t.Context(), next(req, answer), nil)
	require.NoError(t, err)
	require.Equal(t, "done", answer.Text)
	given := b.Requests()[1].Messages[1]
	require.Equal(t, "why not", given.Reasoning)
	require.Equal(t, llmtest.Sealed("why not"), given.Signature)
	require.Equal(t, "let me look", given.Content)
	require.Len(t, given.Calls, 2)
}

func TestResponses_KeepsReasoningBackThatDoesNotFit(t *testing.T) {
	t.Parallel()
	b := setupResponses(t, "m")
	whole, _, err := b.ask("think why not\nsay yes\ncall A")
	require.NoError(t, err)
	foreign := whole
	foreign.Opaque = json.RawMessage(strings.Replace(string(whole.Opaque), b.Addr()+" m", "other.example.com m", 1))
	changed := whole
	changed.Text = "yes, but"
	fewer := whole
	fewer.ToolCalls = nil
	broken := whole
	broken.Opaque = json.RawMessage(`{"origin":"` + b.Addr() + ` m","items":[{"encrypted":"E"},{"text":-1},{"text":4},{"call":true}]}`)
	alone := whole
	alone.Opaque = json.RawMessage(`{"origin":"` + b.Addr() + ` m","items":[{"text":3},{"call":true},{"encrypted":"E"}]}`)
	for name, answer := range map[string]llm.Answer{"foreign": foreign, "changed": changed, "fewer": fewer, "broken": broken, "alone": alone} {
		req := next(ask("say x"), answer)
		req.Messages = append(req.Messages, llm.Message{Role: "user", Content: "say y"})
		_, err := b.client.Generate(t.Context(), req, nil)
		require.NoError(t, err, name)
		require.NotContains(t, string(b.Requests()[b.Count()-1].Raw), `"type":"reasoning"`, name)
	}
}

func TestResponses_TakesAnAnswerThatIsNotStreamed(t *testing.T) {
	t.Parallel()
	b := setupResponses(t, "m")
	answer, sink, err := b.ask("plain\nthink hm\nsay both\ncall Shell {\"a\":1}\ncall Shell {\"a\":2}\nusage 12 7 3")
	require.NoError(t, err)
	require.Equal(t, "both", answer.Text)
	require.Equal(t, "hm", answer.Reasoning)
	require.Equal(t, []string{`{"a":1}`, `{"a":2}`}, arguments(answer))
	require.Equal(t, []string{"Shell", "Shell"}, sink.tools)
	require.Equal(t, llm.FinishToolCalls, answer.Finish)
	require.Equal(t, chat.Usage{PromptTokens: 12, CompletionTokens: 7, CachedTokens: 3}, answer.Usage)
	require.Contains(t, string(answer.Opaque), llmtest.Sealed("hm"))
}

func TestResponses_TranslatesHowAnAnswerEnds(t *testing.T) {
	t.Parallel()
	for program, want := range map[string]llm.FinishReason{
		"say x": llm.FinishStop, "say x\nfinish length": llm.FinishLength, "plain\nsay x\nfinish length": llm.FinishLength,
		"say x\nfinish content_filter": llm.FinishContentFilter, "empty": llm.FinishStop, "call A": llm.FinishToolCalls,
		"call A {\"cut\nfinish length": llm.FinishLength, "whole\ncall A": llm.FinishToolCalls, "ids none\ncall A\ncall A": llm.FinishToolCalls,
		"ids same\ncall A\ncall A": llm.FinishToolCalls,
	} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			answer, _, err := setupResponses(t, "m").ask(program)
			require.NoError(t, err)
			require.Equal(t, want, answer.Finish)
			require.Len(t, answer.ToolCalls, strings.Count(program, "call A"))
		})
	}
}

func TestResponses_FailsOnStreamsThatBreak(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]error{"truncate": llm.ErrTruncated, "reset": llm.ErrNetwork, "garbage": llm.ErrServer, "error": llm.ErrServer} {
		t.Run(word, func(t *testing.T) {
			t.Parallel()
			answer, _, err := setupResponses(t, "m").ask("think so\nsay hello world\nchunks 2\ncall Shell {}\n" + word)
			require.ErrorIs(t, err, want)
			require.Equal(t, fault.Unavailable, fault.KindOf(err))
			require.Equal(t, want.Error(), llm.Reason(err))
			require.Contains(t, answer.Text, "hello")
			require.Empty(t, answer.ToolCalls)
			require.Empty(t, answer.Opaque)
			require.Empty(t, answer.Finish)
		})
	}
}

func TestResponses_TimesOutWithoutProgress(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"say hello world\nchunks 2\nhang", "delay 1m\nsay x"} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			b := setupWith(t, openai.Config{Model: "m", Responses: true, IdleTimeout: 100 * time.Millisecond})
			_, _, err := b.ask(program)
			require.ErrorIs(t, err, llm.ErrTimeout)
		})
	}
}

func TestResponses_ReturnsThePartialAnswerWhenStopped(t *testing.T) {
	t.Parallel()
	b := setupResponses(t, "m")
	stopped := errors.New("stopped by a person")
	ctx, stop := context.WithCancelCause(t.Context())
	sink := &recorder{onText: func() { stop(stopped) }}
	answer, err := b.client.Generate(ctx, ask("stream 1000 20ms"), sink)
	require.Equal(t, stopped, err)
	require.Contains(t, answer.Text, "w1 ")
	require.NotContains(t, answer.Text, "w1000", "the stream was read to its end")
}

func TestResponses_MapsStatuses(t *testing.T) {
	t.Parallel()
	for program, want := range map[string]fault.Kind{
		"fail 429 after 7s slow down":                                   fault.RateLimited,
		"fail 400 Your input exceeds the context window of this model.": fault.TooLarge,
		"fail 401 Incorrect API key provided: " + key:                   fault.Denied,
		"fail 403 not for you":                                          fault.Denied,
		"fail 404 no such model":                                        fault.Invalid,
		"fail 400 Invalid schema for function 'Shell'":                  fault.Invalid,
		"fail 400 No tool output found for function call call_x.":       fault.Invalid,
		"fail 500 oops":                   fault.Unavailable,
		"fail 413 Request body too large": fault.TooLarge,
		"fail 400 Invalid 'max_output_tokens' exceeds context length of 10": fault.TooLarge,
	} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			b := setupResponses(t, "m")
			_, _, err := b.ask(program)
			require.Equal(t, want, fault.KindOf(err), "%v", err)
			require.NotContains(t, err.Error(), key)
			require.Equal(t, 1, b.Count(), "nothing is retried here")
		})
	}
}

func TestResponses_SaysThatItsWindowIsFull(t *testing.T) {
	t.Parallel()
	b := setupResponses(t, "m")
	require.NoError(t, b.SetWindow(llmtest.Window{Tokens: 50}))
	_, _, err := b.ask(strings.Repeat("one more word ", 100))
	require.Equal(t, fault.TooLarge, fault.KindOf(err))
}

func TestResponses_AcceptsTheWholeAddressOfTheAPI(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t)
	client, err := openai.New(openai.Config{
		BaseURL: server.BaseURL() + "/responses/", Model: "m", Responses: true, Transport: &http.Transport{DisableKeepAlives: true},
	})
	require.NoError(t, err)
	answer, err := client.Generate(t.Context(), ask("say found"), nil)
	require.NoError(t, err)
	require.Equal(t, "found", answer.Text)
	require.Empty(t, server.Requests()[0].Header.Get("Authorization"))
}
