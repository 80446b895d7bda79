package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/service"
	"xbot/internal/store"
)

// consumer is a program outside with the key of a service.
type consumer struct {
	*server
	store *store.Store
	of    service.Service
	key   string
	keyID string
}

// publishes makes a service of the first administrator, with a key.
func (s *server) publishesService(change service.Patch) *consumer {
	s.t.Helper()
	ctx := s.t.Context()
	c := &consumer{server: s, store: store.New(s.database(), store.Options{})}
	var admin chat.UserID
	require.NoError(s.t, s.database().QueryRow(ctx, "SELECT min(id) FROM users WHERE role = 'admin'").Scan(&admin))
	if change.Name == nil {
		change.Name = new("Help desk")
	}
	d, err := service.Defaults().Apply(service.Patch{Limits: service.Limits{RequestsPerMinute: 10_000, Concurrent: 100}.Patch(), Name: new("x")})
	require.NoError(s.t, err)
	d, err = d.Apply(change)
	require.NoError(s.t, err)
	c.of, err = c.store.Services.AddService(ctx, admin, d, true)
	require.NoError(s.t, err)
	key, secret, err := c.store.Services.AddServiceKey(ctx, c.of.ID, "program")
	require.NoError(s.t, err)
	c.key, c.keyID = secret, key.ID
	return c
}

// asks sends a request; headers are pairs. The error is one of the connection.
func (c *consumer) asks(ctx context.Context, method, path string, body any, headers ...string) (*http.Response, error) {
	var from io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		require.NoError(c.t, err)
		from = bytes.NewReader(data)
	}
	r, err := http.NewRequestWithContext(ctx, method, c.url+path, from)
	require.NoError(c.t, err)
	r.Header.Set("Authorization", "Bearer "+c.key)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return http.DefaultClient.Do(r)
}

// reads sends a request, and decodes its answer.
func (c *consumer) reads(status int, into any, method, path string, body any, headers ...string) {
	c.t.Helper()
	got, err := c.asks(c.t.Context(), method, path, body, headers...)
	require.NoError(c.t, err)
	defer got.Body.Close()
	read, err := io.ReadAll(got.Body)
	require.NoError(c.t, err)
	require.Equal(c.t, status, got.StatusCode, "%s", read)
	if into != nil {
		require.NoError(c.t, json.Unmarshal(read, into), "%s", read)
	}
}

type conversationRead struct {
	ID       string
	Running  bool
	Seq      int64
	Messages []struct {
		Role, Content, Error string
		Stopped              bool
	}
}

func (c *consumer) begins() string {
	c.t.Helper()
	var made conversationRead
	c.reads(http.StatusCreated, &made, http.MethodPost, "/api/v1/conversations", map[string]any{})
	return made.ID
}

func (c *consumer) conversation(id string) (out conversationRead) {
	c.t.Helper()
	c.reads(http.StatusOK, &out, http.MethodGet, "/api/v1/conversations/"+id, nil)
	return out
}

// toldEvent is one of a stream.
type toldEvent struct {
	id   string
	kind string
	data map[string]any
}

// follows reads a stream until its end, or until an event is the last that the reader wants. It returns what it read also where the
// connection broke.
func (c *consumer) follows(method, path string, body any, last func(toldEvent) bool, headers ...string) (all []toldEvent) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), crashLimit)
	defer cancel()
	got, err := c.asks(ctx, method, path, body, headers...)
	if err != nil {
		return nil
	}
	defer got.Body.Close()
	if got.StatusCode != http.StatusOK {
		read, _ := io.ReadAll(got.Body)
		require.GreaterOrEqual(c.t, got.StatusCode, 500, "%s", read)
		return nil
	}
	lines, e := bufio.NewScanner(got.Body), toldEvent{}
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if id, is := strings.CutPrefix(lines.Text(), "id: "); is {
			e.id = id
		}
		if data, is := strings.CutPrefix(lines.Text(), "data: "); is {
			require.NoError(c.t, json.Unmarshal([]byte(data), &e.data))
			e.kind, _ = e.data["type"].(string)
			all = append(all, e)
			if last != nil && last(e) {
				return all
			}
			e = toldEvent{}
		}
	}
	return all
}

func (c *consumer) chats(id, text string, last func(toldEvent) bool, headers ...string) []toldEvent {
	c.t.Helper()
	return c.follows(http.MethodPost, "/api/v1/chat", map[string]any{"conversation_id": id, "message": text}, last, headers...)
}

// untilDone sends a message again and again until its answer has ended, as a program does whose connection breaks.
func (c *consumer) untilDone(id, text, once string) (all []toldEvent) {
	c.t.Helper()
	require.Eventually(c.t, func() bool {
		all = c.chats(id, text, nil, "Idempotency-Key", once)
		return len(all) > 0 && isEnd(all[len(all)-1])
	}, crashLimit, 50*time.Millisecond)
	return all
}

