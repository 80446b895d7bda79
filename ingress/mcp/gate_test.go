package mcp_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/ingress/mcp"
	"xbot/internal/chat"
	"xbot/internal/user/users"
)

// answer is what came back over HTTP.
type answer struct {
	status int
	header http.Header
	body   string
}

// post sends a body as it is, with headers given in pairs.
func (b *bundle) post(method, token, body string, headers ...string) answer {
	b.T.Helper()
	r, err := http.NewRequestWithContext(b.T.Context(), method, b.url, strings.NewReader(body))
	require.NoError(b.T, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	got, err := client.Do(r)
	require.NoError(b.T, err)
	defer got.Body.Close()
	data, err := io.ReadAll(got.Body)
	require.NoError(b.T, err)
	return answer{got.StatusCode, got.Header, string(data)}
}

const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`

func TestGate_AsksForATokenAndForPagesOfOurOwn(t *testing.T) {
	b := setup(t, nil)
	for name, token := range map[string]string{"nobody": "", "a wrong token": "wrong"} {
		got := b.post(http.MethodPost, token, list)
		require.Equal(t, http.StatusUnauthorized, got.status, name)
		require.Equal(t, "Bearer", got.header.Get("WWW-Authenticate"), name)
		require.Equal(t, "application/problem+json", got.header.Get("Content-Type"), name)
	}
	for _, header := range [][]string{{"Origin", "http://evil.example"}, {"Origin", "null"}, {"Sec-Fetch-Site", "cross-site"}} {
		require.Equal(t, http.StatusForbidden, b.post(http.MethodPost, b.token, list, header...).status, header)
	}
	require.Equal(t, http.StatusOK, b.post(http.MethodPost, b.token, list).status)
	require.Equal(t, http.StatusOK, b.post(http.MethodPost, b.token, list, "Host", "xbot.example", "Origin", "https://xbot.example").status, "behind a proxy on this machine")
	require.Equal(t, http.StatusMethodNotAllowed, b.post(http.MethodGet, b.token, "").status, "there is no stream without an end")
	require.Equal(t, http.StatusMethodNotAllowed, b.post(http.MethodDelete, b.token, "").status)
	none, err := b.Conversations.Sessions(t.Context(), b.User.ID, "", 10)
	require.NoError(t, err)
	require.Len(t, none, 1)
}

func TestGate_BoundsWhatARequestMayAsk(t *testing.T) {
	b := setup(t, nil)
	require.Equal(t, http.StatusRequestEntityTooLarge, b.post(http.MethodPost, b.token, list+strings.Repeat(" ", 4<<20)).status)
	batch := b.post(http.MethodPost, b.token, " ["+list+","+list+"]", "Mcp-Protocol-Version", "2025-03-26")
	require.Equal(t, http.StatusBadRequest, batch.status)
	require.Contains(t, batch.body, "batches are not accepted")
	listens := `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}},"notifications":{"toolsListChanged":true}}}`
	got := b.post(http.MethodPost, b.token, listens, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "subscriptions/listen")
	require.Contains(t, got.body, "method not found", "no stream without an end begins")
}

func TestGate_APersonHasABoundedNumberOfRequestsOpen(t *testing.T) {
	b := setup(t, nil)
	c := b.client(b.token, nil)
	var sent mcp.Answer
	c.call(&sent, "send_message", object{"session": key, "text": "hello", "wait": 0})
	waits := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_answer","arguments":{"session":"` + string(key) + `","wait":300}}}`
	ended := make(chan answer, 40)
	for range 40 {
		go func() { ended <- b.post(http.MethodPost, b.token, waits) }()
	}
	for range 8 { // more than 32
		got := <-ended
		require.Equal(t, http.StatusTooManyRequests, got.status)
		require.NotEmpty(t, got.header.Get("Retry-After"))
	}
	bob, err := b.Users.CreateUser(t.Context(), "bob", users.RoleMember)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, b.post(http.MethodPost, b.tokenOf(bob, users.ScopeRead), list).status, "others are not kept out")
	b.replies(t.Context(), key, "t1", "good morning")
	for range 32 {
		got := <-ended
		require.Equal(t, http.StatusOK, got.status)
		require.Contains(t, got.body, "good morning")
	}
	require.Equal(t, http.StatusOK, b.post(http.MethodPost, b.token, list).status)
}

