package qq

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
	"xbot/internal/chat"
)

// nowhere is a network without anybody.
type nowhere struct{}

func (nowhere) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("nobody is there")
}

// alone is an account that cannot ask anybody.
func alone() *Account {
	a := newAccount("a", settings{appID: "1", secret: "naOC0ocQE3shWLAfffVLB1rhYPG7", api: "http://nowhere.invalid", tokenURL: "http://nowhere.invalid"},
		&http.Client{Transport: nowhere{}}, nil)
	a.self.Store(&person{ID: "B"})
	return a
}

// sieve is a receiver that looks at what every receiver relies on.
type sieve struct {
	t     testing.TB
	taken int
}

func (s *sieve) Receive(_ context.Context, e chat.Envelope) error  { s.look(e); return nil }
func (s *sieve) Edited(_ context.Context, e chat.Envelope) error   { s.look(e); return nil }
func (s *sieve) Recalled(_ context.Context, e chat.Envelope) error { s.look(e); return nil }

func (s *sieve) look(e chat.Envelope) {
	s.taken++
	for _, v := range []string{e.ID, e.Chat, e.Sender.ID} {
		require.NotEmpty(s.t, v)
	}
	all := []string{e.ID, e.Chat, e.Room, e.Space, e.Sender.ID, e.Sender.Name, e.Text, e.Parent}
	if e.Quote != nil {
		all = append(all, e.Quote.Sender.ID, e.Quote.Sender.Name, e.Quote.Text)
	}
	for _, p := range e.Mentions {
		all = append(all, p.ID, p.Name)
	}
	for _, a := range e.Attachments {
		all = append(all, a.Key, a.Name)
		require.NotContains(s.t, a.Name, "/")
		require.NotEmpty(s.t, a.Key)
	}
	s.storable(all...)
}

func (s *sieve) Pressed(_ context.Context, p channel.Press) (channel.Toast, error) {
	s.taken++
	require.NotEmpty(s.t, p.Event)
	require.NotEmpty(s.t, p.Question)
	s.storable(p.Event, p.Sender, p.Chat, p.Message, p.Question, p.Button)
	for name, values := range p.Values {
		s.storable(append(values, name)...)
	}
	return channel.Toast{}, nil
}

// storable are texts that Postgres takes.
func (s *sieve) storable(all ...string) {
	for _, v := range all {
		require.True(s.t, utf8.ValidString(v), "%q", v)
		require.NotContains(s.t, v, "\x00")
	}
}

// someFrames are what fuzzing begins with.
func someFrames() []string {
	frames := []string{
		`{"op":10,"d":{"heartbeat_interval":41250}}`, `{"op":10,"d":{"heartbeat_interval":9223372036854775807}}`, `{"op":10,"d":{"heartbeat_interval":-1}}`,
		`{"op":0,"s":1,"t":"READY","d":{"session_id":"s","user":{"id":"B"}}}`, `{"op":0,"s":1,"t":"READY","d":{}}`, `{"op":0,"s":-7,"t":"RESUMED","d":null}`,
		`{"op":1}`, `{"op":7}`, `{"op":9,"d":false}`, `{"op":11}`, `{"op":13,"d":{"plain_token":"abc","event_ts":"1"}}`, `{"op":0,"s":1e99}`, `[]`, `null`, ``,
		`{"op":0,"s":3,"t":"INTERACTION_CREATE","d":{"id":"i\u0000","group_openid":"G","group_member_openid":"M","data":{"resolved":{"button_data":"{\"q\":\"c\",\"b\":\"x\",\"f\":\"q1\",\"v\":\"y\\u0000\"}"}}}}`,
	}
	for event, d := range map[string]string{
		"C2C_MESSAGE_CREATE":      `{"id":"1","author":{"user_openid":"U","username":"n"},"content":" hi <@B> ","timestamp":"2026-01-01T00:00:00+08:00"}`,
		"GROUP_AT_MESSAGE_CREATE": `{"id":"1","author":{"member_openid":"M"},"group_openid":"G","content":"<faceType=1,faceId=\"13\",ext=\"eyJ0ZXh0IjoieCJ9\">","mentions":[{"id":"B","is_you":true},{"member_openid":"N"}]}`,
		"AT_MESSAGE_CREATE":       `{"id":"1","author":{"id":"A"},"guild_id":"g","channel_id":"c","content":"&lt;","seq":"7","message_reference":{"message_id":"0"}}`,
		"DIRECT_MESSAGE_CREATE":   `{"id":"1","author":{"id":"A"},"guild_id":"g","attachments":[{"content_type":"voice","url":"//x/y","size":"3","asr_refer_text":"w"}],"msg_elements":[{"content":"q"}],"message_scene":{"ext":["ref_msg_idx=R"]}}`,
		"PUBLIC_MESSAGE_DELETE":   `{"message":{"id":"1","author":{"id":"A"},"channel_id":"c"}}`,
		"GROUP_MESSAGE_CREATE":    `{"id":"\u0000","group_openid":"g","author":{"member_openid":"A"},"content":"x"}`,
		"INTERACTION_CREATE":      `{"id":"\u0000","data":{"resolved":{"button_data":"{\"q\":\"0\"}"}}}`,
		"MESSAGE_DELETE":          `{"message":{"id":"\u0000","author":{"id":"A"},"channel_id":"c"}}`,
	} {
		frames = append(frames, `{"op":0,"s":2,"t":"`+event+`","id":"e","d":`+d+`}`)
	}
	return frames
}

