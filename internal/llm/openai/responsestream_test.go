package openai_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm"
	"xbot/internal/llm/llmtest"
)

// Events as the API sends them, with what is read of them.
func itemEvent(kind string, place int, item string) string {
	return `{"type":"response.output_item.` + kind + `","output_index":` + string(rune('0'+place)) + `,"item":` + item + `}`
}

func pieceEvent(kind string, place int, delta string) string {
	return `{"type":"response.` + kind + `.delta","output_index":` + string(rune('0'+place)) + `,"delta":"` + delta + `"}`
}

func endEvent(state, more string) string {
	return `{"type":"response.` + state + `","response":{"object":"response","status":"` + state + `","model":"m"` + more + `}}`
}

const (
	callBegun = `{"type":"function_call","id":"fc_1","call_id":"c1","name":"Shell","arguments":""}`
	callDone  = `{"type":"function_call","id":"fc_1","call_id":"c1","name":"Shell","arguments":"{\"n\":1}"}`
	otherDone = `{"type":"function_call","id":"fc_2","call_id":"c2","name":"Read","arguments":"{\"n\":2}"}`
)

// streamResponses runs a verbatim stream through a client of the Responses API.
func streamResponses(t *testing.T, body string) (llm.Answer, *recorder, error) {
	t.Helper()
	b := setupResponses(t, "m")
	b.replies(llmtest.Reply{Body: body})
	return b.ask("x")
}

func TestResponseStream_AssemblesCallsHoweverTheyCome(t *testing.T) {
	t.Parallel()
	one := []llm.ToolCall{{ID: "c1", Name: "Shell", Arguments: `{"n":1}`}}
	two := []llm.ToolCall{one[0], {ID: "c2", Name: "Read", Arguments: `{"n":2}`}}
	pieces := []string{pieceEvent("function_call_arguments", 1, `{\"n\"`), pieceEvent("function_call_arguments", 1, `:1}`)}
	cases := map[string]struct {
		events []string
		want   []llm.ToolCall
	}{
		"by the book":                        {[]string{itemEvent("added", 1, callBegun), pieces[0], pieces[1], itemEvent("done", 1, callDone)}, one},
		"without the end of the item":        {[]string{itemEvent("added", 1, callBegun), pieces[0], pieces[1]}, one},
		"without pieces":                     {[]string{itemEvent("added", 1, callBegun), itemEvent("done", 1, callDone)}, one},
		"without a beginning":                {[]string{itemEvent("done", 1, callDone)}, one},
		"arguments at their end":             {[]string{itemEvent("added", 1, callBegun), `{"type":"response.function_call_arguments.done","output_index":1,"arguments":"{\"n\":1}"}`}, one},
		"two":                                {[]string{itemEvent("added", 1, callBegun), itemEvent("done", 1, callDone), itemEvent("done", 2, otherDone)}, two},
		"two of one place":                   {[]string{itemEvent("added", 0, callBegun), itemEvent("done", 0, callDone), itemEvent("done", 0, otherDone)}, two},
		"two of one place at once":           {[]string{itemEvent("added", 0, callBegun), itemEvent("added", 0, otherDone), itemEvent("done", 0, callDone), itemEvent("done", 0, otherDone)}, two},
		"another id of the item":             {[]string{itemEvent("added", 1, callBegun), pieces[0], pieces[1], itemEvent("done", 1, strings.Replace(callDone, "fc_1", "fc_9", 1))}, one},
		"the id at the end":                  {[]string{itemEvent("added", 1, strings.Replace(callBegun, `"c1"`, "null", 1)), itemEvent("done", 1, callDone)}, one},
		"pieces of nobody":                   {[]string{pieceEvent("function_call_arguments", 7, "x"), itemEvent("done", 1, callDone), pieceEvent("function_call_arguments", 1, "x")}, one},
		"arguments that are an object":       {[]string{itemEvent("done", 1, strings.Replace(callDone, `"{\"n\":1}"`, `{"n":1}`, 1))}, one},
		"things that nobody asked for":       {[]string{itemEvent("added", 0, `{"type":"web_search_call","action":{"query":"x"}}`), itemEvent("done", 1, callDone)}, one},
		"other forms of what nobody reads":   {[]string{`{"type":"response.web_search_call.searching","output_index":"0","item":[1]}`, `{"type":7}`, `[]`, itemEvent("done", 1, callDone)}, one},
		"a code that is no error":            {[]string{`{"type":"response.code_interpreter_call_code.done","code":"print(1)"}`, itemEvent("done", 1, callDone)}, one},
		"a keep-alive between, and comments": {[]string{`{"type":"keepalive","sequence_number":3}`, itemEvent("done", 1, callDone)}, one},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer, sink, err := streamResponses(t, ": c\n\n"+sse(append(c.events, endEvent("completed", ""))...))
			require.NoError(t, err)
			require.Equal(t, c.want, answer.ToolCalls)
			require.Equal(t, llm.FinishToolCalls, answer.Finish)
			require.Equal(t, withoutIDs(c.want), sink.written(), "pieces of calls do not mix, and are all that there is")
		})
	}
}

