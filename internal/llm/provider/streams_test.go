package provider_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm"
	"xbot/internal/llm/provider"
)

// oddStream is a stream of testdata/streams, with the answer that it is. The README there says how it is written.
type oddStream struct {
	name, dialect, source string
	body                  string
	text, thoughts        string
	calls                 []llm.ToolCall
	usage                 *chat.Usage
	finish                llm.FinishReason
	kind                  fault.Kind
	back                  []string
}

// readStreams reads all of them.
func readStreams(t testing.TB) []oddStream {
	t.Helper()
	files, err := filepath.Glob("testdata/streams/*.txt")
	require.NoError(t, err)
	var all []oddStream
	for _, file := range files {
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, one := range strings.Split("\n"+string(raw), "\n== ")[1:] {
			head, lines, found := strings.Cut(one, "\n--\n")
			require.True(t, found, "%s: %s", file, one)
			s := parseStream(t, head)
			s.name = filepath.Base(file) + ": " + s.name
			for line := range strings.Lines(lines) {
				s.body += expand(t, strings.TrimSuffix(line, "\n"))
			}
			all = append(all, s)
		}
	}
	return all
}

func parseStream(t testing.TB, head string) oddStream {
	t.Helper()
	lines := strings.Split(head, "\n")
	s := oddStream{name: lines[0], finish: llm.FinishStop}
	for _, line := range lines[1:] {
		key, value, _ := strings.Cut(line, ": ")
		var err error
		switch key {
		case "dialect":
			s.dialect = value
		case "source":
			s.source = value
		case "text":
			s.text, err = strconv.Unquote(value)
		case "thoughts":
			s.thoughts, err = strconv.Unquote(value)
		case "call":
			name, arguments, _ := strings.Cut(value, " ")
			s.calls = append(s.calls, llm.ToolCall{Name: name, Arguments: compact(arguments)})
			s.finish = llm.FinishToolCalls
		case "usage":
			s.usage = &chat.Usage{}
			_, err = fmt.Sscan(value, &s.usage.PromptTokens, &s.usage.CachedTokens, &s.usage.CompletionTokens)
		case "finish":
			s.finish = llm.FinishReason(value)
		case "error":
			s.kind = fault.Kind(value)
		case "back":
			s.back = strings.Fields(value)
		default:
			t.Fatalf("%s: unknown field %q", s.name, line)
		}
		require.NoError(t, err, line)
	}
	require.Contains(t, s.source, "https://", s.name)
	return s
}

// expand returns the bytes of a line.
func expand(t testing.TB, line string) string {
	t.Helper()
	mark, rest, _ := strings.Cut(line, " ")
	switch mark {
	case "":
		return ""
	case ">":
		return "data: " + rest + "\n\n"
	case "d":
		return `data: {"id":"x","object":"chat.completion.chunk","choices":[{"index":0,"delta":` + rest + `,"finish_reason":null}]}` + "\n\n"
	case "f":
		return `data: {"id":"x","choices":[{"index":0,"delta":{},"finish_reason":"` + rest + `"}]}` + "\n\n"
	case "a":
		var event struct{ Type string }
		require.NoError(t, json.Unmarshal([]byte(rest), &event), line)
		return "event: " + event.Type + "\ndata: " + rest + "\n\n"
	case "done":
		return "data: [DONE]\n\n"
	case "&":
		text, err := strconv.Unquote(rest)
		require.NoError(t, err, line)
		return text
	}
	t.Fatalf("unknown line %q", line)
	return ""
}

// client makes a client of the dialect that reaches a provider by a transport.
func (s oddStream) client(t testing.TB, address, model string, transport http.RoundTripper) llm.Client {
	t.Helper()
	cfg := provider.Config{Provider: provider.OpenAI, BaseURL: address, Model: model, Verbatim: true, Transport: transport}
	switch s.dialect {
	case "anthropic":
		cfg.Provider = provider.Anthropic
	case "responses":
		cfg.Responses = true
	default:
		require.Equal(t, "chat", s.dialect, s.name)
	}
	client, err := provider.FromConfig(cfg)
	require.NoError(t, err)
	return client
}

