// Package realtimeproxy implements voice mode: a WebSocket proxy between the page and a realtime service. The page never receives the key. The
// proxy sends the prompt, the tools and the transcript of the conversation to the service, and forwards a fixed list of events.
//
// Each spoken message becomes a message of the conversation. An ordinary turn commits the answers of the service (activities/turn) and runs the
// function calls under the permissions of the conversation. The proxy returns their results to the service.
package realtimeproxy

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gorilla/websocket"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/ingress/intake"
	"xbot/internal/chat"
	"xbot/internal/extension/toolkey"
	"xbot/internal/fault"
	"xbot/internal/feed"
	"xbot/internal/realtime"
	"xbot/internal/realtime/realtimestore"
	"xbot/internal/service"
	"xbot/internal/tool/toolset"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/policy"
	"xbot/internal/turn/prompt"
)

// Path is the route of the WebSocket.
const Path = "GET /api/sessions/{key}/realtime"

// Close codes of the WebSocket, besides the standard ones.
const (
	CloseToken    = 4001 // the request has no valid token or login
	CloseKey      = 4002 // there is no key for a realtime service
	CloseService  = 4003 // the service refused the connection or cannot be reached
	CloseLimit    = 4008 // a limit of voice sessions is reached
	CloseReplaced = 4009 // another voice session of the conversation has started
	CloseIdle     = 4010 // no speech during Proxy.Idle
)

// maxSessions is the maximum number of conversations of a user in voice mode at once.
const maxSessions = 3

// Keys returns the access to a service for a user.
type Keys interface {
	For(ctx context.Context, user chat.UserID, service string) (toolkey.Access, error)
}

// Store stores sessions, exchanges and answers; see realtimestore.Store.
type Store interface {
	Open(ctx context.Context, in realtimestore.Session, most realtimestore.Limits) (left time.Duration, err error)
	Renew(ctx context.Context, in realtimestore.Session) (open bool, err error)
	Close(ctx context.Context, id string) error
	Add(ctx context.Context, key chat.SessionKey, x realtimestore.Exchange) error
	OpenExchanges(ctx context.Context, key chat.SessionKey) ([]realtimestore.Exchange, error)
	Release(ctx context.Context, id string) error
	Record(ctx context.Context, exchange string, step int, a realtime.Answer, heardIn time.Duration) (stored bool, err error)
	Cut(ctx context.Context, exchange string, step int, heard string) error
	Answers(ctx context.Context, exchange string) ([]realtime.Answer, error)
	Calls(ctx context.Context, key chat.SessionKey, exchange string, step int) ([]realtimestore.Call, error)
	TurnEnded(ctx context.Context, key chat.SessionKey, exchange string) (bool, error)
}

// Dispatch accepts messages.
type Dispatch interface {
	Plain(ctx context.Context, in intake.Message) (engine.Accepted, error)
}

// Prompts renders the system prompt of a conversation.
type Prompts interface {
	Preview(ctx context.Context, key chat.SessionKey, text string, at time.Time) (prompt.Preview, error)
}

// Tools returns the tools of conversations.
type Tools interface {
	Of(ctx context.Context, key chat.SessionKey) (*toolset.Set, error)
}

// Limits returns the limits of the policy.
type Limits interface {
	Caps(ctx context.Context) (policy.Limits, error)
}

// Proxy serves the WebSocket.
type Proxy struct {
	*endpoint.Base

	Keys     Keys
	Store    Store
	Dispatch Dispatch
	Prompts  Prompts
	Tools    Tools
	Limits   Limits
	Bus      *feed.Bus
	Closing  <-chan struct{} // closed when the server stops
	Idle     time.Duration   // time without speech that ends a session; 0: five minutes
	// Untranscribed is the maximum time for which an answer waits for the transcript of the speech; 0: eight seconds.
	Untranscribed time.Duration
}

var upgrader = websocket.Upgrader{
	HandshakeTimeout: sendTime,
	CheckOrigin:      func(*http.Request) bool { return true }, // the origin was checked with the cookie
}

// Handler serves the WebSocket. Requests without a valid token or login get the close code CloseToken.
func (p *Proxy) Handler() http.Handler {
	return p.Auth.Require(http.HandlerFunc(p.serve), func(w http.ResponseWriter, r *http.Request, err error) {
		if _, out := errors.AsType[*auth.SignInError](err); out && websocket.IsWebSocketUpgrade(r) {
			p.refuse(w, r, CloseToken, err)
			return
		}
		p.Refuse(w, r, err)
	})
}

// refuse accepts the upgrade and closes the socket with a code: pages cannot read the status of a refused upgrade.
func (p *Proxy) refuse(w http.ResponseWriter, r *http.Request, code int, err error) {
	conn, failed := upgrader.Upgrade(w, r, nil)
	if failed != nil {
		return // the upgrader has answered
	}
	closeWith(conn, code, err.Error())
}

// closeWith sends an error event with the full reason, and closes the socket.
func closeWith(conn *websocket.Conn, code int, reason string) {
	until := time.Now().Add(sendTime)
	_ = conn.SetWriteDeadline(until)                                                                                    // a closed socket fails below
	_ = conn.WriteJSON(realtime.Event{Type: realtime.TypeError, Error: &realtime.Error{Type: "xbot", Message: reason}}) // fails only on a closed socket
	_ = conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, shortReason(reason)), until)
	_ = conn.Close() // nothing is pending on it
}

// shortReason cuts a reason to the size of a close frame.
func shortReason(reason string) string {
	const most = 120
	if len(reason) <= most {
		return reason
	}
	reason = reason[:most]
	for !utf8.ValidString(reason) {
		reason = reason[:len(reason)-1]
	}
	return reason
}

// serve opens a voice session of a conversation of the user.
func (p *Proxy) serve(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	if err := auth.MayConverse(ctx); err != nil {
		p.Refuse(w, r, err)
		return
	}
	conversation, err := p.Own(ctx, chat.SessionKey(r.PathValue("key")))
	if err != nil {
		p.Refuse(w, r, err)
		return
	}
	if service.Serves(conversation.Key) || conversation.ChatType == chat.ChatSubagent {
		p.Refuse(w, r, fault.Errorf(fault.Invalid, "voice mode is not available in this conversation: start it in one of your own conversations"))
		return
	}
	if !websocket.IsWebSocketUpgrade(r) {
		p.Refuse(w, r, fault.Errorf(fault.Invalid, "this endpoint is a WebSocket: send an upgrade request"))
		return
	}
	user := auth.User(ctx)
	access, err := p.Keys.For(ctx, user.ID, toolkey.Realtime)
	if err != nil {
		p.refuse(w, r, CloseKey, err)
		return
	}
	page, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // the upgrader has answered
	}
	page.SetReadLimit(realtime.MaxClientFrame)
	s := &session{
		Proxy: p, conversation: conversation, user: user, page: page, key: access.Key,
		row: realtimestore.Session{ID: rand.Text(), Key: conversation.Key, User: user.ID, Model: cmp.Or(access.Model, realtime.UsualModel)},
	}
	code, reason := s.serve(ctx, access)
	closeWith(page, code, reason)
}

// redact removes the key from an error of the service.
func (s *session) redact(text string) string {
	if s.key == "" {
		return text
	}
	return strings.ReplaceAll(text, s.key, "…")
}