func TestResponseStream_RefusesACallWithoutAName(t *testing.T) {
	t.Parallel()
	answer, _, err := streamResponses(t, sse(itemEvent("done", 0, `{"type":"function_call","call_id":"c","name":" ","arguments":"{}"}`), endEvent("completed", "")))
	require.ErrorIs(t, err, llm.ErrServer)
	require.Contains(t, err.Error(), "a tool call without a name")
	require.Empty(t, answer.ToolCalls)
}

func TestResponseStream_KeepsTheOrderOfAnAnswer(t *testing.T) {
	t.Parallel()
	b := setupResponses(t, "r")
	b.replies(llmtest.Reply{Body: sse(
		itemEvent("added", 0, `{"type":"reasoning","encrypted_content":"partial","summary":[]}`),
		`{"type":"response.reasoning_summary_part.added","output_index":0}`, pieceEvent("reasoning_summary_text", 0, "a"),
		`{"type":"response.reasoning_summary_part.added","output_index":0}`, pieceEvent("reasoning_summary_text", 0, "b"),
		itemEvent("done", 0, `{"type":"reasoning","id":"rs_1","encrypted_content":"E1","summary":[{"type":"summary_text","text":"a"},{"type":"summary_text","text":"b"}]}`),
		itemEvent("added", 1, `{"type":"message","phase":"commentary","content":[]}`), pieceEvent("output_text", 1, "I lo"), pieceEvent("output_text", 1, "ok."),
		itemEvent("done", 1, `{"type":"message","phase":"commentary","content":[{"type":"output_text","text":"I look."}]}`),
		itemEvent("done", 2, `{"type":"reasoning","encrypted_content":"E2","summary":[]}`),
		itemEvent("added", 3, callBegun), itemEvent("done", 3, callDone),
		itemEvent("done", 4, `{"type":"message","phase":"final_answer","content":[{"type":"output_text","text":"Wait."}]}`),
		endEvent("completed", `,"usage":{"input_tokens":10,"input_tokens_details":{"cached_tokens":4},"output_tokens":5}`), "[DONE]",
	)}, llmtest.Reply{Text: "ok"})
	answer, sink, err := b.ask("x")
	require.NoError(t, err)
	require.Equal(t, "I look.\n\nWait.", answer.Text)
	require.Equal(t, "a\n\nb", answer.Reasoning)
	require.Equal(t, answer.Text, strings.Join(sink.text, ""))
	require.Equal(t, answer.Reasoning, strings.Join(sink.reasoning, ""))
	require.Equal(t, chat.Usage{PromptTokens: 10, CachedTokens: 4, CompletionTokens: 5}, answer.Usage)

	_, err = b.client.Generate(t.Context(), next(ask("x"), answer), nil)
	require.NoError(t, err)
	var order []any
	for _, item := range b.body(1)["input"].([]any)[1:7] {
		fields := item.(map[string]any)
		order = append(order, []any{fields["type"], fields["encrypted_content"], fields["content"], fields["phase"]})
		require.NotContains(t, fields, "id")
	}
	require.Equal(t, []any{
		[]any{"reasoning", "E1", nil, nil}, []any{"message", nil, "I look.", "commentary"}, []any{"reasoning", "E2", nil, nil},
		[]any{"function_call", nil, nil, nil}, []any{"message", nil, "Wait.", "final_answer"}, []any{"function_call_output", nil, nil, nil},
	}, order)
}

