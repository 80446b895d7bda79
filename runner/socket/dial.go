package socket

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/websocket"

	"xbot/runner/wire"
)

// Dial connects to a server, honouring the proxy variables of the environment.
func Dial(ctx context.Context, url string) (*Socket, error) {
	dialer := websocket.Dialer{
		Proxy:             http.ProxyFromEnvironment,
		HandshakeTimeout:  wire.HandshakeTimeout,
		EnableCompression: false, // output is often compressed already, and a slow processor hurts more than a few bytes
	}
	conn, response, err := dialer.DialContext(ctx, url, nil)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w%s", url, err, answered(response))
	}
	return New(conn, wire.MaxFrame), nil
}

// answered returns the text of a server that refused a WebSocket.
func answered(response *http.Response) string {
	if response == nil {
		return ""
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, 200))
	if err != nil || len(body) == 0 {
		return fmt.Sprintf(" (the server answered %s)", response.Status)
	}
	return fmt.Sprintf(" (the server answered %s: %s)", response.Status, strings.TrimSpace(string(body)))
}

// upgradeWait bounds the answer to an upgrade request.
const upgradeWait = 10 * time.Second

// Upgrade makes a WebSocket of a request. Requests of web pages of other origins are refused; runners send no origin.
// Frames are bounded by limit until SetLimit. On an error the answer has been written.
func Upgrade(w http.ResponseWriter, r *http.Request, limit int64) (*Socket, error) {
	upgrader := websocket.Upgrader{HandshakeTimeout: upgradeWait}
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return nil, err
	}
	return New(conn, limit), nil
}
