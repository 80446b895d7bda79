package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/require"
)

// maxRefusal bounds the answer to a hostile request, headers included, in bytes.
const maxRefusal = 16 << 10

// raw sends bytes to the listener of the server and returns the response until the server closes the connection. It keeps its own side open.
func (s *server) raw(text string) []byte {
	s.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	require.NoError(s.t, err)
	defer conn.Close()
	require.NoError(s.t, conn.SetDeadline(time.Now().Add(90*time.Second))) // the server's own deadlines are shorter
	go func() { _, _ = io.WriteString(conn, text) }()                      // the server may close the connection before it has read all
	answer, err := io.ReadAll(io.LimitReader(conn, maxRefusal+1))
	if err != nil { // a reset counts as an end
		require.NotContains(s.t, err.Error(), "timeout")
	}
	return answer
}

// serves fails unless others are served.
func (s *server) serves(t *testing.T) {
	t.Helper()
	status, _ := s.get(http.MethodGet, "/api/login", nil)
	require.Equal(t, http.StatusOK, status)
}

func TestAttack_RawRequestsAreRefusedByTheListener(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	host := strings.TrimPrefix(s.url, "http://")
	post := func(path string, headers ...string) string {
		return "POST " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n" + strings.Join(headers, "\r\n") + "\r\n\r\n"
	}
	whole := func(path, body string) string {
		return post(path, "Content-Type: application/json", fmt.Sprintf("Content-Length: %d", len(body))) + body
	}
	members := `{"username":"a"` + strings.Repeat(`,"kkkk":1`, 60_000) + "}"
	deep := strings.Repeat("[", 200_000)
	attacks := map[string]string{
		"a long line":                "GET /" + strings.Repeat("a", 200_000) + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n",
		"many headers":               "GET / HTTP/1.1\r\nHost: " + host + "\r\n" + strings.Repeat("X-A: b\r\n", 50_000) + "\r\n",
		"a header without an end":    "GET / HTTP/1.1\r\nHost: " + host + "\r\nX-A: " + strings.Repeat("b", 200_000),
		"a header that stays away":   "GET / HTTP/1.1\r\nHost: " + host + "\r\nX-A: ",
		"a request that stays away":  "GET / HT",
		"a body that stays away":     post("/api/login", "Content-Type: application/json", "Content-Length: 100") + `{"username":`,
		"chunks that stay away":      post("/api/login", "Content-Type: application/json", "Transfer-Encoding: chunked") + "5\r\n{\"use\r\n",
		"chunks without an end":      post("/api/login", "Content-Type: application/json", "Transfer-Encoding: chunked") + strings.Repeat("400\r\n"+strings.Repeat(" ", 1024)+"\r\n", 2000),
		"chunks of one byte":         post("/api/login", "Content-Type: application/json", "Transfer-Encoding: chunked") + strings.Repeat("1\r\n \r\n", 40_000),
		"a chunk of a great length":  post("/api/login", "Content-Type: application/json", "Transfer-Encoding: chunked") + "ffffffffffffffffff\r\n",
		"a great length":             post("/api/login", "Content-Type: application/json", "Content-Length: 9223372036854775807") + "{}",
		"two lengths":                post("/api/login", "Content-Length: 2", "Content-Length: 30") + "{}",
		"a negative length":          post("/api/login", "Content-Length: -1") + "{}",
		"a length and chunks":        post("/api/login", "Content-Type: application/json", "Content-Length: 5", "Transfer-Encoding: chunked") + "0\r\n\r\nGET /api/me HTTP/1.1\r\n\r\n",
		"an unknown encoding":        post("/api/login", "Transfer-Encoding: gzip, chunked") + "0\r\n\r\n",
		"two hosts":                  "GET /api/login HTTP/1.1\r\nHost: " + host + "\r\nHost: evil.example\r\n\r\n",
		"no host":                    "GET /api/login HTTP/1.1\r\nConnection: close\r\n\r\n",
		"a long host":                "GET /api/login HTTP/1.1\r\nHost: " + strings.Repeat("h", 30_000) + "\r\nConnection: close\r\n\r\n",
		"a space in a header":        "GET /api/me HTTP/1.1\r\nHost : " + host + "\r\n\r\n",
		"a folded header":            "GET /api/me HTTP/1.1\r\nHost: " + host + "\r\nX-A: b\r\n c\r\nConnection: close\r\n\r\n",
		"another protocol":           "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
		"HTTP/2":                     "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"zeros":                      strings.Repeat("\x00", 100_000),
		"members for login":          whole("/api/login", members),
		"members for join":           whole("/api/join", members),
		"members for a link":         whole("/api/login/link", members),
		"members for the API":        whole("/api/sessions", members),
		"members for a service":      whole("/api/v1/chat", members),
		"members for OpenAI":         whole("/v1/chat/completions", members),
		"members for tools":          whole("/mcp", members),
		"members for a hook":         whole("/hooks/nobody", members),
		"members for a platform":     whole("/channels/feishu", members),
		"members for a worker":       whole("/internal/runners/local/call", members),
		"members for the Temporal":   whole("/temporal/codec/decode", members),
		"members for metrics":        whole("/metrics", members),
		"deep for login":             whole("/api/login", deep),
		"deep for a service":         whole("/api/v1/chat", deep),
		"deep for OpenAI":            whole("/v1/responses", deep),
		"deep for tools":             whole("/mcp", deep),
		"deep for a platform":        whole("/channels/qq/other", deep),
		"deep for a worker":          whole("/internal/runners/local/call", deep),
		"a long code":                "GET /oauth/callback?state=" + strings.Repeat("s", 50_000) + "&code=x HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n",
		"a long ticket":              "GET /oauth/start/" + strings.Repeat("t", 50_000) + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n",
		"a long link":                "GET /files/" + strings.Repeat("f", 50_000) + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n",
		"a long share":               "GET /api/shared/" + strings.Repeat("f", 50_000) + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n",
		"a path with dots":           "GET /internal/../api/me HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n",
		"an upgrade to nothing":      "GET /api/runners/connect HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n",
		"an upgrade without a login": "GET /api/sessions/a/ws HTTP/1.1\r\nHost: " + host + "\r\nConnection: close, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n\r\n",
	}
	for name, text := range attacks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := s.raw(text)
			require.LessOrEqual(t, len(answer), maxRefusal)
			if len(answer) > 0 { // otherwise the connection was closed without a response
				resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(answer)), nil)
				require.NoError(t, err)
				require.NoError(t, resp.Body.Close())
				require.GreaterOrEqual(t, resp.StatusCode, 300, "%s", answer)
			}
			s.serves(t)
		})
	}
}

