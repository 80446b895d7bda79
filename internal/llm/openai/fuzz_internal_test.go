package openai

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
	"xbot/internal/llm"
)

// canned answers each request with one body, without a network.
type canned string

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(c))), Request: r}, nil
}

// joined puts the pieces of calls together.
type joined struct {
	llm.Sink
	calls []llm.ToolCall
}

func (j *joined) ToolCall(_ int, name string)      { j.calls = append(j.calls, llm.ToolCall{Name: name}) }
func (j *joined) Arguments(call int, piece string) { j.calls[call].Arguments += piece }

func FuzzGenerate_MakesSenseOfAnyStream(f *testing.F) {
	f.Add("data: {\"choices\":[{\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	f.Add("data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":{}}}]}}]}\n\n")
	f.Add("{\"choices\":[{\"message\":{\"content\":[{\"type\":\"thinking\",\"thinking\":[{\"text\":\"x\"}]}]},\"finish_reason\":\"length\"}]}")
	f.Add("data: {\"error\":null}\n: c\nevent: error\ndata: {\"error\":{\"code\":500}}")
	f.Add("<html>")
	f.Fuzz(func(t *testing.T, body string) {
		client, err := New(Config{BaseURL: "http://host/v1", Model: "m", Transport: canned(body)})
		require.NoError(t, err)
		sink := &joined{Sink: llm.Discard}
		answer, err := client.Generate(context.Background(), llm.Request{Messages: []llm.Message{{Role: "user", Content: "x"}}}, sink)
		if err != nil {
			require.NotEqual(t, fault.Internal, fault.KindOf(err), err.Error())
			require.Empty(t, answer.ToolCalls)
			return
		}
		require.NotEmpty(t, answer.Finish)
		require.NotContains(t, answer.Text, "\x00")
		for n, call := range answer.ToolCalls {
			require.NotEmpty(t, call.Name)
			require.Equal(t, llm.ToolCall{Name: call.Name, Arguments: call.Arguments}, sink.calls[n])
		}
	})
}

func FuzzRespond_MakesSenseOfAnyStream(f *testing.F) {
	f.Add("data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"hi\"}\n\ndata: {\"type\":\"response.completed\",\"response\":{\"usage\":{\"input_tokens\":1}}}\n\n")
	f.Add("data: {\"type\":\"response.output_item.added\",\"output_index\":1,\"item\":{\"type\":\"function_call\",\"call_id\":\"a\",\"name\":\"f\"}}\n\ndata: {\"type\":\"response.function_call_arguments.delta\",\"output_index\":1,\"delta\":\"{}\"}\n\ndata: {\"type\":\"response.incomplete\",\"response\":{\"incomplete_details\":{\"reason\":\"content_filter\"}}}\n\n")
	f.Add("data: {\"type\":\"response.output_item.done\",\"item\":{\"type\":\"reasoning\",\"encrypted_content\":\"E\",\"summary\":[{\"text\":\"s\"}]}}\n\ndata: {\"type\":\"response.completed\"}\n\n")
	f.Add("{\"object\":\"response\",\"output\":[{\"type\":\"message\",\"content\":[{\"text\":\"a\"}]},{\"type\":\"function_call\",\"name\":\"f\",\"arguments\":{}}]}")
	f.Add("data: {\"type\":\"error\",\"code\":\"invalid_prompt\",\"message\":\"x\"}\n: c\nevent: response.failed\ndata: {\"type\":\"response.failed\",\"response\":{\"error\":{}}}")
	f.Fuzz(func(t *testing.T, body string) {
		client, err := New(Config{BaseURL: "http://host/v1", Model: "m", Responses: true, Transport: canned(body)})
		require.NoError(t, err)
		sink := &joined{Sink: llm.Discard}
		answer, err := client.Generate(context.Background(), llm.Request{Messages: []llm.Message{{Role: "user", Content: "x"}}}, sink)
		if err != nil {
			require.NotEqual(t, fault.Internal, fault.KindOf(err), err.Error())
			require.Empty(t, answer.ToolCalls)
			require.Empty(t, answer.Opaque)
			return
		}
		require.NotEmpty(t, answer.Finish)
		require.NotContains(t, answer.Text+answer.Reasoning, "\x00")
		require.Len(t, sink.calls, len(answer.ToolCalls))
		for n, call := range answer.ToolCalls {
			require.NotEmpty(t, call.Name)
			require.Equal(t, call.Name, sink.calls[n].Name)
		}
		given := llm.Message{Role: "assistant", Content: answer.Text, Opaque: answer.Opaque, ToolCalls: answer.ToolCalls}
		if len(answer.Opaque) > 0 {
			var o opaque
			require.NoError(t, json.Unmarshal(answer.Opaque, &o))
			require.True(t, o.fits(given), "what is kept covers the answer")
		}
		encodeAnswer(given, client.origin(), dialect{})
	})
}
