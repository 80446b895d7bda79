package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/require"

	"xbot/internal/client/apiclient"
	"xbot/internal/service"
	"xbot/runner/socket"
	"xbot/runner/wire"
)

// openRoutes are those that need no credential by themselves: they ask for a password, an invitation or a link, or say what everybody may know.
var openRoutes = []string{"/api/login", "/api/login/link", "/api/join", "/api/shared/{token}", "/api/v1/openapi.json"}

// otherRoutes are those of the server that stand in no document. At /api/runners/connect nobody has a credential in the request: a runner proves who
// it is over the socket, which is tried apart (connectsAsRunner).
var otherRoutes = [][2]string{
	{"GET", "/metrics"}, {"GET", "/temporal/"}, {"GET", "/temporal/api/v1/namespaces"}, {"POST", "/internal/runners/local"},
	{"POST", "/mcp"}, {"GET", "/mcp"}, {"GET", "/files/forged.token"}, {"GET", "/plugin-files/forged.token/x"}, {"POST", "/channels/feishu/default"}, {"POST", "/hooks/none"},
	{"GET", "/api/nothing"}, {"GET", "/api/sessions/agent:main:main/ws"},
	{"POST", "/v1/chat/completions"}, {"GET", "/v1/models"}, {"POST", "/v1/responses"}, {"GET", "/v1/responses/none"}, {"POST", "/v1/responses/none/cancel"}, {"DELETE", "/v1/responses/none"}, {"GET", "/v1/responses/none/input_items"}, {"GET", "/v1/models/"},
	{"GET", "/api/v1/"}, {"GET", "/api/v1/nothing"},
}

// credential is what a request says who it is with.
type credential struct {
	name  string
	house bool // it opens something on the side of the house, where it is not tried
	set   func(r *http.Request)
}

func bearer(name, token string, house bool) credential {
	return credential{name, house, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }}
}

// inQuery says it in the address, where some credentials stand.
func inQuery(name, token string) credential {
	return credential{name, false, func(r *http.Request) {
		q := r.URL.Query()
		q.Set("token", token)
		q.Set("key", token)
		r.URL.RawQuery = q.Encode()
	}}
}

func TestCredentials_NoneOpensTheOtherSide(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	ctx := t.Context()
	c := s.publishesService(service.Patch{})
	id := c.begins()
	c.chats(id, "say hello", nil)
	var media struct{ Token string }
	c.reads(http.StatusOK, &media, http.MethodGet, "/api/v1/conversations/"+id+"/media-token", nil)
	k := s.newTalk()
	k.done("say private")
	link, err := s.client.CreateShare(ctx, k.key, 7)
	require.NoError(t, err)
	share := strings.TrimPrefix(link.Link, "/shared/")
	runner, err := s.client.CreateRunner(ctx, "laptop")
	require.NoError(t, err)
	signIn, err := s.operate("login-link")
	require.NoError(t, err)
	page := s.browser()
	require.Equal(t, http.StatusOK, s.signIn(page, signIn))

	credentials := []credential{
		{"nothing", false, func(*http.Request) {}},
		{"a cookie", true, func(r *http.Request) {
			for _, cookie := range page.Jar.Cookies(r.URL) {
				r.AddCookie(cookie)
			}
			r.Header.Set("X-Xbot-Page", page.pageKey)
			r.Header.Set("Origin", s.url)
		}},
		bearer("the key of a service", c.key, false), bearer("a media token", media.Token, false), bearer("a runner's token", runner.Token, false), bearer("a share", share, false),
		inQuery("the key of a service in the address", c.key), inQuery("a media token in the address", media.Token), inQuery("a share in the address", share), inQuery("a runner's token in the address", runner.Token),
	}
	tokens := map[string]string{"the key of a service": c.key, "a media token": media.Token, "a share": share, "nothing": ""} // none is a runner's
	for _, scope := range []string{"read", "chat", "administration"} {
		made, err := s.client.CreateToken(ctx, apiclient.CreateTokenRequest{Name: scope, Scope: scope})
		require.NoError(t, err)
		credentials = append(credentials, bearer("a token that may "+scope, made.Token, true))
		at := inQuery("a token that may "+scope+" in the address", made.Token)
		credentials, tokens["a token that may "+scope] = append(credentials, at), made.Token
	}

	for what, token := range tokens {
		for _, with := range credentials {
			require.Equal(t, wire.TypeError, s.connectsAsRunner(with, token), "with %s in its first frame and %s in the request", what, with.name)
		}
	}
	require.Equal(t, wire.TypeRegistered, s.connectsAsRunner(credentials[0], runner.Token), "a runner's own token")

	place := strings.NewReplacer("{key}", strings.ReplaceAll(string(k.key), ":", "%3A"), "{id}", id, "{path}", "x.txt", "{path...}", "x.txt")
	tried := 0
	for _, route := range s.allRoutes(id) {
		consumers := strings.HasPrefix(route[1], "/api/v1")
		for _, with := range credentials {
			switch {
			case with.house && !consumers: // it is the right side
				continue
			case with.name == "the key of a service" && consumers:
				continue
			case with.name == "a media token in the address" && (strings.Contains(route[1], "/files/{path}") || strings.Contains(route[1], "/attachments/{path}")):
				continue
			}
			status := s.tries(route[0], place.Replace(route[1]), with, route[2])
			require.Contains(t, []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound}, status, "%s %s with %s", route[0], route[1], with.name)
			if consumers || strings.HasPrefix(route[1], "/api/") {
				require.Equal(t, http.StatusUnauthorized, status, "%s %s with %s", route[0], route[1], with.name)
			}
			tried++
		}
	}
	t.Logf("%d requests with a credential of the other side were refused", tried)
	require.Greater(t, tried, 2000)
	read := c.conversation(id)
	require.Len(t, read.Messages, 2, "nothing was done")
}