func isEnd(e toldEvent) bool               { return e.kind == "done" || e.kind == "error" }
func isKind(k string) func(toldEvent) bool { return func(e toldEvent) bool { return e.kind == k } }

// wholeTexts is the text of an answer as its reader has it in the end.
func wholeTexts(all []toldEvent) (texts []string) {
	pieces := ""
	for _, e := range all {
		content, _ := e.data["content"].(string)
		switch e.kind {
		case "token":
			pieces += content
		case "restart":
			pieces = ""
		case "message":
			pieces = ""
			texts = append(texts, content)
		}
	}
	return texts
}

// turns are those of a conversation.
func (c *consumer) turns(id string) (n int) {
	c.t.Helper()
	require.NoError(c.t, c.database().QueryRow(c.t.Context(), "SELECT count(*) FROM turns WHERE session_key = $1", service.SessionKey(c.of.ID, id)).Scan(&n))
	return n
}

func TestConsumer_AnAnswerWithToolsIsReadWholeWhereverTheConnectionBreaks(t *testing.T) {
	t.Parallel()
	c := newServer(t).publishesService(service.Patch{})
	id := c.begins()
	const text = "say I look\ncall Glob {\"pattern\":\"*\"}\nsay found"
	all := c.chats(id, text, nil, "Idempotency-Key", "k")
	require.NotEmpty(t, all)
	require.Equal(t, "done", all[len(all)-1].kind, "%v", all)
	require.Equal(t, "found", wholeTexts(all)[len(wholeTexts(all))-1])
	var durable []toldEvent
	for _, e := range all {
		if e.id != "" {
			durable = append(durable, e)
		}
	}
	require.GreaterOrEqual(t, len(durable), 5, "%v", durable)
	for i, e := range durable {
		for what, again := range map[string][]toldEvent{
			"events": c.follows(http.MethodGet, "/api/v1/conversations/"+id+"/events", nil, nil, "Last-Event-ID", e.id),
			"chat":   c.chats(id, text, nil, "Idempotency-Key", "k", "Last-Event-ID", e.id),
		} {
			if i == len(durable)-1 {
				if what == "events" {
					require.Equal(t, "done", again[0].kind, "nothing goes on")
				}
				continue
			}
			require.Equal(t, durable[i+1:], again, "%s after %s", what, e.kind)
		}
	}
	require.Equal(t, 1, c.turns(id))
}

func TestConsumer_AMessageIsAnsweredOnceOverKillsOfTheServerAndItsReaderGoesOn(t *testing.T) {
	t.Parallel()
	c := newServer(t).publishesService(service.Patch{})
	id := c.begins()
	const text = "stream 60 50ms"
	begun := c.chats(id, text, isKind("token"), "Idempotency-Key", "k")
	require.Equal(t, "token", begun[len(begun)-1].kind, "the program went away in the middle")
	c.crash()
	c.boot()
	all := c.untilDone(id, text, "k")
	require.Len(t, wholeTexts(all), 1)
	require.Len(t, strings.Fields(wholeTexts(all)[0]), 60, "the whole answer, once")
	require.Equal(t, 1, c.turns(id), "it was answered once")
	read := c.conversation(id)
	require.Len(t, read.Messages, 2)
	require.Equal(t, wholeTexts(all)[0], read.Messages[1].Content)

	// Killed between the request and its answer: nobody knows whether the message was accepted.
	for n := range 3 {
		once := fmt.Sprint("again ", n)
		sent := make(chan []toldEvent, 1)
		go func() { sent <- c.chats(id, "say number", nil, "Idempotency-Key", once) }()
		select {
		case <-sent:
		case <-time.After(time.Duration(n*15) * time.Millisecond): // a moment of the kill, and no synchronisation
		}
		c.crash()
		c.boot()
		require.Equal(t, []string{"number"}, wholeTexts(c.untilDone(id, "say number", once)))
		require.Equal(t, 2+n, c.turns(id))
	}
}

func TestConsumer_AKilledWorkerRestartsTheStepAndNoTextIsDoubled(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	c := p.publishesService(service.Patch{})
	id := c.begins()
	killed := false
	all := c.chats(id, "stream 60 50ms", func(e toldEvent) bool {
		if e.kind == "token" && !killed {
			killed = true
			p.worker.kill()
			p.worker.start()
		}
		return false
	}, "Idempotency-Key", "k")
	require.True(t, killed)
	require.Equal(t, "done", all[len(all)-1].kind, "the stream itself was not cut")
	require.Len(t, wholeTexts(all), 1)
	require.Len(t, strings.Fields(wholeTexts(all)[0]), 60)
	require.Equal(t, 1, c.turns(id))
}

