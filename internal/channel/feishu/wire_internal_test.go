package feishu

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
	"xbot/internal/fault"
)

// counting is a network that counts messages that are sent, and gives out the tokens t1, t2 ...
type counting struct {
	answer func(r *http.Request) (*http.Response, error)

	mu     sync.Mutex
	tokens int
	sent   []string // with which token and body
}

func (n *counting) RoundTrip(r *http.Request) (*http.Response, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if strings.Contains(r.URL.Path, "tenant_access_token") {
		n.tokens++
		return says(200, `{"code":0,"tenant_access_token":"t`+strconv.Itoa(n.tokens)+`","expire":7200}`), nil
	}
	raw, err := io.ReadAll(r.Body)
	n.sent = append(n.sent, r.Header.Get("Authorization")+" "+string(raw))
	if err != nil {
		return nil, err
	}
	return n.answer(r)
}

func says(status int, raw string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(raw))}
}

// The library repeats what it could not dial, reads a gateway's time-out as a failure of its own, and keeps tokens: over wire it does not.
func TestCall_IsOneRequestWhateverBecomesOfIt(t *testing.T) {
	for name, c := range map[string]struct {
		answer   func(r *http.Request) (*http.Response, error)
		requests int
		unknown  bool
		kind     fault.Kind
	}{
		"it could not be dialled": {func(*http.Request) (*http.Response, error) {
			return nil, &net.OpError{Op: "dial", Err: errors.New("refused")}
		}, 1, false, fault.Unavailable},
		"the connection broke": {func(r *http.Request) (*http.Response, error) {
			httptrace.ContextClientTrace(r.Context()).GotConn(httptrace.GotConnInfo{})
			return nil, io.ErrUnexpectedEOF
		}, 1, true, fault.Unavailable},
		"a gateway waited too long":  {func(*http.Request) (*http.Response, error) { return says(504, "<html>"), nil }, 1, true, fault.Unavailable},
		"nobody took it":             {func(*http.Request) (*http.Response, error) { return says(503, ""), nil }, 1, false, fault.Unavailable},
		"it is no JSON":              {func(*http.Request) (*http.Response, error) { return says(200, "<html>"), nil }, 1, true, fault.Unavailable},
		"it was taken without an id": {func(*http.Request) (*http.Response, error) { return says(200, `{"code":0}`), nil }, 1, true, fault.Unavailable},
		"the bot is not there":       {func(*http.Request) (*http.Response, error) { return says(400, `{"code":230002}`), nil }, 1, false, fault.Denied},
		"no token is taken":          {func(*http.Request) (*http.Response, error) { return says(400, `{"code":99991663}`), nil }, 2, false, fault.Denied},
	} {
		t.Run(name, func(t *testing.T) {
			n := &counting{answer: c.answer}
			a := newAccount("a", settings{appID: "cli_x", secret: "hidden", domain: "http://nowhere.invalid"}, &http.Client{Transport: n})
			_, err := a.create(t.Context(), channel.Address{Chat: "oc_1"}, "k", rendered{kind: "text", content: "{}"})
			require.Equal(t, c.kind, fault.KindOf(err), "%v", err)
			require.Equal(t, c.unknown, channel.Unknown(err), "%v", err)
			require.Len(t, n.sent, c.requests)
			require.NotContains(t, err.Error(), "hidden")
		})
	}
}

func TestCall_ATokenThatWasRefusedIsReplacedAndTheSameSaidAgain(t *testing.T) {
	n := &counting{answer: func(r *http.Request) (*http.Response, error) {
		if r.Header.Get("Authorization") == "Bearer t1" {
			return says(400, `{"code":99991663}`), nil
		}
		return says(200, `{"code":0,"data":{"message_id":"om_1"}}`), nil
	}}
	a := newAccount("a", settings{appID: "cli_x", secret: "s", domain: "http://nowhere.invalid"}, &http.Client{Transport: n})
	sent, err := a.create(t.Context(), channel.Address{Chat: "oc_1"}, "k", rendered{kind: "text", content: "{}"})
	require.NoError(t, err)
	require.Equal(t, "om_1", sent.ID)
	body := ` {"receive_id":"oc_1","msg_type":"text","content":"{}","uuid":"k"}`
	require.Equal(t, []string{"Bearer t1" + body, "Bearer t2" + body}, n.sent)
}