func TestResponseStream_ReadsWhatComesWithoutPieces(t *testing.T) {
	t.Parallel()
	message := `{"type":"message","content":[{"type":"output_text","text":"hello"}]}`
	reasoning := `{"type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":"hm"}]}`
	for name, body := range map[string]string{
		"whole items":             sse(itemEvent("done", 0, reasoning), itemEvent("done", 1, message), endEvent("completed", "")),
		"only an end":             sse(endEvent("completed", `,"output":[`+reasoning+`,`+message+`]`)),
		"no stream":               `{"object":"response","status":"completed","error":null,"output":[` + reasoning + `,` + message + `]}`,
		"no stream, no status":    "{\n\"object\":\"response\",\n\"output\":[" + reasoning + `,` + message + "]\n}\n",
		"pieces and whole items":  sse(pieceEvent("reasoning_text", 0, "hm"), itemEvent("done", 0, reasoning), pieceEvent("output_text", 1, "hello"), itemEvent("done", 1, message), endEvent("completed", `,"output":[`+reasoning+`,`+message+`]`)),
		"one place for all":       sse(pieceEvent("reasoning_text", 0, "hm"), itemEvent("done", 0, reasoning), itemEvent("done", 0, message), endEvent("completed", "")),
		"a refusal":               sse(itemEvent("done", 0, reasoning), pieceEvent("refusal", 1, "hello"), endEvent("completed", "")),
		"what follows the end":    sse(itemEvent("done", 0, reasoning), itemEvent("done", 1, message), endEvent("completed", ""), pieceEvent("output_text", 2, "more"), endEvent("completed", "")),
		"a NUL":                   sse(pieceEvent("reasoning_text", 0, `h\u0000m`), pieceEvent("output_text", 1, `hel\u0000lo`), endEvent("completed", "")),
		"an end without contents": sse(itemEvent("done", 0, reasoning), itemEvent("done", 1, message), `{"type":"response.completed"}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer, sink, err := streamResponses(t, body)
			require.NoError(t, err)
			require.Equal(t, "hello", answer.Text)
			require.Equal(t, "hm", answer.Reasoning)
			require.Equal(t, "hello", strings.Join(sink.text, ""))
			require.Equal(t, llm.FinishStop, answer.Finish)
			require.Empty(t, answer.Opaque, "there is nothing to give back")
		})
	}
}

func TestResponseStream_WithoutAnEndIsNoAnswer(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"nothing at all":  ": comment\n\n",
		"only done":       "data: [DONE]\n\n",
		"item, then done": sse(itemEvent("added", 0, `{"type":"message"}`), pieceEvent("output_text", 0, "x"), "[DONE]"),
		"whole items":     sse(itemEvent("done", 0, callDone)),
		"a beginning":     sse(`{"type":"response.created","response":{"object":"response","status":"in_progress","error":null}}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer, _, err := streamResponses(t, body)
			require.ErrorIs(t, err, llm.ErrTruncated)
			require.Empty(t, answer.ToolCalls)
		})
	}
}

