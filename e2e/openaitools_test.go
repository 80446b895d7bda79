package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

func TestOpenAI_TheOfficialClientBringsToolsFormsAndFiles(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	token := s.openAIToken()
	run := func(out any, what string, program ...string) {
		t.Helper()
		s.runsNode("openaitools.mjs", "/v1", token, what, strings.Join(program, "\n")).says("done", out)
	}

	var tools map[string]struct {
		Text, Conversation string
		Called             []string
	}
	run(&tools, "tools", `call get_weather {"city":"Rome"}`, `call get_weather {"city":"Oslo"}`, "then", `call get_weather {"city":"Bern"}`, "say It is warm.")
	require.Len(t, tools, 5)
	for name, got := range tools {
		require.Equal(t, "It is warm.", got.Text, name)
		require.Equal(t, []string{"Rome", "Oslo", "Bern"}, got.Called, "%s: each call is run once", name)
		k := s.conversationOf(got.Conversation)
		require.Equal(t, []string{"It is warm."}, k.answers(), "%s is one conversation", name)
		k.wellFormed()
	}

	var forms struct {
		Parsed []struct {
			City string
			Warm bool
		}
	}
	run(&forms, "forms", "say Here:\\n```json\\n{\"city\":\"Rome\",\"warm\":true}\\n```")
	require.Len(t, forms.Parsed, 4)
	for _, got := range forms.Parsed {
		require.Equal(t, "Rome", got.City)
		require.True(t, got.Warm)
	}

	var files struct{ Chat, Response, Refused string }
	run(&files, "files", `call Glob {"pattern":"uploads/*"}`, "say I have it.")
	require.Equal(t, "I have it.", files.Chat)
	require.Equal(t, "I have it.", files.Response)
	require.Equal(t, "input[0].content[0].file_id", files.Refused)
	attached := regexp.MustCompile(`\[(file|audio): [0-9a-f]{8}-(\S+) · \d+ bytes · (/\S+)\]`)
	want := map[string]string{"file notes.txt": "seven lines", "audio audio.wav": "RIFF of a song", "file report.txt": "a report"}
	for _, r := range s.model.Requests() {
		for _, found := range attached.FindAllStringSubmatch(r.User, -1) {
			name := found[1] + " " + found[2]
			if content, ok := want[name]; ok { // else it was read: each step of a turn sends the message again
				require.Equal(t, content, read(t, found[3]))
				require.Contains(t, found[3], "/uploads/")
				delete(want, name)
			}
		}
	}
	require.Empty(t, want, "the model is told where each file is")
	last := s.model.Requests()[s.model.Count()-1]
	require.Contains(t, last.LastTool(), "-report.txt", "the tools of the agent find it")
}

// program is a program that speaks to /v1 and sends what is not answered again.
type program struct {
	*server
	token string
}

// completion is what it reads of an answer.
type completion struct {
	ID           string
	Conversation string `json:"conversation_id"`
	Choices      []struct {
		Message struct {
			Content string
			Calls   []json.RawMessage `json:"tool_calls"`
		}
		Finish string `json:"finish_reason"`
	}
}

// completes sends a request for a completion; ok is false if it was not answered.
func (p program) completes(body map[string]any, key string) (out completion, ok bool) {
	data, err := json.Marshal(body)
	require.NoError(p.t, err)
	r, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.url+"/v1/chat/completions", bytes.NewReader(data))
	require.NoError(p.t, err)
	r.Header.Set("Authorization", "Bearer "+p.token)
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		return out, false
	}
	defer got.Body.Close()
	read, err := io.ReadAll(got.Body)
	return out, err == nil && got.StatusCode == http.StatusOK && json.Unmarshal(read, &out) == nil
}

// untilCompleted sends a request until it is answered.
func (p program) untilCompleted(body map[string]any, key string) (out completion) {
	p.t.Helper()
	require.Eventually(p.t, func() (ok bool) { out, ok = p.completes(body, key); return ok }, crashLimit, 50*time.Millisecond)
	return out
}

// loses sends a request whose server is killed meanwhile. The channel has whether the connection was lost.
func (p program) loses(body map[string]any, key string) <-chan bool {
	lost := make(chan bool, 1)
	go func() { _, ok := p.completes(body, key); lost <- !ok }()
	return lost
}