// connectsAsRunner connects as runners do, with a token in the first frame, and returns what the server says to that. Of the request itself a
// credential is no help.
func (s *server) connectsAsRunner(with credential, token string) wire.Type {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.url+"/api/runners/connect", nil)
	require.NoError(s.t, err)
	with.set(r)
	conn, response, err := websocket.DefaultDialer.DialContext(s.t.Context(), strings.Replace(r.URL.String(), "http", "ws", 1), r.Header)
	require.NoError(s.t, err, with.name)
	require.NoError(s.t, response.Body.Close())
	sock := socket.New(conn, wire.MaxFrame)
	defer sock.Close(websocket.CloseNormalClosure, "")
	hello, err := wire.NewFrame(0, wire.TypeRegister, wire.Register{Protocol: wire.Version, Token: token, Info: wire.Info{Store: "s", Workspace: "/w"}})
	require.NoError(s.t, err)
	require.NoError(s.t, sock.Send(hello))
	said, err := sock.Receive()
	require.NoError(s.t, err)
	return said.Type
}

// allRoutes are those of the whole server: method, path and a body.
func (s *server) allRoutes(conversation string) (out [][3]string) {
	s.t.Helper()
	for _, at := range []string{"/api/openapi.json", "/api/v1/openapi.json"} {
		status, document := s.get(http.MethodGet, at, nil)
		require.Equal(s.t, http.StatusOK, status)
		var doc struct {
			Paths map[string]map[string]json.RawMessage `json:"paths"`
		}
		require.NoError(s.t, json.Unmarshal([]byte(document), &doc))
		require.Greater(s.t, len(doc.Paths), 8)
		for path, methods := range doc.Paths {
			for method := range methods {
				body := "{}"
				if strings.HasPrefix(path, "/api/v1/chat") {
					body = `{"conversation_id": "` + conversation + `", "message": "x", "model": "x", "messages": [{"role": "user", "content": "x"}]}`
				}
				out = append(out, [3]string{strings.ToUpper(method), path, body})
			}
		}
	}
	for _, r := range otherRoutes {
		out = append(out, [3]string{r[0], r[1], "{}"})
	}
	kept := out[:0]
	for _, r := range out {
		if !slices.Contains(openRoutes, r[1]) {
			kept = append(kept, r)
		}
	}
	return kept
}

// tries asks for a path with a credential and returns the status.
func (s *server) tries(method, path string, with credential, body string) int {
	s.t.Helper()
	var from io.Reader
	if method != http.MethodGet {
		from = bytes.NewReader([]byte(body))
	}
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, from)
	require.NoError(s.t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if strings.HasSuffix(path, "/ws") {
		for name, value := range map[string]string{"Connection": "Upgrade", "Upgrade": "websocket", "Sec-Websocket-Version": "13", "Sec-Websocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="} {
			r.Header.Set(name, value)
		}
	}
	with.set(r)
	client := http.Client{Timeout: 30 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	got, err := client.Do(r)
	require.NoError(s.t, err)
	require.NoError(s.t, got.Body.Close())
	return got.StatusCode
}
