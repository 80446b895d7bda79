package consumer_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/consumer"
	"xbot/ingress/ingresstest"
	"xbot/ingress/replystream"
	"xbot/internal/chat"
	"xbot/internal/document/webpicture/webpicturetest"
	"xbot/internal/feed"
	"xbot/internal/i18n"
	"xbot/internal/secret"
	"xbot/internal/service"
	"xbot/internal/service/servicestore"
	"xbot/internal/store"
)

// bundle is the API over a database, with a service of the administrator.
type bundle struct {
	*ingresstest.Bundle
	bus     *feed.Bus
	api     *consumer.API
	url     string
	service service.Service
	key     string
	closing chan struct{}
	shut    func() // ends the server as a clean stop does
}

// address says that every request comes from where its header says.
type address struct{}

func (address) Address(r *http.Request) string { return r.Header.Get("X-From") }

func setup(t *testing.T, change ...service.Patch) *bundle {
	t.Helper()
	b := &bundle{Bundle: ingresstest.New(t), bus: feed.New(slog.New(slog.DiscardHandler)), closing: make(chan struct{})}
	b.Store = store.New(b.Pool, store.Options{Feed: b.bus})
	connected := make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	go func() { defer close(connected); _ = b.bus.Run(ctx, b.Pool.Config().ConnString()) }()
	t.Cleanup(func() { cancel(); <-connected })
	b.Dispatch.Calls, b.Dispatch.Turns = b.Store.Calls, b.Store.Turns
	b.Dispatch.Commands = ingresstest.Commands(b.Store)
	b.service, b.key = b.offer(change...)
	b.api = consumer.New(consumer.Config{
		Messages: b.Store.Answers, Attachments: b.Store.Attachments, Conversations: b.Store.Conversations, ServiceUsage: b.Store.ServiceUsage, Services: b.Store.Services, Turns: b.Store.Turns,
		Dispatch: b.Dispatch, Answers: &replystream.Source{Answers: b.Store.Answers, Conversations: b.Store.Conversations, Bus: b.bus, Closing: b.closing, PingEvery: 50 * time.Millisecond},
		Addresses: address{}, Key: secret.Key{1, 2, 3}, Log: slog.New(slog.DiscardHandler), Pictures: webpicturetest.Fetcher(t),
	})
	stop := b.api.Records(ctx)
	server := httptest.NewServer(b.api)
	b.shut = sync.OnceFunc(func() { server.CloseClientConnections(); server.Close(); stop() })
	t.Cleanup(b.shut)
	b.url = server.URL
	return b
}

// offer makes a service of the administrator.
func (b *bundle) offer(change ...service.Patch) (service.Service, string) {
	b.T.Helper()
	d, err := service.Defaults().Apply(service.Patch{Name: new("Help desk"), Limits: service.Limits{RequestsPerMinute: 10_000, Concurrent: 100}.Patch()})
	require.NoError(b.T, err)
	for _, p := range change {
		d, err = d.Apply(p)
		require.NoError(b.T, err)
	}
	made, err := b.Services.AddService(b.T.Context(), b.User.ID, d, true)
	require.NoError(b.T, err)
	return made, b.keyOf(made)
}

func (b *bundle) keyOf(of service.Service) string {
	b.T.Helper()
	_, key, err := b.Services.AddServiceKey(b.T.Context(), of.ID, "shop")
	require.NoError(b.T, err)
	return key
}

func (b *bundle) caller(key string) servicestore.Caller {
	b.T.Helper()
	by, err := b.Services.CallerOf(b.T.Context(), secret.HashToken(key))
	require.NoError(b.T, err)
	return by
}

type object = map[string]any

// answered is an answer that was read whole.
type answered struct {
	t      *testing.T
	status int
	header http.Header
	body   []byte
}

func (a answered) is(status int, into any) answered {
	a.t.Helper()
	require.Equal(a.t, status, a.status, "%s", a.body)
	if into != nil {
		require.NoError(a.t, json.Unmarshal(a.body, into), "%s", a.body)
	}
	return a
}

// problem is the word for programs of an error.
func (a answered) problem(status int) string {
	a.t.Helper()
	var p consumer.Problem
	a.is(status, &p)
	require.Equal(a.t, "application/problem+json", a.header.Get("Content-Type"))
	require.Equal(a.t, status, p.Status)
	require.NotEmpty(a.t, p.Detail)
	return p.Code
}

// request sends a request with a key of the service; headers are pairs.
func (b *bundle) request(ctx context.Context, key, method, path string, body any, headers ...string) *http.Response {
	b.T.Helper()
	got, err := http.DefaultClient.Do(b.newRequest(ctx, key, method, path, body, headers...))
	require.NoError(b.T, err)
	return got
}

