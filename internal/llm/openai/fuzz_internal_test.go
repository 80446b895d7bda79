package openai

import (
	"context"
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

func FuzzGenerate_MakesSenseOfAnyStream(f *testing.F) {
	f.Add("data: {\"choices\":[{\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	f.Add("data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":{}}}]}}]}\n\n")
	f.Add("{\"choices\":[{\"message\":{\"content\":[{\"type\":\"thinking\",\"thinking\":[{\"text\":\"x\"}]}]},\"finish_reason\":\"length\"}]}")
	f.Add("data: {\"error\":null}\n: c\nevent: error\ndata: {\"error\":{\"code\":500}}")
	f.Add("<html>")
	f.Fuzz(func(t *testing.T, body string) {
		client, err := New(Config{BaseURL: "http://host/v1", Model: "m", Transport: canned(body)})
		require.NoError(t, err)
		answer, err := client.Generate(context.Background(), llm.Request{Messages: []llm.Message{{Role: "user", Content: "x"}}}, nil)
		if err != nil {
			require.NotEqual(t, fault.Internal, fault.KindOf(err), err.Error())
			require.Empty(t, answer.ToolCalls)
			return
		}
		require.NotEmpty(t, answer.Finish)
		require.NotContains(t, answer.Text, "\x00")
		for _, call := range answer.ToolCalls {
			require.NotEmpty(t, call.Name)
		}
	})
}
