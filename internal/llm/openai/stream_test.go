package openai_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
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

// delta makes an event of a piece; finish makes the last one.
func delta(piece string) string { return `{"choices":[{"index":0,"delta":` + piece + `}]}` }

func finish(reason string) string {
	return `{"choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}`
}

func callPiece(fields string) string { return delta(`{"tool_calls":[{` + fields + `}]}`) }

// stream runs a verbatim stream through the client.
func stream(t *testing.T, body string) (llm.Answer, *recorder, error) {
	t.Helper()
	b := setup(t)
	b.replies(llmtest.Reply{Body: body})
	return b.ask("x")
}

func TestStream_AssemblesToolCallsHoweverTheyCome(t *testing.T) {
	t.Parallel()
	one := []llm.ToolCall{{ID: "a", Name: "Shell", Arguments: `{"command":"ls"}`}}
	two := []llm.ToolCall{{ID: "a", Name: "Shell", Arguments: `{"n":1}`}, {ID: "b", Name: "Read", Arguments: `{"n":2}`}}
	sameIDs := []llm.ToolCall{{ID: "call_0", Name: "Shell", Arguments: `{"n":1}`}, {ID: "call_0", Name: "Shell", Arguments: `{"n":2}`}}
	cases := map[string]struct {
		events []string
		want   []llm.ToolCall
	}{
		"by the book": {[]string{
			callPiece(`"index":0,"id":"a","type":"function","function":{"name":"Shell","arguments":""}`),
			callPiece(`"index":0,"function":{"arguments":"{\"comm"}`), callPiece(`"index":0,"function":{"arguments":"and\":\"ls\"}"}`),
		}, one},
		"interleaved": {[]string{
			callPiece(`"index":0,"id":"a","function":{"name":"Shell","arguments":""}`),
			callPiece(`"index":1,"id":"b","function":{"name":"Read","arguments":""}`),
			callPiece(`"index":0,"function":{"arguments":"{\"n\":1}"}`), callPiece(`"index":1,"function":{"arguments":"{\"n\":2}"}`),
		}, two},
		"without an index": {[]string{
			callPiece(`"id":"a","function":{"name":"Shell","arguments":"{\"n\""}`), callPiece(`"function":{"arguments":":1}"}`),
			callPiece(`"id":"b","function":{"name":"Read","arguments":"{\"n\""}`), callPiece(`"function":{"arguments":":2}"}`),
		}, two},
		"each whole, without an index, in one event": {[]string{
			delta(`{"tool_calls":[{"id":"a","function":{"name":"Shell","arguments":"{\"n\":1}"}},{"id":"b","function":{"name":"Read","arguments":"{\"n\":2}"}}]}`),
		}, two},
		"index 0 for all": {[]string{
			callPiece(`"index":0,"id":"a","function":{"name":"Shell","arguments":"{\"n\":1}"}`),
			callPiece(`"index":0,"id":"b","function":{"name":"Read","arguments":"{\"n\":2}"}`),
		}, two},
		"the same id for all": {[]string{
			callPiece(`"index":0,"id":"call_0","function":{"name":"Shell","arguments":"{\"n\":1}"}`),
			callPiece(`"index":1,"id":"call_0","function":{"name":"Shell","arguments":"{\"n\":2}"}`),
		}, sameIDs},
		"the same id for all and no index": {[]string{
			callPiece(`"id":"call_0","function":{"name":"Shell","arguments":"{\"n\":1}"}`),
			callPiece(`"id":"call_0","function":{"name":"Shell","arguments":"{\"n\":2}"}`),
		}, sameIDs},
		"no ids and no index": {[]string{
			callPiece(`"id":"","function":{"name":"Shell","arguments":"{\"n\":1}"}`), callPiece(`"function":{"name":"Shell","arguments":"{\"n\":2}"}`),
		}, []llm.ToolCall{{Name: "Shell", Arguments: `{"n":1}`}, {Name: "Shell", Arguments: `{"n":2}`}}},
		"calls without arguments": {[]string{
			callPiece(`"function":{"name":"todo_list","arguments":""}`), callPiece(`"function":{"name":"Cd"}`),
		}, []llm.ToolCall{{Name: "todo_list"}, {Name: "Cd"}}},
		"id and name in every piece": {[]string{
			callPiece(`"index":0,"id":"a","function":{"name":"Shell","arguments":""}`),
			callPiece(`"index":0,"id":"a","function":{"name":"Shell","arguments":"{\"command\":"}`),
			callPiece(`"index":0,"id":"a","function":{"name":"Shell","arguments":"\"ls\"}"}`),
			callPiece(`"index":0,"id":"a","function":{"name":"Shell","arguments":""}`),
		}, one},
		"another id in every piece": {[]string{
			callPiece(`"index":0,"id":"a","function":{"name":"Shell","arguments":"{\"command\":"}`), callPiece(`"index":0,"id":"z","function":{"arguments":"\"ls\"}"}`),
		}, one},
		"arguments that are an object": {[]string{
			callPiece(`"index":0,"id":"a","function":{"name":"Shell","arguments":{"command":"ls"}}`),
		}, one},
		"null everywhere": {[]string{
			callPiece(`"index":0,"id":"a","function":{"name":"Shell","arguments":null}`),
			callPiece(`"index":0,"id":null,"function":{"name":null,"arguments":"{\"command\":\"ls\"}"}`),
			delta(`{"content":null,"reasoning_content":null,"tool_calls":null}`),
		}, one},
		"a piece of nothing at the end": {[]string{
			callPiece(`"index":0,"id":"a","function":{"name":"Shell","arguments":"{\"command\":\"ls\"}"}`), callPiece(`"index":1,"type":"function"`),
		}, one},
		"the name after the id": {[]string{
			callPiece(`"index":0,"id":"a"`), callPiece(`"index":0,"function":{"name":"Shell","arguments":"{\"command\":\"ls\"}"}`),
		}, one},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer, sink, err := stream(t, sse(append(c.events, finish("stop"), "[DONE]")...))
			require.NoError(t, err)
			require.Equal(t, c.want, answer.ToolCalls)
			require.Equal(t, llm.FinishToolCalls, answer.Finish)
			require.Equal(t, withoutIDs(c.want), sink.written(), "pieces of calls do not mix, and are all that there is")
		})
	}
}

