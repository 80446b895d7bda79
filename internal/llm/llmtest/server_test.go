package llmtest_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"xbot/internal/llm/llmtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bundle is a server and a client that keeps no connections.
type bundle struct {
	*llmtest.Server
	t      *testing.T
	client *http.Client
}

func setup(t *testing.T) bundle {
	t.Helper()
	transport := &http.Transport{DisableKeepAlives: true}
	return bundle{llmtest.New(t), t, &http.Client{Transport: transport, Timeout: 20 * time.Second}}
}

type msg = map[string]any

func user(text string) msg { return msg{"role": "user", "content": text} }

func called() msg {
	return msg{"role": "assistant", "content": nil, "tool_calls": []msg{
		{"id": "x", "type": "function", "function": msg{"name": "Shell", "arguments": "{}"}},
	}}
}

func result(text string) msg { return msg{"role": "tool", "tool_call_id": "x", "content": text} }

func (b bundle) post(stream bool, messages ...msg) *http.Response {
	b.t.Helper()
	body, err := json.Marshal(msg{
		"model": "m", "stream": stream, "messages": messages, "stream_options": msg{"include_usage": true},
	})
	require.NoError(b.t, err)
	response, err := b.client.Post(b.BaseURL()+"/chat/completions", "application/json", strings.NewReader(string(body)))
	require.NoError(b.t, err)
	b.t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

// chunk is what the tests look at.
type chunk struct {
	Choices []struct {
		Delta struct {
			Content   string `json:"content"`
			Reasoning string `json:"reasoning_content"`
			ToolCalls []struct {
				Index    *int   `json:"index"`
				ID       string `json:"id"`
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		} `json:"delta"`
		Finish string `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
	} `json:"usage"`
}

// stream is a streamed answer, put together.
type stream struct {
	text, reasoning, finish string
	pieces                  int
	names, arguments, ids   []string
	indexed, usage, ended   bool
	err                     error
	malformed               int
}

func (b bundle) stream(messages ...msg) stream {
	b.t.Helper()
	response := b.post(true, messages...)
	require.Equal(b.t, http.StatusOK, response.StatusCode)
	require.Equal(b.t, "text/event-stream", response.Header.Get("Content-Type"))
	return readStream(response.Body)
}

func readStream(body io.Reader) (s stream) {
	lines := bufio.NewScanner(body)
	for lines.Scan() {
		data, found := strings.CutPrefix(lines.Text(), "data: ")
		if !found {
			continue
		}
		if data == "[DONE]" {
			s.ended = true
			continue
		}
		var c chunk
		if json.Unmarshal([]byte(data), &c) != nil {
			s.malformed++
			continue
		}
		s.usage = s.usage || c.Usage != nil
		for _, choice := range c.Choices {
			s.text += choice.Delta.Content
			s.reasoning += choice.Delta.Reasoning
			s.finish += choice.Finish
			if choice.Delta.Content != "" {
				s.pieces++
			}
			for _, call := range choice.Delta.ToolCalls {
				s.indexed = s.indexed || call.Index != nil
				if call.Function.Name != "" {
					s.names, s.ids = append(s.names, call.Function.Name), append(s.ids, call.ID)
					s.arguments = append(s.arguments, "")
				}
				s.arguments[len(s.arguments)-1] += call.Function.Arguments
			}
		}
	}
	s.err = lines.Err()
	return s
}

func TestServer_StreamsWhatTheProgramSays(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.stream(user("think hmm, 你好\nsay hello\\nworld"))
	require.Equal(t, "hello\nworld", s.text)
	require.Equal(t, "hmm, 你好", s.reasoning)
	require.Equal(t, "stop", s.finish)
	require.True(t, s.usage)
	require.True(t, s.ended)
}

func TestServer_TakesTheStepFromTheToolCallsAfterTheLastUserMessage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	program := user("say looking\ncall Shell {\"command\":\"echo a long enough command\"}\ncall Read {\"path\":\"a\"}\nsay all done")
	first := b.stream(program)
	require.Equal(t, "looking", first.text)
	require.Equal(t, []string{"Shell", "Read"}, first.names)
	require.Equal(t, []string{`{"command":"echo a long enough command"}`, `{"path":"a"}`}, first.arguments)
	require.Equal(t, []string{"call_0_0", "call_0_1"}, first.ids)
	require.Equal(t, "tool_calls", first.finish)

	second := b.stream(user("call X"), called(), result("old"), program, called(), result("ok"))
	require.Equal(t, "all done", second.text)
	require.Empty(t, second.names)

	require.Equal(t, "done", b.stream(program, called(), result(""), called(), result("")).text)
	require.Equal(t, "ok", b.Requests()[1].LastTool())
	require.Equal(t, 2, b.Requests()[1].Users)
}

func TestServer_RepeatsStepsAndCountsThem(t *testing.T) {
	t.Parallel()
	b := setup(t)
	program := user("repeat 3 call Shell {\"command\":\"echo {{n}}\"}\nsay end")
	require.Equal(t, []string{`{"command":"echo 2"}`}, b.stream(program, called(), result("")).arguments)
	require.Equal(t, "end", b.stream(program, called(), result(""), called(), result(""), called(), result("")).text)

	masked := result("📂 Results of 4 earlier calls in 3 steps are masked:\n[masked:mk_0a] Shell")
	require.Equal(t, "end", b.stream(program, called(), masked).text, "one pair may stand for several steps")

	each := user("each\ncall A\ncall B\nthen\nsay x")
	require.Equal(t, []string{"B"}, b.stream(each, called(), result("")).names)
}

func TestServer_FailsAsOftenAsTheProgramSays(t *testing.T) {
	t.Parallel()
	b := setup(t)
	program := user("fail 429 1 after 2s slow down\nfail 503 2 after 1500ms\nsay ok")
	first := b.post(true, program)
	body, err := io.ReadAll(first.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusTooManyRequests, first.StatusCode)
	require.Equal(t, "2", first.Header.Get("Retry-After"))
	require.Contains(t, string(body), `"message":"slow down"`)

	second := b.post(true, program)
	require.Equal(t, http.StatusServiceUnavailable, second.StatusCode)
	require.Equal(t, "1500", second.Header.Get("Retry-After-Ms"))
	require.Equal(t, "ok", b.stream(program).text)
	require.Equal(t, []int{1, 2, 3}, []int{b.Requests()[0].Attempt, b.Requests()[1].Attempt, b.Requests()[2].Attempt})

	other := user("fail 429 1 after 2s slow down\nfail 503 2 after 1500ms\nsay ok\n# another")
	require.Equal(t, http.StatusTooManyRequests, b.post(true, other).StatusCode)
}

func TestServer_CountsAttemptsPastLinesThatTheProductAdds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.Equal(t, 500, b.post(true, user("[10:00] alice:\nfail 500 1\nsay ok")).StatusCode)
	require.Equal(t, "ok", b.stream(user("[10:01] alice:\nfail 500 1\nsay ok")).text)
}

func TestServer_BreaksStreams(t *testing.T) {
	t.Parallel()
	text := "say " + strings.Repeat("0123456789", 20) + "\nchunks 4\n"
	cases := map[string]func(*testing.T, stream){
		"truncate": func(t *testing.T, s stream) {
			require.Len(t, s.text, 200)
			require.Empty(t, s.finish)
			require.NoError(t, s.err)
		},
		"reset": func(t *testing.T, s stream) {
			require.Len(t, s.text, 100)
			require.ErrorIs(t, s.err, syscall.ECONNRESET)
		},
		"garbage": func(t *testing.T, s stream) {
			require.Len(t, s.text, 200)
			require.Equal(t, 1, s.malformed)
			require.Equal(t, "stop", s.finish)
		},
		"error": func(t *testing.T, s stream) {
			require.Len(t, s.text, 100)
			require.Empty(t, s.finish)
			require.NoError(t, s.err)
		},
	}
	for word, check := range cases {
		t.Run(word, func(t *testing.T) {
			t.Parallel()
			check(t, setup(t).stream(user(text+word)))
		})
	}
}

func TestServer_HangsUntilTheClientGoesOrTheServerStops(t *testing.T) {
	t.Parallel()
	b := setup(t)
	response := b.post(true, user("say 0123456789\nchunks 2\nhang"))
	line, err := bufio.NewReader(response.Body).ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, line, "assistant")

	gone := b.post(true, user("say 0123456789\nchunks 2\nhang"))
	require.NoError(t, gone.Body.Close())
	b.Stop() // returns only when no handler runs
}

func TestServer_ChangesHowToolCallsLook(t *testing.T) {
	t.Parallel()
	b := setup(t)
	arguments := `{"command":"a command of more than sixteen bytes"}`
	s := b.stream(user("ids same\nnoindex\nwhole\ncall Shell " + arguments + "\ncall Shell " + arguments))
	require.Equal(t, []string{"call_0", "call_0"}, s.ids)
	require.Equal(t, []string{arguments, arguments}, s.arguments)
	require.False(t, s.indexed)
	require.True(t, b.stream(user("call Shell")).indexed)
	require.Equal(t, []string{""}, b.stream(user("ids none\ncall Shell")).ids)
}

func TestServer_StreamsAsManyPiecesAsAsked(t *testing.T) {
	t.Parallel()
	b := setup(t)
	start := time.Now()
	s := b.stream(user("stream 12 5ms"))
	require.Equal(t, 12, s.pieces)
	require.GreaterOrEqual(t, time.Since(start), 55*time.Millisecond)
	require.Len(t, strings.Fields(s.text), 12)
	require.Equal(t, 7, b.stream(user("chunks 7\nsay "+strings.Repeat("é", 29))).pieces)
}

func TestServer_AnswersOddly(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.Empty(t, b.stream(user("empty")).text)
	require.Equal(t, "weird", b.stream(user("say x\nfinish weird")).finish)
	require.False(t, b.stream(user("say x\nnousage")).usage)
	require.Equal(t, "echo: hello there", b.stream(user("hello there")).text)

	plain := b.post(true, user("plain\nsay x\nusage 7 8"))
	require.Equal(t, "application/json", plain.Header.Get("Content-Type"))
	var answer struct{ Usage, Choices any }
	require.NoError(t, json.NewDecoder(plain.Body).Decode(&answer))
	require.Equal(t, float64(7), answer.Usage.(msg)["prompt_tokens"])
}

func TestServer_StartsAgainOnItsAddress(t *testing.T) {
	t.Parallel()
	b := setup(t)
	before := b.BaseURL()
	require.Equal(t, "a", b.stream(user("say a")).text)
	b.Stop()
	_, err := b.client.Get(before + "/models")
	require.ErrorIs(t, err, syscall.ECONNREFUSED)

	require.NoError(t, b.Restart())
	require.Equal(t, before, b.BaseURL())
	require.Equal(t, "b", b.stream(user("say b")).text)
	require.Equal(t, 2, b.Count())
	require.Error(t, b.Restart())
}

func TestServer_WaitsForRequestsFromManyClients(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Handle(func(r llmtest.Request) llmtest.Reply { return llmtest.Reply{Text: r.User} })
	var clients sync.WaitGroup
	for range 10 {
		clients.Go(func() { b.stream(user("say not a program now")) })
	}
	require.NoError(t, b.Wait(t.Context(), 10))
	clients.Wait()
	require.Len(t, b.Requests(), 10)

	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, b.Wait(ctx, 11), context.DeadlineExceeded)
	b.Reset()
	require.Zero(t, b.Count())
}

func TestServer_ShowsAndForgetsRequestsOverHTTP(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.stream(msg{"role": "system", "content": "be good"}, user("say a"))
	response, err := b.client.Get(b.URL() + "/_requests")
	require.NoError(t, err)
	var listed struct {
		Count    int
		Requests []llmtest.Request
	}
	require.NoError(t, json.NewDecoder(response.Body).Decode(&listed))
	require.NoError(t, response.Body.Close())
	require.Equal(t, 1, listed.Count)
	require.Equal(t, "be good", listed.Requests[0].System)

	forget, err := http.NewRequest(http.MethodDelete, b.URL()+"/_requests", nil)
	require.NoError(t, err)
	response, err = b.client.Do(forget)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Zero(t, b.Count())

	response, err = b.client.Get(b.BaseURL() + "/models")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.NoError(t, response.Body.Close())
}

func TestServer_SpeaksAnthropic(t *testing.T) {
	t.Parallel()
	b := setup(t)
	body := `{"model":"c","stream":true,"max_tokens":9,"system":[{"type":"text","text":"sys"}],"messages":[
		{"role":"user","content":"call A {\"x\":1}\nthink deep\nsay answer"},
		{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"tool_use","id":"i","name":"A","input":{}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"i","is_error":true,"content":[{"type":"text","text":"boom"}]}]}]}`
	response, err := b.client.Post(b.URL()+"/v1/messages", "application/json", strings.NewReader(body))
	require.NoError(t, err)
	answer, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	for _, part := range []string{
		"event: message_start\n", `"thinking":"deep"`, `"signature":"` + llmtest.Signature("deep"), `"text":"answer"`,
		`"stop_reason":"end_turn"`, "event: message_stop\n",
	} {
		require.Contains(t, string(answer), part)
	}
	got := b.Requests()[0]
	require.Equal(t, llmtest.Anthropic, got.Dialect)
	require.Equal(t, []llmtest.Message{
		{Role: "user", Content: "call A {\"x\":1}\nthink deep\nsay answer"},
		{Role: "assistant", Reasoning: "t", Signature: "s", Calls: []llmtest.Call{{ID: "i", Name: "A", Arguments: "{}"}}},
		{Role: "tool", ToolCallID: "i", Content: "boom", IsError: true},
	}, got.Messages)
	require.Equal(t, "sys", got.System)
	require.Equal(t, 1, got.Step)
}