// check compares an answer with what it is to be.
func (s oddStream) check(t testing.TB, answer llm.Answer, sink *heard, err error) {
	t.Helper()
	if s.kind != "" {
		require.Error(t, err, s.name)
		require.Equal(t, s.kind, fault.KindOf(err), "%s: %v", s.name, err)
		require.Empty(t, answer.ToolCalls, s.name)
		require.Empty(t, answer.Opaque, s.name)
		require.Equal(t, s.text, answer.Text, s.name)
		return
	}
	require.NoError(t, err, s.name)
	require.Equal(t, s.text, answer.Text, s.name)
	require.Equal(t, s.thoughts, answer.Reasoning, s.name)
	require.Equal(t, s.finish, answer.Finish, s.name)
	var calls []llm.ToolCall
	for _, call := range answer.ToolCalls {
		calls = append(calls, llm.ToolCall{Name: call.Name, Arguments: compact(call.Arguments)})
	}
	require.Equal(t, s.calls, calls, s.name)
	if s.usage != nil {
		require.Equal(t, *s.usage, answer.Usage, s.name)
	}
	require.Len(t, sink.names, len(calls), s.name)
	for n, call := range calls {
		require.Equal(t, call.Name, sink.names[n], s.name)
	}
}

// compact writes JSON without white space; other text stays.
func compact(text string) string {
	var out bytes.Buffer
	if json.Compact(&out, []byte(text)) != nil {
		return text
	}
	return out.String()
}

// heard is a sink that remembers.
type heard struct {
	text, thoughts strings.Builder
	names          []string
}

func (h *heard) Text(piece string)        { h.text.WriteString(piece) }
func (h *heard) Reasoning(piece string)   { h.thoughts.WriteString(piece) }
func (h *heard) ToolCall(_ int, n string) { h.names = append(h.names, n) }
func (h *heard) Arguments(int, string)    {}
func (h *heard) Progress()                {}

// question is the first request of a conversation. The model can call the tools that it calls.
func (s oddStream) question() llm.Request {
	req := llm.Request{Messages: []llm.Message{{Role: "user", Content: "x"}}}
	for _, call := range s.calls {
		req.Tools = append(req.Tools, llm.Tool{Name: call.Name})
	}
	return req
}

// after is the request that follows an answer, with the results of its calls.
func (s oddStream) after(a llm.Answer) llm.Request {
	said := llm.Message{Role: "assistant", Content: a.Text, Reasoning: a.Reasoning, Opaque: a.Opaque, ToolCalls: a.ToolCalls}
	messages := []llm.Message{s.question().Messages[0], said}
	for i := range said.ToolCalls {
		said.ToolCalls[i].ID = fmt.Sprint("call.", i)
		messages = append(messages, llm.Message{Role: "tool", ToolCallID: said.ToolCalls[i].ID, Content: "done"})
	}
	return llm.Request{Messages: messages}
}

func TestStreams_OfProvidersAreReadAsTheyAreMeant(t *testing.T) {
	t.Parallel()
	all := readStreams(t)
	count := map[string]int{}
	for _, s := range all {
		count[s.dialect]++
	}
	require.GreaterOrEqual(t, len(all), 120)
	require.Len(t, count, 3)
	for _, s := range all {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			var sent []byte
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				sent, _ = io.ReadAll(r.Body)     // all that came counts
				_, _ = io.WriteString(w, s.body) // the client may have gone
			}))
			defer server.Close()
			client := s.client(t, server.URL+"/v1", "m", &http.Transport{DisableKeepAlives: true})
			sink := &heard{}
			answer, err := client.Generate(t.Context(), s.question(), sink)
			s.check(t, answer, sink, err)
			if err != nil {
				return
			}
			_, _ = client.Generate(t.Context(), s.after(answer), nil) // what was sent counts
			for _, word := range s.back {
				require.Contains(t, string(sent), word, "what its provider wants back")
			}
			other := s.client(t, server.URL+"/v1", "another", &http.Transport{DisableKeepAlives: true})
			_, _ = other.Generate(t.Context(), s.after(answer), nil) // what was sent counts
			for _, word := range s.back {
				require.NotContains(t, string(sent), word, "it goes to nobody else")
			}
			if s.thoughts != "" {
				require.NotContains(t, string(sent), "reasoning_content", "thoughts go to nobody else")
			}
		})
	}
}

