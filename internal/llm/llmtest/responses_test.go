package llmtest_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/llm/llmtest"
)

// kinds returns the types of the events of a stream, and what was said of each.
func kinds(stream string) (kinds []string, data map[string]string) {
	data = map[string]string{}
	for event := range strings.SplitSeq(strings.TrimSpace(stream), "\n\n") {
		name, payload, _ := strings.Cut(strings.TrimPrefix(event, "event: "), "\ndata: ")
		kinds = append(kinds, name)
		data[name] += payload + "\n"
	}
	return kinds, data
}

func TestServer_SpeaksResponses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	body := `{"model":"c","stream":true,"store":false,"max_output_tokens":99,"instructions":"sys","include":["reasoning.encrypted_content"],
		"tools":[{"type":"function","name":"A","description":"does","parameters":{"type":"object"},"strict":false}],
		"input":[
		{"role":"developer","content":" more"},
		{"role":"user","content":[{"type":"input_text","text":"call A {\"x\":1}\nthink deep\nsay answer\ncall B {\"y\":\"more than sixteen bytes\"}\nusage 7 5 3"},
			{"type":"input_image","image_url":"data:image/png;base64,cDE="}]},
		{"type":"reasoning","id":"rs","summary":[{"type":"summary_text","text":"t"}],"encrypted_content":"E"},
		{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I call"}]},
		{"type":"function_call","call_id":"i","name":"A","arguments":"{}"},
		{"type":"function_call_output","call_id":"i","output":[{"type":"input_text","text":"boom"},{"type":"input_image","image_url":"data:image/png;base64,cDI="}]}]}`
	status, answer := post(t, b.BaseURL()+"/responses", body)
	require.Equal(t, http.StatusOK, status, answer)
	got := b.Requests()[0]
	require.Equal(t, llmtest.Responses, got.Dialect)
	require.Equal(t, []llmtest.Message{
		{Role: "user", Content: got.User, Pictures: []llmtest.Picture{{MediaType: "image/png", Data: []byte("p1")}}},
		{Role: "assistant", Content: "I call", Reasoning: "t", Signature: "E", Calls: []llmtest.Call{{ID: "i", Name: "A", Arguments: "{}"}}},
		{Role: "tool", ToolCallID: "i", Content: "boom", Pictures: []llmtest.Picture{{MediaType: "image/png", Data: []byte("p2")}}},
	}, got.Messages)
	require.Equal(t, "sys more", got.System)
	require.Equal(t, []int{1, 99}, []int{got.Step, got.MaxTokens})
	require.Equal(t, []llmtest.Tool{{Name: "A", Description: "does", Parameters: json.RawMessage(`{"type":"object"}`)}}, got.Tools)

	order, data := kinds(answer)
	require.Equal(t, []string{
		"response.created", "response.in_progress",
		"response.output_item.added", "response.reasoning_summary_part.added", "response.reasoning_summary_text.delta",
		"response.reasoning_summary_text.done", "response.reasoning_summary_part.done", "response.output_item.done",
		"response.output_item.added", "response.content_part.added", "response.output_text.delta",
		"response.output_text.done", "response.content_part.done", "response.output_item.done",
		"response.output_item.added", "response.function_call_arguments.delta", "response.function_call_arguments.delta",
		"response.function_call_arguments.done", "response.output_item.done",
		"response.completed",
	}, order)
	require.Contains(t, data["response.output_item.done"], `"encrypted_content":"`+llmtest.Sealed("deep"))
	require.Contains(t, data["response.function_call_arguments.done"], `"output_index":2`)
	require.Contains(t, data["response.completed"], `"cached_tokens":3`)
	require.Contains(t, data["response.completed"], `"status":"completed"`)
}

func TestServer_EndsResponsesAsTheyEnd(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for program, last := range map[string]string{
		`say x\nfinish length`:         `{"reason":"max_output_tokens"}`,
		`say x\nfinish content_filter`: `{"reason":"content_filter"}`,
		`say x\nerror\nsay no`:         `"status":"failed"`,
		`say x\ntruncate`:              `"response.output_item.done"`,
		`say x\nnousage`:               `"usage":null`,
		`plain\nsay x`:                 `"object":"response"`,
		`fail 429 1 slow`:              `"type":"rate_limit_error"`,
	} {
		_, answer := post(t, b.BaseURL()+"/responses", `{"model":"m","stream":true,"input":"`+program+`"}`)
		events := strings.Split(strings.TrimSpace(answer), "\n\n")
		require.Contains(t, events[len(events)-1], last, program)
	}
	_, answer := post(t, b.BaseURL()+"/responses", `{"model":"m","stream":true,"input":"think x\nsay y"}`)
	require.NotContains(t, answer, "encrypted_content", "nobody asked for it")
}