func FuzzRun_AnswersAnyText(f *testing.F) {
	f.Add("say hello\ncall Shell {}\nrepeat 3 call A {{n}}", 1)
	f.Add("fail 429 2 after 1s text\nstream 5 1ms\nids same", 0)
	f.Add("chunks -1\nusage x\nfail\nrepeat\ncall\n# x", 2)
	f.Fuzz(func(t *testing.T, text string, step int) {
		reply := llmtest.Run(llmtest.Request{User: text, Step: max(step, 0), Attempt: 1})
		require.True(t, reply.Status == 0 || reply.Status >= 200)
		require.GreaterOrEqual(t, reply.Chunks, 0)
	})
}

func TestServer_RefusesWhatIsLongerThanItsWindow(t *testing.T) {
	t.Parallel()
	for dialect, words := range map[string]string{
		llmtest.OpenAI: "maximum context length is 50 tokens", llmtest.Anthropic: "50 maximum", llmtest.Responses: "context window of this model",
	} {
		s := llmtest.New(t)
		require.NoError(t, s.SetWindow(llmtest.Window{Tokens: 50}))
		path := map[string]string{llmtest.OpenAI: "/v1/chat/completions", llmtest.Anthropic: "/v1/messages", llmtest.Responses: "/v1/responses"}[dialect]
		status, body := send(t, s.URL()+path, strings.Repeat("one more word ", 5))
		require.Equal(t, http.StatusOK, status, body)
		require.Contains(t, body, "echo: one more word")
		status, body = send(t, s.URL()+path, strings.Repeat("one more word ", 50))
		require.Equal(t, http.StatusBadRequest, status)
		require.Contains(t, body, words)
		sent := s.Requests()
		require.Greater(t, sent[0].Tokens, 15)
		require.Greater(t, sent[1].Tokens, 150)
		require.Greater(t, sent[1].Shared, 60, "both begin alike")
	}
}