// listener is the far side of a connection; it reads and says nothing.
func listener(tb testing.TB) *websocket.Conn {
	tb.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer ws.Close()
		for err == nil {
			_, _, err = ws.ReadMessage()
		}
	}))
	tb.Cleanup(server.Close)
	ws, err := dial(tb.Context(), "ws"+strings.TrimPrefix(server.URL, "http"))
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = ws.Close() }) // the listener's end
	return ws
}

func FuzzGateway(f *testing.F) {
	for _, raw := range someFrames() {
		f.Add(raw)
	}
	socket := listener(f)
	f.Fuzz(func(t *testing.T, raw string) {
		if every, err := readHello([]byte(raw)); err == nil {
			require.GreaterOrEqual(t, every, minHeartbeat)
			require.LessOrEqual(t, every, maxHeartbeat)
		}
		g := &gateway{Account: alone(), to: &sieve{t: t}, report: channel.Unreported{}}
		require.NoError(t, g.keeper.load(t.Context(), g.set))
		g.keeper.change(func(s *session) { s.ID, s.Seq = "before", 5 })
		l := &link{gateway: g, socket: socket}
		events := make(chan frame, 1)
		err := l.handleFrame(t.Context(), []byte(raw), events)
		close(events)
		for e := range events {
			require.NoError(t, err)
			err = l.take(t.Context(), nil, e)
		}
		s := g.keeper.get()
		require.NotEmpty(t, s.ID, "no frame takes the name of the session away")
		require.True(t, s.ID != "before" || s.Seq >= 5, "the place in the stream never goes back")
		_ = g.judge(err) // it must not panic
	})
}

func FuzzWebhook(f *testing.F) {
	for _, raw := range someFrames() {
		f.Add(raw, "1725442341", "")
	}
	f.Add(`{"op":13,"d":{"plain_token":"{\"op\":0}","event_ts":"1"}}`, "1", strings.Repeat("00", ed25519.SignatureSize))
	f.Fuzz(func(t *testing.T, raw, at, forged string) {
		s := &sieve{t: t}
		h, ok := alone().Webhook(s, nil).(*webhook)
		require.True(t, ok)
		post := func(signature string) *httptest.ResponseRecorder {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", bytes.NewReader([]byte(raw)))
			r.Header["X-Signature-Ed25519"], r.Header["X-Signature-Timestamp"] = []string{signature}, []string{at}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			return w
		}
		require.Equal(t, http.StatusUnauthorized, post(forged).Code, "nobody who does not know the secret is believed")
		require.Zero(t, s.taken)
		if at == "" {
			return
		}
		got := post(hex.EncodeToString(ed25519.Sign(h.key, []byte(at+raw))))
		require.Contains(t, []int{http.StatusOK, http.StatusBadRequest}, got.Code)
		var signed struct {
			Plain     string `json:"plain_token"`
			Signature string `json:"signature"`
		}
		if got.Code == http.StatusOK && json.Unmarshal(got.Body.Bytes(), &signed) == nil && signed.Signature != "" {
			require.Regexp(t, hookForm, signed.Plain, "what is signed can be no event")
		}
	})
}

func TestReadHello_TheHeartNeitherRacesNorStandsStill(t *testing.T) {
	for ms, want := range map[string]time.Duration{"41250": 41250 * time.Millisecond, "1": minHeartbeat, "9223372036854775807": maxHeartbeat} {
		got, err := readHello([]byte(`{"op":10,"d":{"heartbeat_interval":` + ms + `}}`))
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}
