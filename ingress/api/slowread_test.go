package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/ingresstest"
	"xbot/ingress/mcp"
	"xbot/internal/tool/tooltest"
)

// upgrade are the headers of a request for a WebSocket.
var upgrade = []string{"Connection", "Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Version", "13", "Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="}

// TestAttack_ResponsesThatNobodyReads requests each large response of the page API and reads nothing, or a byte now and then. Each is cut by its write
// deadline, also the response to an upgrade, and meanwhile the conversation goes on.
func TestAttack_ResponsesThatNobodyReads(t *testing.T) {
	b := setup(t)
	s := b.alice.session("")
	large := strings.Repeat("0123456789abcdef", 128<<10) // 2 MB
	b.alice.say(s.Key, "m1", "hello").is(http.StatusAccepted, nil)
	b.claim(s.Key, "t1")
	b.reply(s.Key, "t1", large)
	b.finish(s.Key, "t1")
	box := tooltest.New(t)
	b.boxes.of[b.alice.user.ID] = box
	box.Put(t, "large.bin", large)
	u := ingresstest.NewSlowReadServer(t, b.handler)
	token := []string{"Authorization", "Bearer " + b.alice.token}
	n := 0
	for _, c := range []struct {
		path    string
		headers []string
	}{
		{path(s.Key, "/events"), nil},
		{path(s.Key, "/ws"), upgrade},
		{path(s.Key, "/messages"), nil},
		{path(s.Key, "/export"), nil},
		{path(s.Key, "/files/content?path=large.bin"), nil},
		{path(s.Key, "/files/content?path=large.bin"), []string{"Range", "bytes=1-"}},
	} {
		for range 3 {
			u.Request(http.MethodGet, c.path, "", append(c.headers, token...)...)
		}
		n += 4
		slow := u.Request(http.MethodGet, c.path, "", append(c.headers, token...)...)
		slow.Until("HTTP/1.1 ")
		slow.Trickle()
	}
	reader := b.alice.sse(s.Key, "?after=5")
	reader.hello()
	b.bob.say(b.bob.session("").Key, "m2", "hello").is(http.StatusAccepted, nil)
	b.alice.say(s.Key, "m3", "again").is(http.StatusAccepted, nil)
	b.claim(s.Key, "t2")
	b.reply(s.Key, "t2", "short")
	b.finish(s.Key, "t2")
	require.Len(t, reader.until(10), 5)
	require.Eventually(t, func() bool { return u.Cut() == n }, limit, time.Millisecond)
	u.Ends()
	require.Eventually(t, func() bool { return b.pool.Stat().AcquiredConns() == 0 }, limit, time.Millisecond)
}

// TestAttack_StreamsOfOnePersonAreBounded opens more streams than a person may have and reads none of them: others watch, and the places are free once
// the clients are gone.
func TestAttack_StreamsOfOnePersonAreBounded(t *testing.T) {
	b := setup(t)
	s, theirs := b.alice.session(""), b.bob.session("")
	token := []string{"Authorization", "Bearer " + b.alice.token}
	u := ingresstest.NewSlowReadServer(t, b.handler)
	const most = 256
	var open []*ingresstest.SlowReader
	for i := range most {
		where, headers := "/events", token
		if i%2 == 0 {
			where, headers = "/ws", slices.Concat(upgrade, token)
		}
		open = append(open, u.Request(http.MethodGet, path(s.Key, where), "", headers...))
	}
	for _, c := range open {
		c.Until("\r\n\r\n")
	}
	require.Equal(t, most, u.Open())
	b.alice.get(path(s.Key, "/events")).problem(http.StatusTooManyRequests)
	b.do(b.alice, http.MethodGet, path(s.Key, "/ws"), nil).problem(http.StatusTooManyRequests)
	b.bob.sse(theirs.Key, "").hello()
	b.alice.say(s.Key, "m1", "hello").is(http.StatusAccepted, nil)
	for _, c := range open {
		require.NoError(t, c.Close())
	}
	u.Ends()
	b.alice.sse(s.Key, "").hello()
}

// TestAttack_RequestsWhoseResponsesNobodyReads sends requests one behind another on a connection, and reads none of the responses: the connection ends
// by the write deadline of one of them, and those behind it are not carried out.
func TestAttack_RequestsWhoseResponsesNobodyReads(t *testing.T) {
	b := setup(t)
	s := b.alice.session("")
	for i := range 20 {
		b.alice.say(s.Key, fmt.Sprint("m", i), strings.Repeat("0123456789abcdef", 500)).is(http.StatusAccepted, nil)
	}
	u := ingresstest.NewSlowReadServer(t, b.handler)
	token := []string{"Authorization", "Bearer " + b.alice.token, "Content-Type", "application/json", "Accept", "application/json, text/event-stream"}
	floods := []struct{ method, path, body string }{
		{http.MethodGet, path(s.Key, "/messages"), ""},
		{http.MethodGet, path(s.Key, "/queue"), ""},
		{http.MethodGet, "/api/nothing", ""},
		{http.MethodPost, mcp.Path, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`},
		{http.MethodPost, mcp.Path, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_sessions","arguments":{}}}`},
		{http.MethodPost, "/api/login", strings.Repeat("[", 300)},
	}
	for _, f := range floods {
		u.Dial().Flood(f.method, f.path, f.body, token...)
	}
	b.bob.say(b.bob.session("").Key, "m", "hello").is(http.StatusAccepted, nil)
	require.Eventually(t, func() bool { return u.Cut() == len(floods) }, limit, time.Millisecond)
	u.Ends()
}
