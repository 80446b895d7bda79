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
	"go.uber.org/goleak"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm"
	"xbot/internal/llm/llmtest"
	"xbot/internal/llm/openai"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "sk-test-0123456789"

// bundle is a client and the scripted provider that it talks to.
type bundle struct {
	*llmtest.Server
	t      *testing.T
	client *openai.Client
}

func setup(t *testing.T) bundle { return setupModel(t, "m", 0) }

func setupModel(t *testing.T, model string, idle time.Duration) bundle {
	t.Helper()
	return setupWith(t, openai.Config{Model: model, IdleTimeout: idle})
}

// setupWith fills in where the provider is.
func setupWith(t *testing.T, cfg openai.Config) bundle {
	t.Helper()
	server := llmtest.New(t)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	cfg.BaseURL, cfg.APIKey, cfg.Transport = server.BaseURL(), key, transport
	client, err := openai.New(cfg)
	require.NoError(t, err)
	return bundle{server, t, client}
}

// replies scripts the answers one after another; the last one repeats.
func (b bundle) replies(replies ...llmtest.Reply) {
	b.Handle(func(r llmtest.Request) llmtest.Reply { return replies[min(r.N, len(replies)-1)] })
}

// ask makes a call with one user message.
func (b bundle) ask(text string) (llm.Answer, *recorder, error) {
	sink := &recorder{t: b.t}
	answer, err := b.client.Generate(b.t.Context(), ask(text), sink)
	return answer, sink, err
}

// origin is what an answer of the provider and model is kept with.
func (b bundle) origin() json.RawMessage {
	return json.RawMessage(`{"origin":"` + strings.TrimPrefix(b.URL(), "http://") + ` m"}`)
}

func ask(text string) llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: "user", Content: text}}}
}

// body returns the n-th recorded request.
func (b bundle) body(n int) map[string]any {
	b.t.Helper()
	var body map[string]any
	require.NoError(b.t, json.Unmarshal(b.Requests()[n].Raw, &body))
	return body
}

// recorder is a sink that remembers.
type recorder struct {
	text, reasoning []string
	tools           []string
	arguments       [][]string // in pieces, by call
	t               *testing.T
	progress        int
	onText          func()
}

func (r *recorder) Text(piece string) {
	r.text = append(r.text, piece)
	if r.onText != nil {
		r.onText()
	}
}
func (r *recorder) Reasoning(piece string) { r.reasoning = append(r.reasoning, piece) }
func (r *recorder) ToolCall(call int, name string) {
	require.Len(r.t, r.tools, call, "calls are counted")
	r.tools = append(r.tools, name)
	r.arguments = append(r.arguments, nil)
}
func (r *recorder) Arguments(call int, piece string) {
	require.Greater(r.t, len(r.tools), call, "the name comes first")
	require.NotEmpty(r.t, piece)
	r.arguments[call] = append(r.arguments[call], piece)
}

// written are the calls as their pieces told them.
func (r *recorder) written() (calls []llm.ToolCall) {
	for n, name := range r.tools {
		calls = append(calls, llm.ToolCall{Name: name, Arguments: strings.Join(r.arguments[n], "")})
	}
	return calls
}

// withoutIDs are calls as pieces tell them.
func withoutIDs(calls []llm.ToolCall) (out []llm.ToolCall) {
	for _, c := range calls {
		out = append(out, llm.ToolCall{Name: c.Name, Arguments: c.Arguments})
	}
	return out
}
func (r *recorder) Progress() { r.progress++ }