// canned answers each request with one body, without a network, in reads of a few bytes.
type canned struct {
	body string
	size int
}

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	body := io.NopCloser(&slowReader{[]byte(c.body), max(1, c.size)})
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: body, Request: r}, nil
}

// slowReader returns a few bytes at a time.
type slowReader struct {
	rest []byte
	size int
}

func (r *slowReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.rest[:min(r.size, len(r.rest))])
	r.rest = r.rest[n:]
	return n, nil
}

// changes are what networks and proxies do to a stream that means the same afterwards.
var changes = []struct {
	name string
	do   func(string) string
}{
	{"as it is", func(s string) string { return s }},
	{"a byte order mark", func(s string) string { return "\xef\xbb\xbf" + s }},
	{"CRLF", func(s string) string {
		return strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n"), "\n", "\r\n")
	}},
	{"CR", func(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r") }},
	{"comments", func(s string) string { return ": ok\n\n" + strings.ReplaceAll(s, "\n\n", "\n\n: keep-alive\n\n:\n") }},
	{"ids", func(s string) string { return strings.ReplaceAll(s, "\n\ndata:", "\n\nid: 7\nretry: 10\ndata:") }},
	{"empty data", func(s string) string { return "data:\n\n" + s }},
	{"keys in another order", func(s string) string { return eachEvent(s, turnKeys) }},
	{"events on several lines", func(s string) string { return eachEvent(s, manyLines) }},
}

// changed applies a change to a stream, whose byte order mark stays in front.
func changed(body string, change int) string {
	const mark = "\xef\xbb\xbf"
	rest, marked := strings.CutPrefix(body, mark)
	out := changes[change].do(rest)
	if marked && !strings.HasPrefix(out, mark) {
		out = mark + out
	}
	return out
}

// eachEvent changes the JSON of each line of data.
func eachEvent(body string, change func(string) string) string {
	lines := strings.Split(body, "\n")
	for i, line := range lines {
		if data, found := strings.CutPrefix(line, "data: {"); found && json.Valid([]byte("{"+data)) && utf8.ValidString(data) {
			lines[i] = "data: " + change("{"+data)
		}
	}
	return strings.Join(lines, "\n")
}

// turnKeys writes the first keys of an object last.
func turnKeys(object string) string {
	decoder := json.NewDecoder(strings.NewReader(object))
	_, _ = decoder.Token() // the bracket
	var pairs []string
	for decoder.More() {
		key, _ := decoder.Token() // the object is valid
		name, _ := json.Marshal(key)
		var value json.RawMessage
		_ = decoder.Decode(&value)
		pairs = append(pairs, string(name)+":"+string(value))
	}
	slices.Reverse(pairs)
	return "{" + strings.Join(pairs, ",") + "}"
}

// manyLines writes an event as a proxy does that makes JSON readable.
func manyLines(object string) string {
	var out bytes.Buffer
	if json.Indent(&out, []byte(object), "", " ") != nil {
		return object
	}
	return strings.ReplaceAll(out.String(), "\n", "\ndata: ") + "\n"
}

func TestStreams_MeanTheSameHoweverTheyTravel(t *testing.T) {
	t.Parallel()
	for _, s := range readStreams(t) {
		for i, change := range changes {
			for _, size := range []int{1, 3, 7 + i, 1 << 20} {
				client := s.client(t, "http://host/v1", "m", canned{changed(s.body, i), size})
				sink := &heard{}
				answer, err := client.Generate(t.Context(), s.question(), sink)
				was := s.name
				s.name = was + ", " + change.name + ", in reads of " + strconv.Itoa(size)
				s.check(t, answer, sink, err)
				s.name = was
			}
		}
	}
}

func TestStreams_OfAHostileProviderAreBounded(t *testing.T) {
	t.Parallel()
	const many = 20_000
	call := func(n int) string {
		return fmt.Sprintf(`{"index":%d,"id":"c%d","function":{"name":"A","arguments":"{}"}}`, n, n)
	}
	item := func(n int) string {
		return fmt.Sprintf(`data: {"type":"response.output_item.done","output_index":%d,"item":{"type":"function_call","id":"f%d","call_id":"c%d","name":"A","arguments":"{}"}}`+"\n\n", n, n, n)
	}
	block := func(n int) string {
		return fmt.Sprintf(`data: {"type":"content_block_start","index":%d,"content_block":{"type":"tool_use","id":"c%d","name":"A","input":{}}}`+"\n\n", n, n)
	}
	repeat := func(one func(int) string, between string) string {
		all := make([]string, many)
		for n := range all {
			all[n] = one(n)
		}
		return strings.Join(all, between)
	}
	for name, s := range map[string]oddStream{
		"calls in one chunk":  {dialect: "chat", body: `data: {"choices":[{"delta":{"tool_calls":[` + repeat(call, ",") + `]},"finish_reason":"stop"}]}` + "\n\n"},
		"calls, not streamed": {dialect: "chat", body: `{"choices":[{"message":{"tool_calls":[` + repeat(call, ",") + `]},"finish_reason":"stop"}]}`},
		"events in one line":  {dialect: "chat", body: "data: " + strings.Repeat(`{"choices":[]}`, many) + "\n\n"},
		"nested parts":        {dialect: "chat", body: `data: {"choices":[{"delta":{"content":` + strings.Repeat(`[{"thinking":`, 4900) + strings.Repeat("}]", 4900) + `}}]}` + "\n\n"},
		"items":               {dialect: "responses", body: repeat(item, "") + `data: {"type":"response.completed"}` + "\n\n"},
		"blocks":              {dialect: "anthropic", body: repeat(block, "") + `data: {"type":"message_delta","delta":{"stop_reason":"tool_use"}}` + "\n\n"},
	} {
		client := s.client(t, "http://host/v1", "m", canned{s.body, 1 << 20})
		answer, err := client.Generate(t.Context(), s.question(), nil)
		require.Equal(t, fault.Unavailable, fault.KindOf(err), "%s: %v", name, err)
		require.Empty(t, answer.ToolCalls, name)
	}
}

func FuzzStreams_LoseNoTextAndNeverPanic(f *testing.F) {
	all := readStreams(f)
	for i := range all {
		f.Add(i, i%len(changes), i%len(changes)+1, 1+i%5, -1, byte(0))
		f.Add(i, 0, 0, 3, i*7, byte(i))
	}
	f.Fuzz(func(t *testing.T, stream, first, second, size, at int, value byte) {
		if stream < 0 || first < 0 || second < 0 {
			return
		}
		s := all[stream%len(all)]
		body := changed(changed(s.body, first%len(changes)), second%len(changes))
		broken := at >= 0 && at < len(body)
		if broken {
			body = body[:at] + string(value) + body[at+1:]
		}
		client := s.client(t, "http://host/v1", "m", canned{body, size})
		sink := &heard{}
		answer, err := client.Generate(t.Context(), s.question(), sink)
		if !broken {
			s.check(t, answer, sink, err)
		}
		require.True(t, utf8.ValidString(answer.Text+answer.Reasoning))
		require.NotContains(t, answer.Text+answer.Reasoning, "\x00")
		if err != nil {
			require.NotEqual(t, fault.Internal, fault.KindOf(err), err.Error())
			require.Empty(t, answer.ToolCalls)
			return
		}
		require.NotEmpty(t, answer.Finish)
		_, _ = client.Generate(t.Context(), s.after(answer), nil) // what was sent counts
	})
}
