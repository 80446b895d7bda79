package anthropic_test

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
	"xbot/internal/llm/anthropic"
	"xbot/internal/llm/llmtest"
	"xbot/internal/llm/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "sk-ant-test-0123456789"

// bundle is a client and the scripted provider that it talks to.
type bundle struct {
	*llmtest.Server
	t         *testing.T
	transport *http.Transport
	client    *anthropic.Client
}

func setup(t *testing.T) bundle { return setupWith(t, anthropic.Config{Model: "claude-x"}) }

func setupWith(t *testing.T, cfg anthropic.Config) bundle {
	t.Helper()
	b := bundle{Server: llmtest.New(t), t: t, transport: &http.Transport{}}
	t.Cleanup(b.transport.CloseIdleConnections)
	b.client = b.another(cfg)
	return b
}

// another is a second client of the same provider.
func (b bundle) another(cfg anthropic.Config) *anthropic.Client {
	b.t.Helper()
	cfg.BaseURL, cfg.APIKey, cfg.Transport = b.URL(), key, b.transport
	client, err := anthropic.New(cfg)
	require.NoError(b.t, err)
	return client
}

func (b bundle) ask(text string) (llm.Answer, *recorder, error) {
	sink := &recorder{t: b.t}
	answer, err := b.client.Generate(b.t.Context(), ask(text), sink)
	return answer, sink, err
}

func ask(text string) llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: "user", Content: text}}}
}

func (b bundle) body(n int) map[string]any {
	b.t.Helper()
	var body map[string]any
	require.NoError(b.t, json.Unmarshal(b.Requests()[n].Raw, &body))
	return body
}

// recorder is a sink that remembers.
type recorder struct {
	text, reasoning, tools []string
	arguments              [][]string // in pieces, by call
	t                      *testing.T
	progress               int
	onText                 func()
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

func TestGenerate_StreamsTextAndThinking(t *testing.T) {
	t.Parallel()
	b := setup(t)
	answer, sink, err := b.ask("think let me see\nsay hello, 世界, how are you today?\nchunks 5\nusage 12 7 3")
	require.NoError(t, err)
	require.Equal(t, "hello, 世界, how are you today?", answer.Text)
	require.Equal(t, "let me see", answer.Reasoning)
	require.Equal(t, llm.FinishStop, answer.Finish)
	require.Equal(t, chat.Usage{PromptTokens: 12, CachedTokens: 3, CompletionTokens: 7}, answer.Usage)
	require.Equal(t, "claude-x", answer.Model)
	require.Len(t, sink.text, 5)
	require.Equal(t, answer.Text, strings.Join(sink.text, ""))
	require.Equal(t, answer.Reasoning, strings.Join(sink.reasoning, ""))
	require.Positive(t, sink.progress)
	require.Equal(t, "anthropic/claude-x", b.client.Model())
}

func TestGenerate_CallsTools(t *testing.T) {
	t.Parallel()
	answer, sink, err := setup(t).ask("say looking\ncall Shell {\"command\":\"a long enough command\"}\ncall todo_list")
	require.NoError(t, err)
	require.Equal(t, []llm.ToolCall{
		{ID: "call_0_0", Name: "Shell", Arguments: `{"command":"a long enough command"}`}, {ID: "call_0_1", Name: "todo_list", Arguments: "{}"},
	}, answer.ToolCalls)
	require.Equal(t, llm.FinishToolCalls, answer.Finish)
	require.Equal(t, withoutIDs(answer.ToolCalls), sink.written())
	require.Len(t, sink.arguments[0], 3, "as they came")
	require.Equal(t, "looking", answer.Text)
	require.Nil(t, answer.Opaque)
}

// next returns the conversation after an answer with one call.
func next(req llm.Request, answer llm.Answer) llm.Request {
	m := llm.Message{Role: "assistant", Content: answer.Text, Reasoning: answer.Reasoning, Opaque: answer.Opaque}
	for i, call := range answer.ToolCalls {
		id := "5f0c1f0e-6f9a-4a54-8a07-0b7a3e1c2d4f.0." + string(rune('0'+i))
		m.ToolCalls = append(m.ToolCalls, llm.ToolCall{ID: id, Name: call.Name, Arguments: call.Arguments})
	}
	req.Messages = append(req.Messages, m)
	for _, call := range m.ToolCalls {
		req.Messages = append(req.Messages, llm.Message{Role: "tool", ToolCallID: call.ID, Content: "ok"})
	}
	return req
}

func TestGenerate_GivesSignedThinkingBackInPlace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	req := ask("think I need the shell\nsay looking\ncall Shell {\"a\":1}\ncall Shell {\"a\":2}\nsay done")
	first, err := b.client.Generate(t.Context(), req, nil)
	require.NoError(t, err)
	second, err := b.client.Generate(t.Context(), next(req, first), nil)
	require.NoError(t, err)
	require.Equal(t, "done", second.Text)

	content := b.body(1)["messages"].([]any)[1].(map[string]any)["content"].([]any)
	var kinds []any
	for _, block := range content {
		kinds = append(kinds, block.(map[string]any)["type"])
	}
	require.Equal(t, []any{"thinking", "text", "tool_use", "tool_use"}, kinds)
	require.Equal(t, "I need the shell", content[0].(map[string]any)["thinking"])
	require.Equal(t, llmtest.Signature("I need the shell"), content[0].(map[string]any)["signature"])
	require.Equal(t, map[string]any{"a": float64(2)}, content[3].(map[string]any)["input"])

	results := b.body(1)["messages"].([]any)[2].(map[string]any)["content"].([]any)
	require.Len(t, results, 2)
	require.Equal(t, content[2].(map[string]any)["id"], results[0].(map[string]any)["tool_use_id"])
	require.NotEqual(t, content[2].(map[string]any)["id"], content[3].(map[string]any)["id"])
}