func TestGenerate_StreamsTextAndReasoning(t *testing.T) {
	t.Parallel()
	b := setup(t)
	answer, sink, err := b.ask("think let me see\nsay hello, 世界, how are you today?\nchunks 5\nusage 12 7 3")
	require.NoError(t, err)
	require.JSONEq(t, string(b.origin()), string(answer.Opaque), "the thoughts go back to nobody else")
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

func TestGenerate_SendsTheRequestThatProvidersExpect(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const id = "5f0c1f0e-6f9a-4a54-8a07-0b7a3e1c2d4f.0.0"
	_, err := b.client.Generate(t.Context(), llm.Request{
		System: "be brief",
		Messages: []llm.Message{
			{Role: "user", Content: "go"},
			{Role: "assistant", ToolCalls: []llm.ToolCall{{ID: id, Name: "Shell", Arguments: `{"command":`}}},
			{Role: "tool", ToolCallID: id},
			{Role: "user", Content: "and?"},
		},
		Tools:     []llm.Tool{{Name: "Shell", Description: "runs", Parameters: json.RawMessage(`{"type":"object"}`)}, {Name: "Bare"}},
		MaxTokens: 99,
	}, nil)
	require.NoError(t, err)
	body := b.body(0)
	require.Equal(t, true, body["stream"])
	require.Equal(t, map[string]any{"include_usage": true}, body["stream_options"])
	require.Equal(t, float64(99), body["max_tokens"])
	messages := body["messages"].([]any)
	require.Equal(t, map[string]any{"role": "system", "content": "be brief"}, messages[0])
	call := messages[2].(map[string]any)
	content, there := call["content"]
	require.True(t, there, "a message without the field is refused by some")
	require.Nil(t, content)
	sent := call["tool_calls"].([]any)[0].(map[string]any)
	require.Len(t, sent["id"], 9)
	require.JSONEq(t, `{"malformed_arguments":"{\"command\":"}`, sent["function"].(map[string]any)["arguments"].(string))
	require.Equal(t, map[string]any{"role": "tool", "content": "(no output)", "tool_call_id": sent["id"]}, messages[3])
	tools := body["tools"].([]any)
	require.Equal(t, map[string]any{"type": "object", "properties": map[string]any{}}, tools[1].(map[string]any)["function"].(map[string]any)["parameters"])
	require.Equal(t, "Bearer "+key, b.Requests()[0].Header.Get("Authorization"))
}

func TestGenerate_GivesReasoningBackAndFillsGaps(t *testing.T) {
	t.Parallel()
	b := setup(t)
	call := func(id, reasoning string) []llm.Message {
		return []llm.Message{
			{Role: "assistant", Reasoning: reasoning, Opaque: b.origin(), ToolCalls: []llm.ToolCall{{ID: id, Name: "A", Arguments: "{}"}}},
			{Role: "tool", ToolCallID: id, Content: "ok"},
		}
	}
	messages := append(append([]llm.Message{{Role: "user", Content: "a"}}, call("1", "because")...), call("2", "")...)
	messages = append(messages, llm.Message{Role: "assistant", Content: "plain"}, llm.Message{Role: "user", Content: "b"})
	_, err := b.client.Generate(t.Context(), llm.Request{Messages: messages}, nil)
	require.NoError(t, err)
	sent := b.body(0)["messages"].([]any)
	require.Equal(t, "because", sent[1].(map[string]any)["reasoning_content"])
	empty, there := sent[3].(map[string]any)["reasoning_content"]
	require.True(t, there, "a thinking model wants the field on every call")
	require.Equal(t, "", empty)
	require.NotContains(t, sent[5], "reasoning_content")

	_, _, err = b.ask("say x")
	require.NoError(t, err)
	require.NotContains(t, string(b.Requests()[1].Raw), "reasoning_content")
}

func TestGenerate_TakesAnAnswerThatIsNotStreamed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	answer, sink, err := b.ask("plain\nthink hm\nsay both\ncall Shell {\"a\":1}\ncall Shell {\"a\":2}")
	require.NoError(t, err)
	require.Equal(t, "both", answer.Text)
	require.Equal(t, "hm", answer.Reasoning)
	require.Equal(t, []string{`{"a":1}`, `{"a":2}`}, arguments(answer))
	require.Equal(t, []string{"Shell", "Shell"}, sink.tools)
	require.Positive(t, answer.Usage.PromptTokens)
}

func TestGenerate_ToleratesMissingUsage(t *testing.T) {
	t.Parallel()
	answer, _, err := setup(t).ask("say x\nnousage")
	require.NoError(t, err)
	require.Equal(t, "x", answer.Text)
	require.Zero(t, answer.Usage)
}

func TestGenerate_ReturnsAnEmptyAnswerAsOne(t *testing.T) {
	t.Parallel()
	answer, _, err := setup(t).ask("empty")
	require.NoError(t, err)
	require.Empty(t, answer.Text)
	require.Equal(t, llm.FinishStop, answer.Finish)
}

func TestGenerate_FailsOnStreamsThatBreak(t *testing.T) {
	t.Parallel()
	cases := map[string]error{"truncate": llm.ErrTruncated, "reset": llm.ErrNetwork, "garbage": llm.ErrServer, "error": llm.ErrServer}
	for word, want := range cases {
		t.Run(word, func(t *testing.T) {
			t.Parallel()
			answer, _, err := setup(t).ask("say hello world\nchunks 2\ncall Shell {}\n" + word)
			require.ErrorIs(t, err, want)
			require.Equal(t, fault.Unavailable, fault.KindOf(err))
			require.Equal(t, want.Error(), llm.Reason(err))
			require.Contains(t, answer.Text, "hello")
			require.Empty(t, answer.ToolCalls)
		})
	}
}