func TestStream_RefusesACallWithoutAName(t *testing.T) {
	t.Parallel()
	answer, _, err := stream(t, sse(callPiece(`"index":0,"id":"a","function":{"name":" ","arguments":"{}"}`), finish("tool_calls")))
	require.ErrorIs(t, err, llm.ErrServer)
	require.Contains(t, err.Error(), "a tool call without a name")
	require.Empty(t, answer.ToolCalls)
}

func TestStream_ReadsReasoningUnderItsNames(t *testing.T) {
	t.Parallel()
	for name, piece := range map[string]string{
		"DeepSeek":    `{"reasoning_content":"hm"}`,
		"OpenRouter":  `{"reasoning":"hm","content":""}`,
		"both":        `{"reasoning":"hm","reasoning_content":"hm"}`,
		"in the text": `{"content":"<think>\nhm</think>\n\n"}`,
		"Mistral":     `{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer, sink, err := stream(t, sse(delta(piece), delta(`{"content":[{"type":"text","text":"yes"}]}`), finish("stop")))
			require.NoError(t, err)
			require.Equal(t, "hm", answer.Reasoning)
			require.Equal(t, []string{"hm"}, sink.reasoning)
			require.Equal(t, "yes", answer.Text)
		})
	}
}

func TestStream_TranslatesFinishReasons(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]llm.FinishReason{
		"stop": llm.FinishStop, "eos": llm.FinishStop, "tool_calls": llm.FinishStop, "length": llm.FinishLength, "MAX_TOKENS": llm.FinishLength,
		"content_filter": llm.FinishContentFilter, "SAFETY": llm.FinishContentFilter, "something new": llm.FinishStop,
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			answer, _, err := stream(t, sse(delta(`{"content":"x"}`), finish("null"), finish(reason)))
			require.NoError(t, err)
			require.Equal(t, want, answer.Finish)
		})
	}
	for _, reason := range []string{"error", "insufficient_system_resource"} {
		_, _, err := stream(t, sse(delta(`{"content":"x"}`), finish(reason)))
		require.ErrorIs(t, err, llm.ErrServer)
	}
}

func TestStream_WithoutAFinishReasonIsNoAnswer(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"nothing at all":  ": comment\n\n",
		"only done":       "data: [DONE]\n\n",
		"role, then done": sse(delta(`{"role":"assistant"}`), "[DONE]"),
		"text, then end":  sse(delta(`{"content":"x"}`)),
		"a null reason":   sse(`{"choices":[{"delta":{"content":"x"},"finish_reason":null}]}`, finish("null")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := stream(t, body)
			require.ErrorIs(t, err, llm.ErrTruncated)
		})
	}
}

func TestStream_FindsErrorsWhereverTheyStand(t *testing.T) {
	t.Parallel()
	long := `"This model's maximum context length is 10 tokens"`
	cases := map[string]struct {
		body string
		want fault.Kind
	}{
		"OpenAI's object":        {sse(`{"error":{"message":"overloaded","type":"server_error"}}`), fault.Unavailable},
		"a string":               {sse(`{"error":"model crashed"}`), fault.Unavailable},
		"after text":             {sse(delta(`{"content":"x"}`), `{"error":{"message":`+long+`}}`), fault.TooLarge},
		"with choices":           {sse(`{"id":"1","error":{"code":429,"message":"slow"},"choices":[{"delta":{"content":""},"finish_reason":"error"}]}`), fault.RateLimited},
		"vLLM's object":          {sse(`{"object":"error","message":` + long + `,"code":400}`), fault.TooLarge},
		"DashScope's":            {sse(`{"code":"InvalidParameter","message":"Range of input length should be [1, 6000]"}`), fault.TooLarge},
		"not an event":           {`{"error":{"message":"no such model","code":404}}`, fault.Invalid},
		"on several lines":       {"{\n  \"error\": {\n \"message\": " + long + "\n }\n}\n", fault.TooLarge},
		"after text, no event":   {sse(delta(`{"content":"x"}`)) + `{"error":{"message":` + long + `}}`, fault.TooLarge},
		"named event":            {"event: error\ndata: {\"error\":{\"type\":\"authentication_error\",\"message\":\"no\"}}\n\n", fault.Denied},
		"neither event nor JSON": {"upstream connect error", fault.Invalid},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := stream(t, c.body)
			require.Equal(t, c.want, fault.KindOf(err), "%v", err)
		})
	}
}

func TestStream_ToleratesWhatGatewaysAdd(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"comments":                     strings.Repeat(": keep-alive\n\n", 1000) + sse(delta(`{"content":"hello"}`)) + ": x\n" + sse(finish("stop")),
		"other fields and CRLF":        "event: message\r\nid: 1\r\nretry: 5\r\ndata:" + delta(`{"content":"hello"}`) + "\r\n\r\ndata:   " + finish("stop") + "\r\n\r\n",
		"no break after the last line": sse(delta(`{"content":"hello"}`)) + "data: " + finish("stop"),
		"a null error in first place":  sse(`{"error":null,"choices":[{"delta":{"content":"hello"}}]}`, finish("stop")),
		"other choices":                sse(delta(`{"content":"hello"}`), `{"choices":[{"index":1,"delta":{"content":"other"}}]}`, finish("stop")),
		"a NUL":                        sse(delta(`{"content":"hel\u0000lo"}`), finish("stop")),
		"a word error in the text":     sse(delta(`{"content":"hello"}`), `{"choices":[{"delta":{"content":""},"x":"error"}]}`, finish("stop")),
		"no choices in an event":       sse(`{"id":"1","object":"x"}`, `{"choices":null,"usage":null}`, delta(`{"content":"hello"}`), finish("stop")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer, _, err := stream(t, body)
			require.NoError(t, err)
			require.Equal(t, "hello", answer.Text)
		})
	}
}

func TestStream_CountsTokensAsProvidersReportThem(t *testing.T) {
	t.Parallel()
	want := chat.Usage{PromptTokens: 10, CompletionTokens: 5, CachedTokens: 4}
	for name, last := range map[string]string{
		"OpenAI":   `{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":4}}}`,
		"DeepSeek": `{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5,"prompt_cache_hit_tokens":4,"prompt_tokens_details":null}}`,
		"Moonshot": `{"choices":[{"delta":{},"usage":{"prompt_tokens":10,"completion_tokens":5,"cached_tokens":4}}]}`,
		"in each":  `{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}` + "\n\ndata: " + `{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5,"cached_tokens":4}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer, _, err := stream(t, sse(delta(`{"content":"x"}`), finish("stop"), last, "[DONE]"))
			require.NoError(t, err)
			require.Equal(t, want, answer.Usage)
		})
	}
}

func TestStream_BoundsOneEvent(t *testing.T) {
	t.Parallel()
	_, _, err := stream(t, sse(delta(`{"content":"`+strings.Repeat("x", 17<<20)+`"}`), finish("stop")))
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
}

func TestStream_KeepsAnAnswerWhoseEndBrokeAfterTheFinishReason(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.replies(llmtest.Reply{Body: sse(delta(`{"content":"x"}`), finish("stop")), Break: llmtest.Reset, Header: http.Header{"X-Test": {"1"}}})
	answer, _, err := b.ask("x")
	require.NoError(t, err)
	require.Equal(t, "x", answer.Text)
}

// journal is a sink that notes calls and text in their order.
type journal struct {
	llm.Sink
	lines []string
}

func (j *journal) Text(piece string) { j.lines = append(j.lines, piece) }
func (j *journal) ToolCall(call int, name string) {
	j.lines = append(j.lines, fmt.Sprint(call, " ", name))
}
func (j *journal) Arguments(call int, piece string) {
	j.lines = append(j.lines, fmt.Sprint(call, " ", piece))
}

// Hooks are asked of a tool by its name (https://github.com/ankit373/hydra/issues/957).
func TestStream_TellsTheWholeNameOfACallAsSoonAsItIsKnown(t *testing.T) {
	t.Parallel()
	head := func(index, name, arguments string) string {
		return callPiece(`"index":` + index + `,"id":"` + index + `","function":{"name":"` + name + `","arguments":"` + arguments + `"}`)
	}
	text := delta(`{"content":"x"}`)
	for name, c := range map[string]struct {
		events []string
		want   []string
	}{
		"whole":                          {[]string{head("0", "Read", ""), text, head("0", "", "{}")}, []string{"0 Read", "x", "0 {}"}},
		"of no tool":                     {[]string{head("0", "Wri", ""), text, head("0", "", "{}")}, []string{"0 Wri", "x", "0 {}"}},
		"in pieces":                      {[]string{head("0", "Re", "{"), head("0", "adAll", "}"), text}, []string{"0 ReadAll", "0 {}", "x"}},
		"in pieces that are all so far":  {[]string{head("0", "Re", ""), text, head("0", "ReadAll", "{}")}, []string{"x", "0 ReadAll", "0 {}"}},
		"also the beginning of another":  {[]string{head("0", "Read", ""), head("0", "All", "{}"), text}, []string{"0 Read", "0 {}", "x"}},
		"the beginning of a tool's":      {[]string{head("0", "ReadAl", "{}"), text}, []string{"x", "0 ReadAl", "0 {}"}},
		"the beginning, and another one": {[]string{head("0", "ReadAl", "{}"), head("1", "Read", "{}"), text}, []string{"0 ReadAl", "0 {}", "1 Read", "1 {}", "x"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.replies(llmtest.Reply{Body: sse(append(c.events, finish("stop"), "[DONE]")...)})
			req := ask("x")
			req.Tools = []llm.Tool{{Name: "Read"}, {Name: "ReadAll"}}
			sink := &journal{Sink: llm.Discard}
			_, err := b.client.Generate(t.Context(), req, sink)
			require.NoError(t, err)
			require.Equal(t, c.want, sink.lines)
		})
	}
}

// paced is a provider that sends a piece each half minute.
type paced []string

func (p paced) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: &pacedBody{r.Context(), p}, Request: r}, nil
}

type pacedBody struct {
	ctx  context.Context // of its request
	rest []string
}

func (b *pacedBody) Read(p []byte) (int, error) {
	if len(b.rest) == 0 {
		return 0, io.EOF
	}
	select {
	case <-time.After(30 * time.Second):
	case <-b.ctx.Done():
		return 0, context.Cause(b.ctx)
	}
	n := copy(p, b.rest[0])
	b.rest = b.rest[1:]
	return n, nil
}

func (b *pacedBody) Close() error { return nil }

// https://github.com/open-webui/open-webui/issues/16377
func TestStream_WaitsForWhatFollowsAFinishReason(t *testing.T) {
	t.Parallel()
	early := func(delta string) string { return `{"choices":[{"delta":` + delta + `,"finish_reason":"stop"}]}` }
	text := func(piece string) string { return sse(delta(`{"content":"` + piece + `"}`)) }
	for name, c := range map[string]struct {
		pieces []string
		want   string
	}{
		"thoughts that each have one": {[]string{sse(early(`{"reasoning_content":"a"}`)), sse(early(`{"reasoning_content":"b"}`)), text("hel"), text("lo"), sse(finish("stop"))}, "hello"},
		"text behind one":             {[]string{sse(early(`{"content":"he"}`)) + text("l"), text("lo"), sse(finish("stop"))}, "hello"},
		"no more than usage":          {[]string{sse(early(`{"content":"hello"}`)), text(", and what comes much later")}, "hello"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				client, err := openai.New(openai.Config{BaseURL: "http://host/v1", Model: "m", Transport: paced(c.pieces)})
				require.NoError(t, err)
				answer, err := client.Generate(t.Context(), ask("x"), nil)
				require.NoError(t, err)
				require.Equal(t, c.want, answer.Text)
			})
		})
	}
}

// https://github.com/pydantic/pydantic-ai/issues/4354
func TestGenerate_TellsACallThatTheProviderCouldNotReadFromARefusal(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"Groq":       `{"error":{"message":"Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.","type":"invalid_request_error","code":"tool_use_failed","failed_generation":"<function=read{"}}`,
		"a choice":   `{"error":{"message":"Tool choice is required, but model did not call a tool","type":"invalid_request_error","code":"tool_use_failed","failed_generation":""}}`,
		"OpenRouter": `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.\",\"code\":\"tool_use_failed\"}}"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.replies(llmtest.Reply{Status: 400, Body: body})
			answer, _, err := b.ask("x")
			require.NoError(t, err)
			require.Equal(t, llm.Answer{Finish: llm.FinishMalformed}, answer)
			require.Equal(t, 1, b.Count())
		})
	}
}
