package people_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/api/files"
	"xbot/ingress/api/sessions"
	"xbot/ingress/auth"
	"xbot/ingress/ingresstest"
	"xbot/ingress/intake"
	"xbot/ingress/openai/people"
	"xbot/ingress/replystream"
	"xbot/ingress/wake"
	"xbot/internal/chat"
	"xbot/internal/document/webpicture/webpicturetest"
	"xbot/internal/feed"
	"xbot/internal/i18n"
	"xbot/internal/llm/catalogue"
	"xbot/internal/sandbox"
	"xbot/internal/secret"
	"xbot/internal/store"
	"xbot/internal/tool/tooltest"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/policy"
	"xbot/internal/user/users"
)

// bundle is a server over a database of its own, whose person is alice, and an agent that a test plays.
type bundle struct {
	*ingresstest.Bundle
	bus     *feed.Bus
	handler http.Handler
	url     string
	token   string
	closing chan struct{}
	boxes   *boxes

	mu    sync.Mutex
	turns int
	agent func(t turn, asked chat.Message) // answers a message; nil: nobody does
}

func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{Bundle: ingresstest.New(t), bus: feed.New(slog.New(slog.DiscardHandler)), closing: make(chan struct{}), boxes: &boxes{Sandbox: tooltest.New(t)}}
	b.Store = store.New(b.Pool, store.Options{Feed: b.bus})
	b.agent = func(t turn, _ chat.Message) { t.answers("Hello, ", "world") }
	b.Wakes.Fail = func(_ context.Context, r wake.TurnWake) error { b.work(r.Session); return nil }
	b.Woken.Starts = fetches{b.Starts, b}
	document, _, err := policy.Parse([]byte(`{agents: {list: [{id: "main", default: true}, {id: "coder"}]}}`))
	require.NoError(t, err)
	_, err = b.Settings.SetPolicy(t.Context(), b.User.ID, document.JSON())
	require.NoError(t, err)
	policies := &policy.Live{Services: b.Store.Services, Settings: b.Store.Settings}
	b.Dispatch = &intake.Dispatcher{Calls: b.Store.Calls, Turns: b.Store.Turns, Wakes: b.Woken, Policies: policies}
	base := &endpoint.Base{
		Agents: b.Store.Agents, Conversations: b.Store.Conversations, Auth: &auth.Auth{Accounts: b.Store.Users, Hosts: auth.Hosts{Allowed: []string{"xbot.example"}}, Key: secret.Key{1}},
		Info: endpoint.Info{Version: "1.2.3", StartedAt: time.Now()}, Log: slog.New(slog.DiscardHandler),
	}
	models := &catalogue.Live{Policies: policies}
	s := &people.People{
		Base: base, AnswerStore: b.Store.Answers, Attachments: b.Store.Attachments, Services: b.Store.Services, Turns: b.Store.Turns,
		Sessions: &sessions.Endpoints{Base: base, Search: b.Store.Search, Shares: b.Store.Shares, Calls: b.Store.Calls, Turns: b.Store.Turns, Models: models}, Dispatch: b.Dispatch,
		Answers:   &replystream.Source{Answers: b.Store.Answers, Conversations: b.Store.Conversations, Bus: b.bus, Closing: b.closing, PingEvery: 20 * time.Millisecond},
		Catalogue: models, Policies: policies, Key: secret.Key{1}, Pictures: webpicturetest.Fetcher(t),
		Files: &files.Endpoints{Base: base, Attachments: b.Store.Attachments, Calls: b.Store.Calls, Sandboxes: b.boxes},
	}
	b.handler = s.Handler()
	server := httptest.NewUnstartedServer(b.handler)
	server.Config.ReadTimeout = 300 * time.Millisecond // an answer takes longer than it may take to read a request
	server.Start()
	t.Cleanup(func() { server.CloseClientConnections(); server.Close(); b.Woken.Wait() })
	b.url, b.token = server.URL, b.tokenOf(b.User, users.ScopeChat)
	return b
}

// boxes gives everybody one sandbox.
type boxes struct {
	sandbox.Sandbox
	err error // instead of it
}

func (b *boxes) Box(context.Context, chat.UserID, string) (sandbox.Sandbox, error) {
	return b.Sandbox, b.err
}

// fetches has the files of a message where they were put, as the workflow does.
type fetches struct {
	*ingresstest.Starts
	b *bundle
}

func (f fetches) StartFetch(ctx context.Context, id chat.InboxID) error {
	set, err := f.b.Attachments.AttachmentSet(ctx, id)
	if err != nil {
		return err
	}
	for _, file := range set.Files {
		if file.Path = file.At; file.At == "" {
			continue
		}
		if err := f.b.Attachments.FileStored(ctx, id, file); err != nil {
			return err
		}
	}
	if err := f.b.Attachments.EndFetch(ctx, id); err != nil {
		return err
	}
	f.b.work(set.Session)
	return nil
}

func (b *bundle) tokenOf(u users.User, scope users.Scope) string {
	b.T.Helper()
	token, hash := secret.NewToken()
	_, err := b.Users.CreateToken(b.T.Context(), u.ID, users.Token{Name: string(scope), Scope: scope}, hash)
	require.NoError(b.T, err)
	return token
}

// turn is one that a test plays.
type turn struct {
	*bundle
	session chat.SessionKey
	id      chat.TurnID
}