func TestAttack_FramesOfARunnerWithoutATokenAreRefused(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	register := func(body string) []byte { return []byte(`{"type":"register","body":` + body + `}`) }
	text := func(data []byte) func(*websocket.Conn) error {
		return func(c *websocket.Conn) error { return c.WriteMessage(websocket.TextMessage, data) }
	}
	for name, send := range map[string]func(*websocket.Conn) error{
		"a long frame":          text(bytes.Repeat([]byte(" "), 1<<20)),
		"no JSON":               text([]byte("hello")),
		"an empty frame":        text(nil),
		"a list":                text([]byte("[]")),
		"another type":          text([]byte(`{"type":"result","id":1}`)),
		"no body":               text([]byte(`{"type":"register"}`)),
		"a wrong token":         text(register(`{"protocol":1,"token":"` + strings.Repeat("x", 50_000) + `"}`)),
		"many members":          text(register(`{"protocol":1` + strings.Repeat(`,"a":1`, 5000) + `}`)),
		"deep":                  text(register(strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000))),
		"wrong types":           text(register(`{"protocol":"1","token":{}}`)),
		"a binary frame":        func(c *websocket.Conn) error { return c.WriteMessage(websocket.BinaryMessage, []byte("{}")) },
		"fragments without end": fragments(1 << 10),
		"empty frames of pings": func(c *websocket.Conn) error {
			return c.WriteControl(websocket.PingMessage, nil, time.Now().Add(time.Minute))
		},
		"a close with no reason": func(c *websocket.Conn) error {
			return c.WriteControl(websocket.CloseMessage, []byte{0}, time.Now().Add(time.Minute))
		},
		"nothing": func(*websocket.Conn) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, resp, err := websocket.DefaultDialer.DialContext(t.Context(), "ws"+strings.TrimPrefix(s.url, "http")+"/api/runners/connect", nil)
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())
			defer conn.Close()
			conn.SetReadLimit(maxRefusal)
			_ = send(conn) // the server may close the connection before it has read all
			for {
				_, said, err := conn.ReadMessage()
				if err != nil { // the handshake has a deadline
					require.NotErrorIs(t, err, websocket.ErrReadLimit)
					break
				}
				require.NotContains(t, string(said), `"registered"`)
			}
			s.serves(t)
		})
	}
}

// fragments sends a message of many fragments without a last one.
func fragments(size int) func(*websocket.Conn) error {
	return func(c *websocket.Conn) error {
		w, err := c.NextWriter(websocket.TextMessage)
		for range 1 << 10 {
			if err != nil {
				return err
			}
			_, err = w.Write(bytes.Repeat([]byte("["), size))
		}
		return err
	}
}