// waiting waits 300 s for an answer that does not come. It returns once the server waits, with what becomes of it.
func (b *bundle) waiting(ctx context.Context, token string) <-chan string {
	b.T.Helper()
	told, ended := make(chan struct{}, 100), make(chan string, 1)
	c := b.client(token, &sdk.ClientOptions{ProgressNotificationHandler: func(context.Context, *sdk.ProgressNotificationClientRequest) { told <- struct{}{} }})
	params := &sdk.CallToolParams{Name: "read_answer", Arguments: object{"session": key, "wait": 300}}
	params.SetProgressToken(7)
	go func() {
		got, err := c.CallTool(ctx, params)
		if err != nil {
			ended <- err.Error()
			return
		}
		ended <- got.Content[0].(*sdk.TextContent).Text
	}()
	<-told
	return ended
}

func TestWait_EndsWithItsRequestItsTokenAndTheServer(t *testing.T) {
	b := setup(t, nil)
	var sent mcp.Answer
	b.client(b.token, nil).call(&sent, "send_message", object{"session": key, "text": "hello", "wait": 0})

	ctx, cancel := context.WithCancel(t.Context())
	gone := b.waiting(ctx, b.token)
	cancel()
	require.Contains(t, <-gone, "canceled") // that the server waits no longer, its end shows: it waits for its requests

	revoked := b.waiting(t.Context(), b.tokenOf(b.User, users.ScopeRead))
	tokens, err := b.Users.Tokens(t.Context(), b.User.ID)
	require.NoError(t, err)
	for _, made := range tokens {
		if made.Scope == users.ScopeRead {
			require.NoError(t, b.Users.RevokeToken(t.Context(), b.User.ID, made.ID))
		}
	}
	require.Contains(t, <-revoked, "this token is unknown, was revoked or has expired")

	stopped := b.waiting(t.Context(), b.token)
	close(b.closing)
	require.Contains(t, <-stopped, "queued", "whoever asks again finds it")
}

func FuzzServer_AnswersWhateverItIsSent(f *testing.F) {
	for _, seed := range []string{
		list, "", "{", "[]", "null", `{"jsonrpc":"2.0"}`, `{"jsonrpc":"2.0","id":{},"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_sessions","arguments":{"limit":1e99}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_messages","arguments":{"session":"agent:main:web:thread:t","after":"x"},"_meta":{"progressToken":{}}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_answer","arguments":{"session":"agent:main:web:thread:t","wait":0},"_meta":{"progressToken":[1]}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[]}}`,
	} {
		f.Add([]byte(seed), "2025-06-18")
		f.Add([]byte(seed), "2026-07-28")
	}
	server := (&mcp.Server{
		Base: &endpoint.Base{Auth: &auth.Auth{Accounts: everybody{}}, Log: slog.New(slog.DiscardHandler)}, Sessions: nobodys{},
	}).Handler()
	f.Fuzz(func(t *testing.T, body []byte, version string) {
		if bytes.Contains(body, []byte("send_")) || strings.ContainsAny(version, "\r\n\x00") || len(version) > 100 {
			t.Skip()
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, mcp.Path, bytes.NewReader(body))
		r.Header = http.Header{
			"Content-Type": {"application/json"}, "Accept": {"*/*"}, "Authorization": {"Bearer x"}, "Mcp-Protocol-Version": {version},
		}
		w := deadlined{httptest.NewRecorder()}
		server.ServeHTTP(w, r)
		require.Less(t, w.Code, http.StatusInternalServerError)
	})
}

// everybody lets in whatever token comes.
type everybody struct{ auth.Accounts }

func (everybody) TokenUser(context.Context, []byte) (users.User, users.Scope, error) {
	return users.User{ID: 1}, users.ScopeRead, nil
}

// nobodys are no conversations.
type nobodys struct{ mcp.Sessions }

func (nobodys) List(context.Context, string, int, ...chat.ListState) ([]chat.Session, error) {
	return nil, nil
}

// deadlined is a recorder that takes a deadline, as connections do.
type deadlined struct{ *httptest.ResponseRecorder }

func (deadlined) SetWriteDeadline(time.Time) error { return nil }
