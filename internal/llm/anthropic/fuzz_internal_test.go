package anthropic

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
	f.Add("event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"x\"}}\n\n" +
		"event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":1}}\n\n")
	f.Add("event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":7,\"delta\":{\"type\":\"text_delta\",\"text\":\"x\"}}\n\n")
	f.Add("event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":-1,\"content_block\":{\"type\":\"tool_use\",\"input\":[]}}\n\n")
	f.Add("event: error\ndata: {\"error\":{\"type\":\"api_error\"}}\n\n")
	f.Add(": comment\nevent: ping\ndata: {}\n\ndata: x\n\n")
	f.Fuzz(func(t *testing.T, body string) {
		client, err := New(Config{BaseURL: "http://host", Model: "m", Transport: canned(body)})
		require.NoError(t, err)
		sink := &joined{Sink: llm.Discard}
		answer, err := client.Generate(context.Background(), llm.Request{Messages: []llm.Message{{Role: "user", Content: "x"}}}, sink)
		if err != nil {
			require.NotEqual(t, fault.Internal, fault.KindOf(err), err.Error())
			require.Empty(t, answer.ToolCalls)
			return
		}
		require.NotEmpty(t, answer.Finish)
		for n, call := range answer.ToolCalls {
			require.NotEmpty(t, call.Name)
			require.Equal(t, llm.ToolCall{Name: call.Name, Arguments: call.Arguments}, sink.calls[n])
		}
	})
}

func FuzzEncodeAnswer_TakesAnyOpaque(f *testing.F) {
	f.Add("hello", `{"origin":"o","blocks":[{"thinking":"t","signature":"s"},{"text":2},{"text":3},{"call":true}]}`)
	f.Add("hello", `{"origin":"o","blocks":[{"text":-1},{"text":6},{"call":true}]}`)
	f.Add("", `{"origin":"o","blocks":[{"text":9223372036854775807},{"text":9223372036854775807},{"call":true},{"call":true}]}`)
	f.Fuzz(func(t *testing.T, text, raw string) {
		m := llm.Message{Role: "assistant", Content: text, Opaque: json.RawMessage(raw), ToolCalls: []llm.ToolCall{{ID: "1", Name: "A"}}}
		blocks := encodeAnswer(m, "o", dialect{})
		said, calls := "", 0
		for _, b := range blocks {
			if b.OfText != nil {
				said += b.OfText.Text
			}
			if b.OfToolUse != nil {
				calls++
			}
		}
		require.Equal(t, 1, calls)
		require.Equal(t, strings.Join(strings.Fields(text), ""), strings.Join(strings.Fields(said), ""))
	})
}