func (b *bundle) newRequest(ctx context.Context, key, method, path string, body any, headers ...string) *http.Request {
	b.T.Helper()
	var from io.Reader
	switch body := body.(type) {
	case nil:
	case []byte:
		from = bytes.NewReader(body)
	default:
		data, err := json.Marshal(body)
		require.NoError(b.T, err)
		from = bytes.NewReader(data)
	}
	r, err := http.NewRequestWithContext(ctx, method, b.url+path, from)
	require.NoError(b.T, err)
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

func (b *bundle) do(key, method, path string, body any, headers ...string) answered {
	b.T.Helper()
	got := b.request(b.T.Context(), key, method, path, body, headers...)
	defer got.Body.Close()
	read, err := io.ReadAll(got.Body)
	require.NoError(b.T, err)
	return answered{b.T, got.StatusCode, got.Header, read}
}

// conversation begins one.
func (b *bundle) conversation() service.Conversation {
	b.T.Helper()
	var made consumer.ConversationWithMessages
	b.do(b.key, http.MethodPost, "/api/v1/conversations", object{}).is(http.StatusCreated, &made)
	c, err := b.Services.ConsumerConversation(b.T.Context(), b.caller(b.key), made.ID)
	require.NoError(b.T, err)
	return c
}

func at(c service.Conversation, rest string) string { return "/api/v1/conversations/" + c.ID + rest }

// told is an event of a stream.
type told struct {
	id   string
	data object
}

func (e told) kind() string {
	kind, _ := e.data["type"].(string)
	return kind
}

// reader reads a stream.
type reader struct {
	b     *bundle
	body  io.ReadCloser
	lines *bufio.Scanner
	leave context.CancelFunc
}

func (b *bundle) stream(key, method, path string, body any, headers ...string) *reader {
	b.T.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), ingresstest.Limit)
	got := b.request(ctx, key, method, path, body, headers...)
	if got.StatusCode != http.StatusOK {
		read, _ := io.ReadAll(got.Body)
		require.Equal(b.T, http.StatusOK, got.StatusCode, "%s", read)
	}
	require.Contains(b.T, got.Header.Get("Content-Type"), "text/event-stream")
	r := &reader{b, got.Body, bufio.NewScanner(got.Body), cancel}
	b.T.Cleanup(r.close)
	return r
}

func (b *bundle) chats(c service.Conversation, text string, headers ...string) *reader {
	b.T.Helper()
	return b.stream(b.key, http.MethodPost, "/api/v1/chat", object{"conversation_id": c.ID, "message": text}, headers...)
}

// streamOf sends a message under a key of the client's, and reads its answer as a stream.
func (b *bundle) streamOf(path string, body object, once string) *reader {
	b.T.Helper()
	return b.stream(b.key, http.MethodPost, path, body, "Idempotency-Key", once)
}

func (r *reader) close() {
	r.leave()
	_ = r.body.Close()
}

// next is the next event; ok is false where the stream has ended.
func (r *reader) next() (e told, ok bool) {
	r.b.T.Helper()
	for r.lines.Scan() {
		line := r.lines.Text()
		if id, is := strings.CutPrefix(line, "id: "); is {
			e.id = id
		}
		if data, is := strings.CutPrefix(line, "data: "); is {
			require.NoError(r.b.T, json.Unmarshal([]byte(data), &e.data), line)
			return e, true
		}
	}
	return e, false
}

// until reads up to an event of a kind.
func (r *reader) until(kind string) (all []told) {
	r.b.T.Helper()
	for {
		e, ok := r.next()
		require.True(r.b.T, ok, "the stream ended before %s: %v", kind, all)
		if all = append(all, e); e.kind() == kind {
			return all
		}
	}
}

func kinds(all []told) (out []string) {
	for _, e := range all {
		out = append(out, e.kind())
	}
	return out
}

// turn is a turn of a conversation that a test plays.
type turn struct {
	*bundle
	session chat.SessionKey
	id      chat.TurnID
}

func (b *bundle) claims(c service.Conversation, id chat.TurnID) turn {
	b.T.Helper()
	b.ClaimTurn(c.Session, id)
	return turn{b, c.Session, id}
}

func (t turn) step(n int) chat.Step { return chat.Step{Session: t.session, Turn: t.id, N: n} }

func (t turn) begins(n int) {
	t.T.Helper()
	_, _, _, err := t.Turns.BeginStep(t.T.Context(), t.step(n))
	require.NoError(t.T, err)
}

func (t turn) writes(n int, pieces ...string) {
	offset := 0
	for _, p := range pieces {
		t.bus.PublishDelta(t.session, chat.Delta{Turn: t.id, Step: n, Attempt: 1, Offset: offset, Text: p})
		offset += len(p)
	}
}

// argues publishes pieces of the arguments of a call of a step.
func (t turn) argues(n, call, offset int, pieces ...string) {
	for _, p := range pieces {
		t.bus.PublishDelta(t.session, chat.Delta{
			Turn: t.id, Step: n, Attempt: 1, ToolName: "Read", Call: chat.NewCallID(t.id, n, call), ArgumentsOffset: offset, Arguments: p,
		})
		offset += len(p)
	}
}

func (t turn) says(n int, text string, tools ...string) (ids []chat.CallID) {
	t.T.Helper()
	a := chat.Answer{Text: text, Finish: "stop", Model: "demo/demo", Usage: chat.Usage{PromptTokens: 10, CompletionTokens: 3}}
	for i, name := range tools {
		a.Finish = "tool_calls"
		ids = append(ids, chat.NewCallID(t.id, n, i))
		a.Calls = append(a.Calls, chat.ToolCall{ID: ids[i], Name: name, Class: chat.ClassRead, Arguments: `{"a":1}`})
	}
	_, err := t.Turns.CommitStep(t.T.Context(), t.step(n), a)
	require.NoError(t.T, err)
	return ids
}

func (t turn) calls(id chat.CallID, result string) {
	t.T.Helper()
	call, err := t.Calls.Call(t.T.Context(), id)
	require.NoError(t.T, err)
	_, err = t.Calls.BeginCall(t.T.Context(), call)
	require.NoError(t.T, err)
	require.NoError(t.T, t.Calls.FinishCall(t.T.Context(), id, chat.ToolResult{Content: result}))
}

func (t turn) ends(state chat.TurnState, say i18n.ID, args ...any) {
	t.T.Helper()
	_, err := t.Turns.FinishTurn(t.T.Context(), t.session, t.id, state, say, args...)
	require.NoError(t.T, err)
}

// answers plays a whole turn.
func (t turn) answers(text string) {
	t.begins(0)
	t.says(0, text)
	t.ends(chat.TurnDone, "")
}
