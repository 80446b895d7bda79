package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/service"
)

// python sends what openai-python sends, header by header: https://github.com/openai/openai-python, src/openai/_base_client.py.
type python struct {
	s           *server
	base, token string
}

// sends sends a request for the n-th time, the first of which is 0. It ends with ctx, as a program ends it that closes its stream.
func (p python) sends(ctx context.Context, path, body string, n int) *http.Response {
	p.s.t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.s.url+p.base+path, strings.NewReader(body))
	require.NoError(p.s.t, err)
	for name, value := range map[string]string{
		"Authorization": "Bearer " + p.token, "Accept": "application/json", "Content-Type": "application/json", "User-Agent": "OpenAI/Python 2.9.0",
		"X-Stainless-Lang": "python", "X-Stainless-Package-Version": "2.9.0", "X-Stainless-OS": "Linux", "X-Stainless-Arch": "x64", "X-Stainless-Runtime": "CPython",
		"X-Stainless-Runtime-Version": "3.13.1", "X-Stainless-Async": "false", "x-stainless-retry-count": strconv.Itoa(n), "x-stainless-read-timeout": "600",
	} {
		r.Header.Set(name, value)
	}
	got, err := http.DefaultClient.Do(r)
	require.NoError(p.s.t, err)
	p.s.t.Cleanup(func() { _ = got.Body.Close() })
	return got
}

// reads reads an answer, which is not refused, to its end.
func (p python) reads(got *http.Response) string {
	p.s.t.Helper()
	read, err := io.ReadAll(got.Body)
	require.NoError(p.s.t, err)
	require.Equal(p.s.t, http.StatusOK, got.StatusCode, "%s", read)
	return string(read)
}

// streamed is the text of a stream, which has to have its end.
func (p python) streamed(got *http.Response) string {
	p.s.t.Helper()
	read := p.reads(got)
	require.True(p.s.t, strings.HasSuffix(read, "data: [DONE]\n\n"), read)
	var text strings.Builder
	for data := range strings.SplitSeq(strings.TrimSuffix(read, "data: [DONE]\n\n"), "\n\n") {
		var chunk struct {
			Choices []struct{ Delta struct{ Content string } }
		}
		if data = strings.TrimPrefix(data, "data: "); !strings.HasPrefix(data, "{") {
			continue
		}
		require.NoError(p.s.t, json.Unmarshal([]byte(data), &chunk), data)
		for _, c := range chunk.Choices {
			text.WriteString(c.Delta.Content)
		}
	}
	return text.String()
}

// answered has all that it sends answered, and returns the conversation of a request that was cut and sent again.
func (p python) answered(model string) (conversation string) {
	p.s.t.Helper()
	ctx := p.s.t.Context()
	ask := `{"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": [{"type": "text", "text": "say good morning"}]}], ` + model + `"temperature": 0.7}`
	require.Contains(p.s.t, p.reads(p.sends(ctx, "/chat/completions", ask, 0)), `"object":"chat.completion"`)
	stream := func(text string) string {
		return fmt.Sprintf(`{"messages": [{"role": "user", "content": %q}], %s"stream": true, "stream_options": {"include_usage": true}}`, text, model)
	}
	require.Equal(p.s.t, "good morning", p.streamed(p.sends(ctx, "/chat/completions", stream("say good morning"), 0)))

	short, cut := context.WithCancel(ctx)
	first := p.sends(short, "/chat/completions", stream("stream 40 50ms"), 0)
	require.Equal(p.s.t, http.StatusOK, first.StatusCode)
	_, err := bufio.NewReader(first.Body).ReadString('\n')
	require.NoError(p.s.t, err)
	cut()
	again := p.sends(ctx, "/chat/completions", stream("stream 40 50ms"), 1)
	require.Len(p.s.t, strings.Fields(p.streamed(again)), 40)
	conversation = again.Header.Get("X-Conversation-Id")
	require.Equal(p.s.t, first.Header.Get("X-Conversation-Id"), conversation, "it is the same message")
	return conversation
}

func TestOpenAI_TheRequestsOfPythonsClientAreAnswered(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	p := python{s, "/v1", s.openAIToken()}
	cut := s.conversationOf(p.answered(`"model": "xbot", `))
	require.Eventually(t, func() bool { return len(cut.answers()) == 1 }, time.Minute, 50*time.Millisecond)
	cut.wellFormed()
	require.Contains(t, p.reads(p.sends(t.Context(), "/responses", `{"input": "say good morning", "model": "xbot"}`, 0)), `"object":"response"`)

	c := s.publishesService(service.Patch{})
	p.base, p.token = "/api/v1", c.key
	for _, model := range []string{`"model": "gpt-5", `, ""} { // a service needs none
		id := p.answered(model)
		require.Len(t, c.answersIn(id), 1)
		require.Equal(t, 1, c.turns(id), "one turn has answered")
	}
}