func TestConsumer_WhoeverGoesAwayCancelsNothingAndAStopEndsTheTurn(t *testing.T) {
	t.Parallel()
	c := newServer(t).publishesService(service.Patch{})
	id := c.begins()
	c.chats(id, "stream 40 25ms", isKind("token"))
	require.Eventually(t, func() bool { return !c.conversation(id).Running }, time.Minute, 20*time.Millisecond)
	require.Len(t, strings.Fields(c.conversation(id).Messages[1].Content), 40, "nobody read it, and it is whole")

	all := c.chats(id, "stream 400 50ms", func(e toldEvent) bool {
		if e.kind == "token" && e.data["stopped"] == nil {
			var stopped struct{ Stopped bool }
			c.reads(http.StatusOK, &stopped, http.MethodPost, "/api/v1/conversations/"+id+"/stop", nil)
		}
		return isEnd(e)
	})
	require.Equal(t, "stopped", all[len(all)-1].data["finish_reason"])
	read := c.conversation(id)
	require.True(t, read.Messages[3].Stopped)
	require.Less(t, len(strings.Fields(read.Messages[3].Content)), 400)
}

func TestConsumer_AStreamEndsWhenItsKeyIsRevokedAndWhenItsServiceIsWithdrawn(t *testing.T) {
	t.Parallel()
	c := newServer(t).publishesService(service.Patch{})
	id := c.begins()
	var changed bool
	withdrawn := c.chats(id, "stream 200 50ms", func(e toldEvent) bool {
		if e.kind == "token" && !changed {
			changed = true
			_, err := c.store.Services.ChangeService(t.Context(), c.of.ID, 0, service.Patch{Published: new(false)})
			require.NoError(t, err)
		}
		return false
	})
	require.Equal(t, "denied", withdrawn[len(withdrawn)-1].data["code"])
	c.reads(http.StatusForbidden, nil, http.MethodGet, "/api/v1/conversations/"+id, nil)
	_, err := c.store.Services.ChangeService(t.Context(), c.of.ID, 0, service.Patch{Published: new(true)})
	require.NoError(t, err)
	changed = false
	revoked := c.follows(http.MethodGet, "/api/v1/conversations/"+id+"/events", nil, func(e toldEvent) bool {
		if e.kind == "token" && !changed {
			changed = true
			require.NoError(t, c.store.Services.RevokeServiceKey(t.Context(), c.of.ID, c.keyID))
		}
		return false
	})
	require.Equal(t, "unauthorized", revoked[len(revoked)-1].data["code"], "%v", revoked)
	c.reads(http.StatusUnauthorized, nil, http.MethodGet, "/api/v1/conversations/"+id, nil)
}

func TestConsumer_FilesGoBothWaysThroughTheRoomOfTheConversation(t *testing.T) {
	t.Parallel()
	c := newServer(t).publishesService(service.Patch{})
	id := c.begins()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", "notes.txt")
	require.NoError(t, err)
	_, err = io.WriteString(part, "the colour is heliotrope")
	require.NoError(t, err)
	require.NoError(t, form.Close())
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.url+"/api/v1/conversations/"+id+"/attachments", &body)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+c.key)
	r.Header.Set("Content-Type", form.FormDataContentType())
	got, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer got.Body.Close()
	var sent []struct{ Path string }
	require.NoError(t, json.NewDecoder(got.Body).Decode(&sent))
	require.Equal(t, http.StatusOK, got.StatusCode)

	all := c.follows(http.MethodPost, "/api/v1/chat", map[string]any{
		"conversation_id": id, "attachments": []string{sent[0].Path},
		"message": fmt.Sprintf("call Read {\"path\":\"/attachments/%s\"}\ncall FileCreate {\"path\":\"/generated/out.txt\",\"content\":\"seen\"}\nsay done", sent[0].Path),
	}, nil)
	require.NotEmpty(t, all)
	require.Equal(t, "done", all[len(all)-1].kind, "%v", all)
	results := fmt.Sprint(all)
	require.Contains(t, results, "heliotrope")
	require.NotContains(t, results, c.home)
	var files []struct{ Path string }
	c.reads(http.StatusOK, &files, http.MethodGet, "/api/v1/conversations/"+id+"/files", nil)
	require.Len(t, files, 1)
	out, err := c.asks(t.Context(), http.MethodGet, "/api/v1/conversations/"+id+"/files/"+files[0].Path, nil)
	require.NoError(t, err)
	defer out.Body.Close()
	made, err := io.ReadAll(out.Body)
	require.NoError(t, err)
	require.Equal(t, "seen", string(made))
}