// weatherAsk is a request with a tool of the program.
func weatherAsk(lines ...string) map[string]any {
	type object = map[string]any
	tool := object{"type": "function", "function": object{"name": "get_weather", "parameters": object{"type": "object", "properties": object{"city": object{"type": "string"}}}}}
	return object{"model": "xbot", "messages": []any{object{"role": "user", "content": strings.Join(lines, "\n")}}, "tools": []any{tool}}
}

// returned is the request behind an answer with calls: the results are those of the program's tools.
func returned(t *testing.T, ask map[string]any, c completion, result string) map[string]any {
	t.Helper()
	require.Equal(t, "tool_calls", c.Choices[0].Finish)
	messages := append(append([]any{}, ask["messages"].([]any)...), map[string]any{"role": "assistant", "content": nil, "tool_calls": c.Choices[0].Message.Calls})
	for _, raw := range c.Choices[0].Message.Calls {
		var call struct{ ID string }
		require.NoError(t, json.Unmarshal(raw, &call))
		messages = append(messages, map[string]any{"role": "tool", "tool_call_id": call.ID, "content": result})
	}
	return map[string]any{"model": "xbot", "messages": messages, "tools": ask["tools"]}
}

func TestOpenAI_AToolOfTheClientIsHandedOverAndAnsweredOnceAcrossKills(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	p := program{s, s.openAIToken()}
	killed := func(h *hold, lost <-chan bool) {
		t.Helper()
		h.waits(1)
		s.crash()
		require.True(t, <-lost)
		h.release()
		s.boot()
	}
	same := func(body map[string]any, want completion) {
		t.Helper()
		require.Equal(t, want, p.untilCompleted(body, ""), "the same request has the same answer")
	}

	ask := weatherAsk(`call get_weather {"city":"Rome"}`, "say It is sunny.")
	h := s.held("BEFORE UPDATE ON tool_calls", "NEW.class = 'client' AND NEW.state = 'done' AND OLD.state <> 'done'")
	killed(h, p.loses(ask, "first")) // the call is being handed over
	first := p.untilCompleted(ask, "first")
	require.Equal(t, 1, s.model.Count(), "the model is not asked again")
	k := s.conversationOf(first.Conversation)

	next := returned(t, ask, first, "sunny")
	h = s.held("BEFORE INSERT ON inbox", "NEW.kind = 'message'")
	killed(h, p.loses(next, "")) // the result is stored, and its message is not
	second := p.untilCompleted(next, "")
	require.Equal(t, "It is sunny.", second.Choices[0].Message.Content)
	require.Equal(t, first.Conversation, second.Conversation)
	same(next, second)
	require.Equal(t, 2, s.model.Count())
	require.Equal(t, []string{"It is sunny."}, k.answers())
	k.wellFormed()

	ask = weatherAsk(`call get_weather {"city":"Oslo"}`, "then", "stream 60 50ms")
	first = p.untilCompleted(ask, "second")
	next = returned(t, ask, first, "cold")
	asked := s.model.Count()
	lost := p.loses(next, "")
	k = s.conversationOf(first.Conversation)
	k.untilDelta(time.Minute) // the continued turn is in its middle
	s.crash()
	require.True(t, <-lost)
	s.boot()
	second = p.untilCompleted(next, "")
	require.Len(t, strings.Fields(second.Choices[0].Message.Content), 60)
	same(next, second)
	require.LessOrEqual(t, s.model.Count(), asked+2, "once before the kill and once after it")
	require.Len(t, k.answers(), 1)
	k.wellFormed()
	require.Equal(t, "cold", lastCalls(k)[0].Result)
}

// captureClientTools keeps the history of a turn that hands a call of a tool of the program over, beside a call of its own.
func (s *server) captureClientTools(spoken string) {
	s.t.Helper()
	p := program{s, s.openAIToken()}
	first := p.untilCompleted(weatherAsk(`call Glob {"pattern":"*.none"}`, `call get_weather {"city":"`+spoken+`"}`, "say "+spoken), "")
	k := s.conversationOf(first.Conversation)
	turn := k.closed(k.untilEnded(time.Minute, k.transcript().Messages[0].Inbox))
	require.Equal(s.t, chat.TurnDone, turn.State)
	small(s.t, "hands over", s.capture("client-tools", turn), 30, 8<<10)
}