// work answers what waits in a session, as its workflow does.
func (b *bundle) work(key chat.SessionKey) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.agent == nil {
		return
	}
	ctx := context.Background()
	for {
		b.turns++
		t := turn{b, key, chat.TurnID(fmt.Sprint("t", b.turns))}
		_, ok, err := b.Turns.Claim(ctx, key, t.id, string(t.id), 0)
		if err != nil || !ok {
			return // the test has ended, or nothing waits
		}
		page, err := b.Conversations.Messages(ctx, key, conversation.Page{Limit: 1})
		if err != nil {
			return
		}
		b.agent(t, page.Messages[0])
		_, _ = b.Turns.FinishTurn(ctx, key, t.id, chat.TurnDone, "") // unless the agent did
	}
}

// answers says something in one step, piece by piece.
func (t turn) answers(pieces ...string) { t.says(0, 1, strings.Join(pieces, ""), pieces...) }

// says writes pieces in an attempt of a step, and commits the text.
func (t turn) says(step, attempt int, text string, pieces ...string) {
	t.writes(step, attempt, pieces...)
	s := chat.Step{Session: t.session, Turn: t.id, N: step}
	_, err := t.Turns.CommitStep(context.Background(), s, chat.Answer{Text: text, Finish: "stop", Model: "demo/demo", Usage: chat.Usage{PromptTokens: 10, CachedTokens: 4, CompletionTokens: 3}})
	if err != nil {
		panic(err)
	}
}

func (t turn) writes(step, attempt int, pieces ...string) {
	_, _, _, err := t.Turns.BeginStep(context.Background(), chat.Step{Session: t.session, Turn: t.id, N: step})
	if err != nil {
		panic(err)
	}
	offset := 0
	for _, p := range pieces {
		t.bus.PublishDelta(t.session, chat.Delta{Turn: t.id, Step: step, Attempt: attempt, Offset: offset, Text: p})
		offset += len(p)
	}
}

func (t turn) ends(state chat.TurnState, say i18n.ID) {
	if _, err := t.Turns.FinishTurn(context.Background(), t.session, t.id, state, say); err != nil {
		panic(err)
	}
}

type object map[string]any

// answered is an answer of the server.
type answered struct {
	t      *testing.T
	status int
	header http.Header
	body   []byte
}

// do sends a request; headers are pairs.
func (b *bundle) do(token, method, path string, body any, headers ...string) answered {
	b.T.Helper()
	r := b.request(b.T.Context(), token, method, path, body, headers...)
	got, err := http.DefaultClient.Do(r)
	require.NoError(b.T, err)
	defer got.Body.Close()
	read, err := io.ReadAll(got.Body)
	require.NoError(b.T, err)
	return answered{b.T, got.StatusCode, got.Header, read}
}

func (b *bundle) request(ctx context.Context, token, method, path string, body any, headers ...string) *http.Request {
	b.T.Helper()
	var sent []byte
	switch v := body.(type) {
	case nil:
	case string:
		sent = []byte(v)
	default:
		var err error
		sent, err = json.Marshal(v)
		require.NoError(b.T, err)
	}
	r, err := http.NewRequestWithContext(ctx, method, b.url+path, bytes.NewReader(sent))
	require.NoError(b.T, err)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

// post asks as alice.
func (b *bundle) post(path string, body any, headers ...string) answered {
	b.T.Helper()
	return b.do(b.token, http.MethodPost, path, body, headers...)
}

// is decodes the body of an answer that has a status.
func (a answered) is(status int, out any) {
	a.t.Helper()
	require.Equal(a.t, status, a.status, "%s", a.body)
	if out != nil {
		require.NoError(a.t, json.Unmarshal(a.body, out), "%s", a.body)
	}
}

// failure is an error as OpenAI writes it.
type failure struct {
	Message, Type, Code string
	Param               *string
}

func (a answered) fails(status int) failure {
	a.t.Helper()
	var out struct{ Error failure }
	a.is(status, &out)
	require.NotEmpty(a.t, out.Error.Message)
	require.NotEmpty(a.t, out.Error.Type)
	return out.Error
}

// completion is what a client reads of one.
type completion struct {
	ID, Object, Model string
	Choices           []struct {
		Message      struct{ Role, Content string }
		FinishReason string `json:"finish_reason"`
	}
	Usage struct {
		PromptTokens     int `json:"prompt_tokens"`
		CompletionTokens int `json:"completion_tokens"`
		TotalTokens      int `json:"total_tokens"`
		Details          struct {
			CachedTokens int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	}
	Conversation string `json:"conversation_id"`
}

func (c completion) text() string { return c.Choices[0].Message.Content }

// says is a request that asks one thing.
func says(text string, more ...object) object {
	out := object{"model": "xbot", "messages": []object{{"role": "user", "content": text}}}
	for _, m := range more {
		maps.Copy(out, m)
	}
	return out
}

const chats = "/v1/chat/completions"

// events are the data of a stream, in order.
func (a answered) events() (out []string) {
	a.t.Helper()
	require.Equal(a.t, http.StatusOK, a.status, "%s", a.body)
	require.Contains(a.t, a.header.Get("Content-Type"), "text/event-stream")
	lines := bufio.NewScanner(bytes.NewReader(a.body))
	for lines.Scan() {
		if data, is := strings.CutPrefix(lines.Text(), "data: "); is {
			out = append(out, data)
		}
	}
	return out
}

// queued are the messages that alice's conversations have been sent, in order.
func (b *bundle) sent() (texts []string) {
	b.T.Helper()
	rows, err := b.Pool.Query(b.T.Context(), "SELECT body FROM inbox WHERE channel = 'openai' AND kind = 'message' ORDER BY id")
	require.NoError(b.T, err)
	defer rows.Close()
	for rows.Next() {
		var text string
		require.NoError(b.T, rows.Scan(&text))
		texts = append(texts, text)
	}
	return texts
}