func TestServer_StrictRefusesItemsThatTheRealOneRefuses(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.Strict()
	user := `{"role":"user","content":"say hello"}`
	call := `{"type":"function_call","call_id":"abcdefghi","name":"A","arguments":"{}"}`
	output := `{"type":"function_call_output","call_id":"abcdefghi","output":"ok"}`
	thought := `{"type":"reasoning","summary":[],"encrypted_content":"E"}`
	for items, complaint := range map[string]string{
		user: "",
		user + "," + thought + "," + call + "," + output: "",
		user + "," + output:               "is the result of no call before it",
		user + "," + call:                 "the last calls have no results",
		user + "," + call + "," + user:    "before all calls have their results",
		user + "," + thought + "," + user: "without its required following item",
		user + "," + `{"type":"reasoning","encrypted_content":"E"}` + "," + call + "," + output:                     "missing required parameter: 'summary'",
		user + "," + `{"type":"reasoning","summary":[]}` + "," + call + "," + output:                                "neither stored nor encrypted",
		user + "," + `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"E"},` + call + "," + output: "Items are not persisted",
		`{"role":"user","content":[{"type":"text","text":"x"}]}`:                                                    "invalid value: 'text'",
		user + `,{"role":"assistant","content":[{"type":"input_text","text":"x"}]},` + user:                         "invalid value: 'input_text'",
		user + `,{"type":"function_call","call_id":"abcdefghi","name":"A","arguments":"[1]"},` + output:             "no JSON object",
		`{"role":"user","content":" "}`: "is empty",
	} {
		status, answer := post(t, s.BaseURL()+"/responses", `{"model":"m","store":false,"input":[`+items+`]}`)
		require.Equal(t, complaint == "", status == http.StatusOK, answer)
		require.Contains(t, answer, complaint, items)
	}
	for field, complaint := range map[string]string{
		`"max_output_tokens":15`:                                                       "integer below minimum value",
		`"tools":[{"type":"function","name":"A","parameters":{}}]`:                     "strict",
		`"tools":[{"type":"function","function":{"name":"A"}}]`:                        "tools[0].name",
		`"input":[{"role":"tool","content":"x"}]`:                                      "'tool'",
		`"input":[{"type":"item_reference","id":"x"}]`:                                 "item_reference",
		`"input":[{"role":"user","content":[{"type":"input_image","image_url":"x"}]}]`: "data URL",
	} {
		status, answer := post(t, s.BaseURL()+"/responses", `{"model":"m","input":"say x",`+field+`}`)
		require.Equal(t, http.StatusBadRequest, status, answer)
		require.Contains(t, answer, complaint)
	}
}

// ask sends a request with a header to one of the APIs.
func (b bundle) ask(path, header, value string) (int, string) {
	b.t.Helper()
	method, body := http.MethodPost, `{"model":"here","max_tokens":20,"input":"say x","messages":[{"role":"user","content":"say x"}]}`
	if path == "/models" {
		method, body = http.MethodGet, ""
	}
	request, err := http.NewRequestWithContext(b.t.Context(), method, b.BaseURL()+path, strings.NewReader(body))
	require.NoError(b.t, err)
	if header != "" {
		request.Header.Set(header, value)
	}
	return b.send(request)
}

func (b bundle) send(request *http.Request) (int, string) {
	b.t.Helper()
	response, err := b.client.Do(request)
	require.NoError(b.t, err)
	defer func() { _ = response.Body.Close() }() // it was read
	var answer json.RawMessage
	require.NoError(b.t, json.NewDecoder(response.Body).Decode(&answer))
	return response.StatusCode, string(answer)
}

func TestServer_RefusesRequestsWithoutItsKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.RequireKey("right")
	for _, path := range []string{"/chat/completions", "/responses", "/messages", "/models"} {
		for _, wrong := range [][2]string{{"", ""}, {"Authorization", "Bearer wrong"}, {"X-Api-Key", "wrong"}, {"Authorization", "right"}} {
			status, answer := b.ask(path, wrong[0], wrong[1])
			require.Equal(t, http.StatusUnauthorized, status, path)
			kind := `"code":"invalid_api_key"`
			if path == "/messages" {
				kind = `"type":"authentication_error"`
			}
			require.Contains(t, answer, kind)
		}
		for _, right := range [][2]string{{"Authorization", "Bearer right"}, {"X-Api-Key", "right"}} {
			status, answer := b.ask(path, right[0], right[1])
			require.Equal(t, http.StatusOK, status, answer)
		}
	}
	b.RequireKey("")
	status, _ := b.ask("/models", "", "")
	require.Equal(t, http.StatusOK, status)
}

func TestServer_KnowsTheModelsThatItWasGiven(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := regexp.MustCompile(`"id":"([^"]*)"`)
	list := func(header string) (out []string) {
		status, answer := b.ask("/models", header, "2023-06-01")
		require.Equal(t, http.StatusOK, status)
		for _, found := range ids.FindAllStringSubmatch(answer, -1) {
			out = append(out, found[1])
		}
		return out
	}
	require.Equal(t, []string{"llmtest"}, list(""))
	b.SetModels("there", "elsewhere")
	require.Equal(t, []string{"there", "elsewhere"}, list(""))
	require.Equal(t, []string{"there", "elsewhere"}, list("Anthropic-Version"))
	for path, kind := range map[string]string{"/chat/completions": "model_not_found", "/responses": "model_not_found", "/messages": "not_found_error"} {
		status, answer := b.ask(path, "", "")
		require.Equal(t, http.StatusNotFound, status, path)
		require.Contains(t, answer, kind)
		b.SetModels("here")
		status, _ = b.ask(path, "", "")
		require.Equal(t, http.StatusOK, status)
		b.SetModels("there")
	}
	b.SetModels()
	status, _ := b.ask("/responses", "", "")
	require.Equal(t, http.StatusOK, status)
}