func TestResponseStream_FindsErrorsWhereverTheyStand(t *testing.T) {
	t.Parallel()
	failed := func(code, message string) string {
		return endEvent("failed", `,"error":{"code":"`+code+`","message":"`+message+`"}`)
	}
	cases := map[string]struct {
		body string
		want fault.Kind
	}{
		"an event, flat":           {sse(`{"type":"error","code":"server_error","message":"oops","param":null,"sequence_number":1}`), fault.Unavailable},
		"an event, flat, no code":  {sse(`{"type":"error","code":null,"message":"oops","param":null}`), fault.Unavailable},
		"an event, nested":         {sse(`{"type":"error","sequence_number":2,"error":{"type":"insufficient_quota","code":"insufficient_quota","message":"You exceeded your current quota"}}`), fault.RateLimited},
		"an event, too long":       {sse(`{"type":"error","error":{"type":"invalid_request_error","code":"context_length_exceeded","message":"Your input exceeds the context window of this model."}}`), fault.TooLarge},
		"an event and a failure":   {sse(`{"type":"error","code":"rate_limit_exceeded","message":"slow"}`, failed("server_error", "x")), fault.RateLimited},
		"failed":                   {sse(failed("server_error", "The model failed")), fault.Unavailable},
		"failed, no reason":        {sse(endEvent("failed", `,"error":null`)), fault.Unavailable},
		"failed, limited":          {sse(failed("rate_limit_exceeded", "Rate limit reached for gpt-5. Please try again in 11.054s.")), fault.RateLimited},
		"failed, too long":         {sse(failed("context_length_exceeded", "Your input exceeds the context window")), fault.TooLarge},
		"failed, a bad prompt":     {sse(failed("invalid_prompt", "Invalid prompt: we've limited access to this content")), fault.Invalid},
		"failed, a bad picture":    {sse(failed("image_parse_error", "The image could not be parsed")), fault.Invalid},
		"failed, a bad picture, 2": {sse(`{"type":"error","code":"invalid_image_format","message":"no"}`), fault.Invalid},
		"failed, not streamed":     {`{"object":"response","status":"failed","error":{"code":"server_error","message":"x"},"output":[]}`, fault.Unavailable},
		"queued, not streamed":     {`{"object":"response","status":"queued","error":null,"output":[],"usage":null}`, fault.Unavailable},
		"an end that is a failure": {sse(`{"type":"response.completed","response":{"status":"failed","error":{"code":"server_error","message":"x"}}}`), fault.Unavailable},
		"no event, an error":       {`{"error":{"message":"no such model","code":404}}`, fault.Invalid},
		"neither event nor JSON":   {"upstream connect error", fault.Invalid},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer, _, err := streamResponses(t, c.body)
			require.Equal(t, c.want, fault.KindOf(err), "%v", err)
			require.Empty(t, answer.Finish)
		})
	}
}

func TestResponseStream_SaysWhenToAskAgain(t *testing.T) {
	t.Parallel()
	_, _, err := streamResponses(t, sse(endEvent("failed", `,"error":{"code":"rate_limit_exceeded","message":"Please try again in 11s."}`)))
	require.Equal(t, "11s", fault.After(err).String())
}

func TestResponseStream_KeepsAnAnswerWhoseEndBroke(t *testing.T) {
	t.Parallel()
	b := setupResponses(t, "m")
	b.replies(llmtest.Reply{Body: sse(pieceEvent("output_text", 0, "x"), endEvent("completed", "")), Break: llmtest.Reset})
	answer, _, err := b.ask("x")
	require.NoError(t, err)
	require.Equal(t, "x", answer.Text)
}

func TestResponseStream_DoesNotStreamTheSameTextTwice(t *testing.T) {
	t.Parallel()
	b := setupResponses(t, "m")
	b.replies(llmtest.Reply{Body: sse(pieceEvent("output_text", 0, "hello"), `{"type":"error","error":{"code":400,"message":"reasoning.summary is not supported"}}`)})
	_, sink, err := b.ask("x")
	require.Equal(t, fault.Invalid, fault.KindOf(err))
	require.Equal(t, []string{"hello"}, sink.text)
	require.Equal(t, 1, b.Count())
}

func TestResponseStream_TellsNoMorePiecesOfArgumentsThatTheProviderCorrects(t *testing.T) {
	t.Parallel()
	answer, sink, err := streamResponses(t, sse(itemEvent("added", 1, callBegun), pieceEvent("function_call_arguments", 1, `{\"m\"`),
		itemEvent("done", 1, callDone), itemEvent("done", 2, otherDone), endEvent("completed", "")))
	require.NoError(t, err)
	require.Equal(t, `{"n":1}`, answer.ToolCalls[0].Arguments)
	require.Equal(t, [][]string{{`{"m"`}, {`{"n":2}`}}, sink.arguments, "the answer brings them whole")
}
