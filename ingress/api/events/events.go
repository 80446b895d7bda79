package events

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/gorilla/websocket"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/ingress/sse"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

// sendTimeout bounds the write of one event to a slow client.
const sendTimeout = 30 * time.Second

func (a *Endpoints) registerEvents(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "watch-session", Method: http.MethodGet, Path: "/api/sessions/{key}/events", Summary: "Stream the events of a session (SSE)",
		Description: "Durable events carry an ID; reconnect with it as Last-Event-ID to receive all missed events. Events are kept for XBOT_KEEP_EVENTS: if events after the cursor were deleted, the first event, hello, has gap set. Live events (delta, output, action) carry no ID. The same events as JSON frames: GET /api/sessions/{key}/ws (WebSocket).",
		Security:    endpoint.Secured,
		Responses:   map[string]*huma.Response{"200": {Description: "An event stream.", Content: map[string]*huma.MediaType{"text/event-stream": {}}}},
	}, func(ctx context.Context, in *struct {
		endpoint.Key
		After       int64  `query:"after" minimum:"0" doc:"Cursor; events after it are sent."`
		Client      string `query:"client" pattern:"^[0-9A-Za-z]{8,40}$" doc:"Chosen by a client that supports actions. It receives them as events of the kind action if the IDs of its messages begin with this value and a dot, and answers them with answer-client-action."`
		LastEventID string `header:"Last-Event-ID" doc:"The same, as browsers send it; it wins."`
	}) (*huma.StreamResponse, error) {
		s, err := a.Readable(ctx, in.Key.Key)
		if err != nil {
			return nil, err
		}
		after, as := in.After, actsAs(ctx, in.Client)
		if n, err := strconv.ParseInt(in.LastEventID, 10, 64); err == nil {
			after = n
		}
		return &huma.StreamResponse{Body: func(hctx huma.Context) {
			r, w := humago.Unwrap(hctx)
			leave, err := a.enter(ctx)
			if err != nil {
				a.Refuse(w, r, err)
				return
			}
			defer leave()
			a.serveEvents(ctx, w, s, from{after, as})
		}}, nil
	})
}

func (a *Endpoints) serveEvents(ctx context.Context, w http.ResponseWriter, s chat.Session, at from) {
	if err := a.watch(ctx, s, at, stream{sse.Open(w, "no-store")}); err != nil && ctx.Err() == nil {
		a.Log.Debug("event stream ended", "session", s.Key, "error", err)
	}
}

// stream writes events as server-sent events.
type stream struct{ *sse.Writer }

func (c stream) Send(e chat.Event) error { return c.Event(e.Seq, string(e.Kind), e.Data) }

func (c stream) Ping() error { return c.Comment("ping") }

var upgrader = websocket.Upgrader{
	HandshakeTimeout: sendTimeout,

	CheckOrigin: func(*http.Request) bool { return true }, // the origin was checked with the cookie
}

// Socket serves the same events as JSON text frames over a WebSocket.
func (a *Endpoints) Socket(w http.ResponseWriter, r *http.Request) {
	s, err := a.Readable(r.Context(), chat.SessionKey(r.PathValue("key")))
	if err != nil {
		a.Refuse(w, r, err)
		return
	}
	at, err := placeIn(r.URL.Query())
	if err != nil {
		a.Refuse(w, r, err)
		return
	}
	at.client = actsAs(r.Context(), at.client)
	leave, err := a.enter(r.Context())
	if err != nil {
		a.Refuse(w, r, err)
		return
	}
	defer leave()
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // the upgrader has answered
	}
	defer func() { _ = conn.Close() }() // nothing is pending on it
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	go discard(conn, cancel)
	if err := a.watch(ctx, s, at, (*socketClient)(conn)); err != nil && ctx.Err() == nil {
		a.Log.Debug("event socket ended", "session", s.Key, "error", err)
	}
}

// clientID matches the id that a client may give itself.
var clientID = regexp.MustCompile(`^[0-9A-Za-z]{8,40}$`)

// actsAs returns as which client a stream carries actions out: as none where its token only reads, since it could not answer them.
func actsAs(ctx context.Context, client string) string {
	if auth.MayConverse(ctx) != nil {
		return ""
	}
	return client
}

// placeIn reads where a stream begins and whose it is.
func placeIn(q url.Values) (at from, err error) {
	at.client = q.Get("client")
	if at.client != "" && !clientID.MatchString(at.client) {
		return at, fault.Errorf(fault.Invalid, "client must be 8 to 40 letters and digits, or left out")
	}
	at.after, err = cursor(q.Get("after"))
	return at, err
}

// cursor reads the sequence after which events are sent; empty means all of them.
func cursor(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, fault.Errorf(fault.Invalid, "after is %q; it must be the sequence of an event, or left out", text)
	}
	return n, nil
}

// pongWait is how long a silent WebSocket client is kept.
const pongWait = 60 * time.Second

// discard reads what a client sends, which is only pongs, until the connection ends.
func discard(conn *websocket.Conn, gone context.CancelFunc) {
	defer gone()
	conn.SetReadLimit(4 << 10)
	alive := func(string) error { return conn.SetReadDeadline(time.Now().Add(pongWait)) }
	conn.SetPongHandler(alive)
	if alive("") != nil {
		return
	}
	for {
		if _, _, err := conn.ReadMessage(); err != nil {
			return
		}
	}
}

type socketClient websocket.Conn

func (c *socketClient) Send(e chat.Event) error {
	conn := (*websocket.Conn)(c)
	if err := conn.SetWriteDeadline(time.Now().Add(sendTimeout)); err != nil {
		return err
	}
	return conn.WriteJSON(e)
}

func (c *socketClient) Ping() error {
	return (*websocket.Conn)(c).WriteControl(websocket.PingMessage, nil, time.Now().Add(sendTimeout))
}