func TestGenerate_TimesOutWithoutProgress(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"say hello world\nchunks 2\nhang", "delay 1m\nsay x"} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			_, _, err := func() (llm.Answer, *recorder, error) {
				b := setupModel(t, "m", 100*time.Millisecond)
				return b.ask(program)
			}()
			require.ErrorIs(t, err, llm.ErrTimeout)
			require.Equal(t, "timeout", llm.Reason(err))
		})
	}
}

func TestGenerate_ReturnsThePartialAnswerWhenStopped(t *testing.T) {
	t.Parallel()
	b := setup(t)
	stopped := errors.New("stopped by a person")
	ctx, stop := context.WithCancelCause(t.Context())
	sink := &recorder{onText: func() { stop(stopped) }}
	answer, err := b.client.Generate(ctx, ask("stream 1000 20ms"), sink)
	require.Equal(t, stopped, err)
	require.Contains(t, answer.Text, "w1 ")
	require.NotContains(t, answer.Text, "w1000", "the stream was read to its end")
}

func TestGenerate_DoesNotWaitLongForTheEndAfterTheFinishReason(t *testing.T) {
	t.Parallel()
	b := setupModel(t, "m", time.Second)
	b.replies(llmtest.Reply{Body: sse(`{"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}`), Break: llmtest.Hang})
	answer, _, err := b.ask("x")
	require.NoError(t, err)
	require.Equal(t, "hi", answer.Text)
}

func TestGenerate_MapsStatuses(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		kind  fault.Kind
		after time.Duration
	}{
		"fail 429 after 7s slow down":                               {fault.RateLimited, 7 * time.Second},
		"fail 429 after 250ms slow down":                            {fault.RateLimited, 250 * time.Millisecond},
		"fail 429 You exceeded your current quota":                  {fault.RateLimited, 30 * time.Second},
		"fail 400 This model's maximum context length is 10 tokens": {fault.TooLarge, 0},
		"fail 401 wrong key " + key:                                 {fault.Denied, 0},
		"fail 403 not for you":                                      {fault.Denied, 0},
		"fail 404 no such model":                                    {fault.Invalid, 0},
		"fail 400 bad schema":                                       {fault.Invalid, 0},
		"fail 500 oops":                                             {fault.Unavailable, 0},
		"fail 503 after 3s busy":                                    {fault.Unavailable, 3 * time.Second},
	}
	for program, want := range cases {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			_, _, err := b.ask(program)
			require.Equal(t, want.kind, fault.KindOf(err))
			require.Equal(t, want.after, fault.After(err))
			require.NotContains(t, err.Error(), key)
			require.Equal(t, 1, b.Count(), "nothing is retried here")
		})
	}
}

func TestGenerate_SaysWhenTheAddressIsNoModelAPI(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.replies(llmtest.Reply{Body: "<!doctype html>\n<html><body>Welcome</body></html>", Header: http.Header{"Content-Type": {"text/html"}}})
	_, _, err := b.ask("x")
	require.Equal(t, fault.Invalid, fault.KindOf(err))
	require.Contains(t, err.Error(), "it answered with a web page; check the model's name and the base URL")
}

func TestGenerate_IsSafeForManyCallsAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	done := make(chan error, 20)
	for range cap(done) {
		go func() {
			answer, err := b.client.Generate(t.Context(), ask("say many\nchunks 3"), nil)
			if err == nil && answer.Text != "many" {
				err = errors.New("another answer: " + answer.Text)
			}
			done <- err
		}()
	}
	for range cap(done) {
		require.NoError(t, <-done)
	}
}

func TestNew_RefusesWhatCannotWork(t *testing.T) {
	t.Parallel()
	_, err := openai.New(openai.Config{})
	require.EqualError(t, err, "no model is named: set LLM_MODEL to one that the provider offers")
	_, err = openai.New(openai.Config{Model: "m", BaseURL: "api.example.com"})
	require.Equal(t, fault.Invalid, fault.KindOf(err))
}

func TestNew_AcceptsTheWholeAddressOfTheAPI(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t)
	client, err := openai.New(openai.Config{
		BaseURL: server.BaseURL() + "/chat/completions/", Model: "m", Transport: &http.Transport{DisableKeepAlives: true},
	})
	require.NoError(t, err)
	answer, err := client.Generate(t.Context(), ask("say found"), nil)
	require.NoError(t, err)
	require.Equal(t, "found", answer.Text)
	require.Empty(t, server.Requests()[0].Header.Get("Authorization"))
}

func arguments(answer llm.Answer) []string {
	var all []string
	for _, call := range answer.ToolCalls {
		all = append(all, call.Arguments)
	}
	return all
}

// sse makes a stream of events without its end.
func sse(events ...string) string {
	var all strings.Builder
	for _, e := range events {
		all.WriteString("data: " + e + "\n\n")
	}
	return all.String()
}
