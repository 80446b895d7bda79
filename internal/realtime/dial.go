package realtime

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gorilla/websocket"

	"xbot/internal/extension/toolkey"
	"xbot/internal/fault"
)

// UsualModel is the model of a key without a model.
const UsualModel = "gpt-realtime"

const dialTime = 20 * time.Second

// writeBuffer is larger than most events: longer events are sent in fragments.
const writeBuffer = 64 << 10

// openAIHost is the host that gets no beta header: with the header it would speak the beta form.
const openAIHost = "api.openai.com"

// Dial connects to the realtime service of a key. dial opens its TCP connections. Invalid: the service refused the key or the address;
// Unavailable: it cannot be reached.
func Dial(ctx context.Context, access toolkey.Access, dial func(ctx context.Context, network, addr string) (net.Conn, error)) (*websocket.Conn, error) {
	u, err := url.Parse(access.BaseURL)
	if err != nil {
		return nil, fault.Errorf(fault.Invalid, "the address is not valid: enter another one")
	}
	u.Scheme = strings.Replace(u.Scheme, "http", "ws", 1)
	u.Path = strings.TrimRight(u.Path, "/") + "/realtime"
	u.RawQuery = url.Values{"model": {cmp.Or(access.Model, UsualModel)}}.Encode()
	header := http.Header{}
	if access.Key != "" {
		header.Set("Authorization", "Bearer "+access.Key)
	}
	if u.Hostname() != openAIHost {
		header.Set("Openai-Beta", "realtime=v1")
	}
	dialer := websocket.Dialer{NetDialContext: dial, HandshakeTimeout: dialTime, WriteBufferSize: writeBuffer}
	conn, answer, err := dialer.DialContext(ctx, u.String(), header)
	if err == nil {
		conn.SetReadLimit(MaxProviderFrame)
		return conn, nil
	}
	if answer != nil {
		_ = answer.Body.Close() // gorilla has read the body
		if answer.StatusCode >= http.StatusMultipleChoices {
			return nil, toolkey.Refused(answer)
		}
		return nil, fault.Errorf(fault.Invalid, "the service opened no WebSocket: is its address right?")
	}
	kind := fault.Unavailable
	if fault.Is(err, fault.Denied) {
		kind = fault.Denied
	}
	return nil, fault.Errorf(kind, "%s cannot be reached: %w", u.Host, err)
}