func TestServer_CountsAsItsScaleSays(t *testing.T) {
	t.Parallel()
	tokens := map[float64]int{}
	for _, scale := range []float64{1, 1.5} {
		s := llmtest.New(t)
		require.NoError(t, s.SetWindow(llmtest.Window{Scale: scale}))
		_, body := send(t, s.URL()+"/v1/chat/completions", strings.Repeat("word ", 100))
		require.Contains(t, body, fmt.Sprintf(`"prompt_tokens":%d`, s.Requests()[0].Tokens))
		tokens[scale] = s.Requests()[0].Tokens
	}
	require.InDelta(t, 1.5, float64(tokens[1.5])/float64(tokens[1]), 0.02)
}

func TestServer_PassesOverReminders(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	body := `{"model":"m","messages":[{"role":"user","content":"say hello"},{"role":"user","content":"<system-reminder>say no</system-reminder>"}]}`
	_, answer := post(t, s.URL()+"/v1/chat/completions", body)
	require.Contains(t, answer, `"content":"hello"`)
}

func send(t *testing.T, url, text string) (int, string) {
	t.Helper()
	return post(t, url, fmt.Sprintf(`{"model":"m","max_tokens":10,"messages":[{"role":"user","content":%[1]q}],"input":%[1]q}`, text))
}

func post(t *testing.T, url, body string) (int, string) {
	t.Helper()
	response, err := http.Post(url, "application/json", strings.NewReader(body))
	require.NoError(t, err)
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(answer)
}