func TestGenerate_KeepsThinkingOfOthersToItself(t *testing.T) {
	t.Parallel()
	b := setup(t)
	req := ask("think deep\ncall Shell {}\nsay done")
	first, err := b.client.Generate(t.Context(), req, nil)
	require.NoError(t, err)
	second := next(req, first)
	_, err = b.another(anthropic.Config{Model: "claude-y"}).Generate(t.Context(), second, nil)
	require.NoError(t, err)
	require.Empty(t, b.Requests()[1].Messages[1].Signature)

	for name, opaque := range map[string]string{"another adapter's": `["x"]`, "nonsense": `{`, "no longer fitting": strings.Replace(string(first.Opaque), `{"call":true}`, `{"text":-4}`, 1)} {
		second.Messages[1].Opaque = json.RawMessage(opaque)
		_, err = b.client.Generate(t.Context(), second, nil)
		require.NoError(t, err, name)
		requests := b.Requests()
		require.Empty(t, requests[len(requests)-1].Messages[1].Signature, name)
		require.Len(t, requests[len(requests)-1].Messages[1].Calls, 1, name)
	}
}

func TestGenerate_KeepsRedactedAndInterleavedThinking(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Handle(func(r llmtest.Request) llmtest.Reply {
		if r.N > 0 {
			return llmtest.Reply{Text: "done"}
		}
		return llmtest.Reply{Body: events(
			`message_start {"message":{"model":"m","usage":{"input_tokens":1}}}`,
			`content_block_start {"index":0,"content_block":{"type":"redacted_thinking","data":"secret"}}`,
			`content_block_start {"index":1,"content_block":{"type":"text","text":"one "}}`,
			`content_block_start {"index":2,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
			`content_block_delta {"index":2,"delta":{"type":"signature_delta","signature":"sig"}}`,
			`content_block_start {"index":3,"content_block":{"type":"text","text":""}}`,
			`content_block_delta {"index":3,"delta":{"type":"text_delta","text":"zwei"}}`,
			`content_block_start {"index":4,"content_block":{"type":"tool_use","id":"i","name":"A","input":{"whole":true}}}`,
			`message_delta {"delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":5}}`,
			`message_stop {}`,
		)}
	})
	req := ask("x")
	first, err := b.client.Generate(t.Context(), req, nil)
	require.NoError(t, err)
	require.Equal(t, "one zwei", first.Text)
	require.Equal(t, `{"whole":true}`, first.ToolCalls[0].Arguments)
	_, err = b.client.Generate(t.Context(), next(req, first), nil)
	require.NoError(t, err)
	content, err := json.Marshal(b.body(1)["messages"].([]any)[1].(map[string]any)["content"])
	require.NoError(t, err)
	require.Regexp(t, `^\[{"data":"secret","type":"redacted_thinking"},{"text":"one ","type":"text"},`+
		`{"signature":"sig","thinking":"","type":"thinking"},{"text":"zwei","type":"text"},{"id":"[A-Za-z0-9]{9}","input":{"whole":true}`, string(content))
}

func TestGenerate_SendsTheRequestThatTheAPIExpects(t *testing.T) {
	t.Parallel()
	b := setup(t)
	req := llm.Request{
		System: "be brief",
		Messages: []llm.Message{
			{Role: "assistant", Content: "earlier"},
			{Role: "user", Content: "one"}, {Role: "user", Content: "two"},
			{Role: "assistant", Content: " ", ToolCalls: []llm.ToolCall{{ID: "a", Name: "Shell", Arguments: "{bad"}}},
			{Role: "tool", ToolCallID: "a", Content: "", IsError: true},
			{Role: "user", Content: "and?"},
		},
		Tools:     []llm.Tool{{Name: "Bare"}, {Name: "Shell", Description: "runs", Parameters: json.RawMessage(`{"type":"object","x-y":1}`)}},
		MaxTokens: 99,
	}
	_, err := b.client.Generate(t.Context(), req, nil)
	require.NoError(t, err)
	body := b.body(0)
	cached := map[string]any{"type": "ephemeral"}
	require.Equal(t, float64(99), body["max_tokens"])
	require.Equal(t, []any{map[string]any{"type": "text", "text": "be brief", "cache_control": cached}}, body["system"])
	require.NotContains(t, body, "thinking")

	tools := body["tools"].([]any)
	require.NotContains(t, tools[0], "cache_control")
	require.Equal(t, map[string]any{"type": "object", "properties": map[string]any{}}, tools[0].(map[string]any)["input_schema"])
	require.Equal(t, cached, tools[1].(map[string]any)["cache_control"])
	require.Equal(t, map[string]any{"type": "object", "x-y": float64(1)}, tools[1].(map[string]any)["input_schema"])

	messages := body["messages"].([]any)
	var roles []any
	for _, m := range messages {
		roles = append(roles, m.(map[string]any)["role"])
	}
	require.Equal(t, []any{"user", "assistant", "user", "assistant", "user"}, roles)
	call := messages[3].(map[string]any)["content"].([]any)
	require.Len(t, call, 1, "blank text is left out")
	require.Equal(t, map[string]any{"malformed_arguments": "{bad"}, call[0].(map[string]any)["input"])
	last := messages[4].(map[string]any)["content"].([]any)
	require.Equal(t, "tool_result", last[0].(map[string]any)["type"])
	require.Equal(t, true, last[0].(map[string]any)["is_error"])
	require.Equal(t, map[string]any{"type": "text", "text": "and?", "cache_control": cached}, last[1])

	header := b.Requests()[0].Header
	require.Equal(t, key, header.Get("X-Api-Key"))
	require.NotEmpty(t, header.Get("Anthropic-Version"))
}

func TestGenerate_MarksForTheCacheWhatWillBeSentAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	conversation := []llm.Message{
		{Role: "user", Content: "one"},
		{Role: "assistant", ToolCalls: []llm.ToolCall{{ID: "a", Name: "Shell", Arguments: "{}"}, {ID: "b", Name: "Shell", Arguments: "{}"}}},
		{Role: "tool", ToolCallID: "a", Content: "A"}, {Role: "tool", ToolCallID: "b", Content: "B"},
	}
	reminder := llm.Message{Role: "user", Content: "<system-reminder>\nmind\n</system-reminder>", Volatile: true}
	_, err := b.client.Generate(t.Context(), llm.Request{Messages: append(conversation, reminder)}, nil)
	require.NoError(t, err)
	messages := b.body(0)["messages"].([]any)
	marked := map[string]bool{}
	for _, m := range messages {
		for _, block := range m.(map[string]any)["content"].([]any) {
			fields := block.(map[string]any)
			text, _ := fields["text"].(string)
			id, _ := fields["tool_use_id"].(string)
			marked[text+id] = fields["cache_control"] != nil
		}
	}
	require.Equal(t, map[string]bool{
		"one": true, "": false, wire.ShortID("a"): false, wire.ShortID("b"): true, reminder.Content: false,
	}, marked, "the end of this step and of the one before, and not the reminder")

	request := b.Requests()[0]
	require.Equal(t, "one", request.User, "a reminder is no message of a person")
	require.Equal(t, reminder.Content, request.Reminder)
	require.Equal(t, 1, request.Step)
}

func TestGenerate_IgnoresTheSDKsEnvironment(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "sk-from-the-environment")
	t.Setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
	b := setup(t)
	_, _, err := b.ask("say x")
	require.NoError(t, err)
	require.Equal(t, key, b.Requests()[0].Header.Get("X-Api-Key"))
}

func TestGenerate_FailsOnStreamsThatBreak(t *testing.T) {
	t.Parallel()
	cases := map[string]error{"truncate": llm.ErrTruncated, "reset": llm.ErrNetwork, "garbage": llm.ErrServer, "error": llm.ErrServer}
	for word, want := range cases {
		t.Run(word, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			answer, _, err := b.ask("say hello world and more\nchunks 4\ncall Shell {}\n" + word)
			require.ErrorIs(t, err, want)
			require.Equal(t, want.Error(), llm.Reason(err))
			require.Contains(t, answer.Text, "hello")
			require.Empty(t, answer.ToolCalls)
			require.Equal(t, 1, b.Count(), "nothing is retried here")
		})
	}
}

func TestGenerate_MapsStatuses(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		kind  fault.Kind
		after time.Duration
	}{
		"fail 429 after 7s slow down": {fault.RateLimited, 7 * time.Second},
		"fail 529 Overloaded":         {fault.Unavailable, 0},
		"fail 500 oops":               {fault.Unavailable, 0},
		"fail 400 prompt is too long: 210000 tokens > 200000":      {fault.TooLarge, 0},
		"fail 413 Request exceeds the maximum size":                {fault.TooLarge, 0},
		"fail 401 invalid x-api-key " + key:                        {fault.Denied, 0},
		"fail 403 not for you":                                     {fault.Denied, 0},
		"fail 404 model: claude-x":                                 {fault.Invalid, 0},
		"fail 400 tools.0: bad":                                    {fault.Invalid, 0},
		"fail 400 Your credit balance is too low to access the AP": {fault.Denied, 0},
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

func TestGenerate_MapsErrorsInsideAStream(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]fault.Kind{
		`error {"error":{"type":"overloaded_error","message":"Overloaded"}}`:              fault.Unavailable,
		`error {"error":{"type":"rate_limit_error","message":"slow"}}`:                    fault.RateLimited,
		`error {"error":{"type":"invalid_request_error","message":"prompt is too long"}}`: fault.TooLarge,
		`error {`: fault.Unavailable,
	} {
		b := setup(t)
		b.Handle(func(llmtest.Request) llmtest.Reply { return llmtest.Reply{Body: events(body)} })
		_, _, err := b.ask("x")
		require.Equal(t, want, fault.KindOf(err), "%v", err)
	}
}

func TestGenerate_SaysWhenTheAddressIsNoModelAPI(t *testing.T) {
	t.Parallel()
	for contentType, want := range map[string]string{
		"text/html; charset=utf-8": "it answered with a web page",
		"application/json":         "it answered with a web page",
	} {
		b := setup(t)
		b.Handle(func(llmtest.Request) llmtest.Reply {
			return llmtest.Reply{Body: "<html>", Header: http.Header{"Content-Type": {contentType}}}
		})
		_, _, err := b.ask("x")
		require.ErrorContains(t, err, want)
	}
	b := setup(t)
	b.Handle(func(llmtest.Request) llmtest.Reply {
		return llmtest.Reply{Body: `{"error":{"type":"authentication_error","message":"no"}}`, Header: http.Header{"Content-Type": {"application/json"}}}
	})
	_, _, err := b.ask("x")
	require.Equal(t, fault.Denied, fault.KindOf(err))
}

func TestGenerate_TimesOutWithoutProgress(t *testing.T) {
	t.Parallel()
	b := setupWith(t, anthropic.Config{Model: "m", IdleTimeout: 100 * time.Millisecond})
	_, _, err := b.ask("say hello world\nchunks 2\nhang")
	require.ErrorIs(t, err, llm.ErrTimeout)
}

func TestGenerate_ReturnsThePartialAnswerWhenStopped(t *testing.T) {
	t.Parallel()
	b := setup(t)
	stopped := errors.New("stopped by a person")
	ctx, stop := context.WithCancelCause(t.Context())
	answer, err := b.client.Generate(ctx, ask("stream 1000 20ms"), &recorder{onText: func() { stop(stopped) }})
	require.Equal(t, stopped, err)
	require.Contains(t, answer.Text, "w1 ")
}

func TestGenerate_TranslatesStopReasons(t *testing.T) {
	t.Parallel()
	for program, want := range map[string]llm.FinishReason{
		"say x\nfinish length":                        llm.FinishLength,
		"say x\nfinish content_filter":                llm.FinishContentFilter,
		"say x\nfinish stop_sequence":                 llm.FinishStop,
		"say x\nfinish model_context_window_exceeded": llm.FinishWindow,
		"call A\nfinish stop":                         llm.FinishToolCalls,
		"empty":                                       llm.FinishStop,
	} {
		answer, _, err := setup(t).ask(program)
		require.NoError(t, err)
		require.Equal(t, want, answer.Finish, program)
	}
}

func TestGenerate_LearnsWhatTheModelAllows(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		text string
		ok   func(map[string]any) bool
	}{
		"fewer tokens": {"max_tokens: 32768 > 8192, which is the maximum allowed number of output tokens for claude-x",
			func(body map[string]any) bool { return body["max_tokens"] == float64(8192) }},
		// https://github.com/musistudio/claude-code-router/issues/1327
		"fewer tokens, Qwen": {"<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]",
			func(body map[string]any) bool { return body["max_tokens"] == float64(8192) }},
		// https://github.com/NousResearch/hermes-agent/issues/51793
		"fewer tokens, a gateway to OpenAI": {"Invalid 'max_tokens': integer above maximum value. Expected a value <= 16384, but got 32768 instead.",
			func(body map[string]any) bool { return body["max_tokens"] == float64(16384) }},
		// https://github.com/RooCodeInc/Roo-Code/issues/5136
		"fewer tokens, a gateway to Groq": {"`max_tokens` must be less than or equal to `16384`, the maximum value for `max_tokens` is less than the `context_window` for this model",
			func(body map[string]any) bool { return body["max_tokens"] == float64(16384) }},
		// https://github.com/danny-avila/LibreChat/issues/6494
		"fewer tokens, Bedrock": {"The maximum tokens you requested exceeds the model limit of 5120. Try again with a maximum tokens value that is lower than 5120.",
			func(body map[string]any) bool { return body["max_tokens"] == float64(5120) }},
		// https://github.com/openclaw/openclaw/issues/131797
		"fewer tokens, Ollama": {"max_tokens (32768) exceeds model's maximum output tokens (8192)",
			func(body map[string]any) bool { return body["max_tokens"] == float64(8192) }},
		"no thinking": {"adaptive thinking is not supported by this model",
			func(body map[string]any) bool { return body["thinking"] == nil }},
		"no cache": {"cache_control: Extra inputs are not permitted",
			func(body map[string]any) bool {
				return body["system"].([]any)[0].(map[string]any)["cache_control"] == nil
			}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setupWith(t, anthropic.Config{Model: "claude-x", Thinking: true})
			b.Handle(func(r llmtest.Request) llmtest.Reply {
				if c.ok(b.body(r.N)) {
					return llmtest.Reply{Text: "ok"}
				}
				return llmtest.Reply{Status: 400, Error: c.text}
			})
			req := ask("x")
			req.System = "s"
			for range 2 {
				_, err := b.client.Generate(t.Context(), req, nil)
				require.NoError(t, err)
			}
			require.Equal(t, 3, b.Count(), "it is learned once")
		})
	}
}

// https://github.com/musistudio/claude-code-router/issues/1327
func TestGenerate_LearnsFromARefusalThatIsAnEvent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Handle(func(r llmtest.Request) llmtest.Reply {
		if b.body(r.N)["max_tokens"] == float64(8192) {
			return llmtest.Reply{Text: "ok"}
		}
		return llmtest.Reply{Status: 400, Body: "event:error\ndata:{\"code\":\"InvalidParameter\",\"message\":\"<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]\"}\n\n"}
	})
	_, _, err := b.ask("x")
	require.NoError(t, err)
	require.Equal(t, 2, b.Count())
}

func TestGenerate_LimitsAnswersByModel(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]int{
		"claude-x": 32768, "claude-3-5-haiku-latest": 8192, "claude-3-haiku-20240307": 4096, "anthropic/claude-opus-4-1": 32000,
	} {
		b := setupWith(t, anthropic.Config{Model: model})
		_, _, err := b.ask("say x")
		require.NoError(t, err)
		require.Equal(t, want, b.Requests()[0].MaxTokens, model)
	}
}

func TestNew_AcceptsTheWholeAddressOfTheAPI(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, path := range []string{"/", "/v1", "/v1/messages"} {
		client, err := anthropic.New(anthropic.Config{BaseURL: b.URL() + path, Model: "m", Transport: b.transport})
		require.NoError(t, err)
		answer, err := client.Generate(t.Context(), ask("say found"), nil)
		require.NoError(t, err)
		require.Equal(t, "found", answer.Text)
	}
	_, err := anthropic.New(anthropic.Config{})
	require.Equal(t, fault.Invalid, fault.KindOf(err))
	_, err = anthropic.New(anthropic.Config{Model: "m", BaseURL: "nowhere"})
	require.Equal(t, fault.Invalid, fault.KindOf(err))
}

// events makes a stream of "name {json}" lines, with the type in the JSON as the API has it.
func events(lines ...string) string {
	var all strings.Builder
	for _, line := range lines {
		name, data, _ := strings.Cut(line, " ")
		data = strings.Replace(data, "{", `{"type":"`+name+`",`, 1)
		data = strings.Replace(data, ",}", "}", 1)
		all.WriteString("event: " + name + "\ndata: " + data + "\n\n")
	}
	return all.String()
}
