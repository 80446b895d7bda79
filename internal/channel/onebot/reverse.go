package onebot

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"xbot/internal/channel"
	"xbot/internal/fault"
)

// reverse is an account that NapCat dials. Run serves the connections that its handler accepts.
type reverse struct {
	*account
	attach chan attachment // taken by Run; a handler without a Run gives up
}

var (
	_ channel.Account          = (*reverse)(nil)
	_ channel.Webhook          = (*reverse)(nil)
	_ channel.Deleter          = (*reverse)(nil)
	_ channel.Reactor          = (*reverse)(nil)
	_ channel.Typist           = (*reverse)(nil)
	_ channel.Finder           = (*reverse)(nil)
	_ channel.Fetcher          = (*reverse)(nil)
	_ channel.ConnectedAccount = (*reverse)(nil)
)

// attachment is a connection that a handler has accepted.
type attachment struct {
	role     string
	upgrade  func() (*websocket.Conn, error)
	upgraded chan struct{} // closed when the request has been answered
	to       channel.Receiver
	report   channel.Reporter
}

// The roles that a connection may have: events, actions, or both.
const (
	roleUniversal = "universal"
	roleEvent     = "event"
	roleAPI       = "api"
)

// attachWait is how long a handler waits for Run, which may just be starting.
const attachWait = 5 * time.Second

// Webhook accepts NapCat's WebSocket client. Without a Run in this process it answers 503, and NapCat tries again.
func (r *reverse) Webhook(to channel.Receiver, report channel.Reporter) http.Handler {
	tell := &oneByOne{to: report}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if !r.trusted(req) {
			http.Error(w, "the token of this WebSocket client is not the one that xbot knows", http.StatusUnauthorized)
			return
		}
		self := req.Header.Get("X-Self-Id")
		if r.settings.self != "" && self != r.settings.self {
			tell.Report(channel.Status{Err: errOther(self, r.settings.self)})
			http.Error(w, "xbot expects another QQ account here", http.StatusForbidden)
			return
		}
		if !websocket.IsWebSocketUpgrade(req) {
			http.Error(w, "this is the address for a WebSocket client of NapCat", http.StatusUpgradeRequired)
			return
		}
		at := attachment{role: role(req), upgraded: make(chan struct{}), to: to, report: tell}
		at.upgrade = func() (*websocket.Conn, error) {
			upgrader := websocket.Upgrader{HandshakeTimeout: dialWait}
			return upgrader.Upgrade(w, req, nil)
		}
		wait := time.NewTimer(attachWait)
		defer wait.Stop()
		select {
		case r.attach <- at:
			<-at.upgraded // the request has been answered
		case <-wait.C:
			http.Error(w, "the account is not running here", http.StatusServiceUnavailable)
		case <-req.Context().Done():
		}
	})
}

// Here reports whether NapCat is connected to this process.
func (r *reverse) Here() bool { return r.linked() != nil }

// trusted compares the token in constant time. It comes as a header, and with older clients in the address.
func (r *reverse) trusted(req *http.Request) bool {
	given := req.URL.Query().Get("access_token")
	if header := req.Header.Get("Authorization"); header != "" {
		scheme, rest, _ := strings.Cut(header, " ")
		if !strings.EqualFold(scheme, "Bearer") && !strings.EqualFold(scheme, "Token") {
			return false
		}
		given = strings.TrimSpace(rest)
	}
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(r.token))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

func role(req *http.Request) string {
	switch got := strings.ToLower(req.Header.Get("X-Client-Role")); got {
	case roleEvent, roleAPI:
		return got
	}
	return roleUniversal
}

// Run serves the connections of NapCat until ctx ends, the newest of each role.
func (r *reverse) Run(ctx context.Context, to channel.Receiver, report channel.Reporter) error {
	tell := &oneByOne{to: report}
	tell.Report(channel.Status{Err: fault.Errorf(fault.Unavailable, "NapCat has not connected yet: add a WebSocket client in its network settings")})
	var holds holds
	defer holds.end()
	for {
		select {
		case <-ctx.Done():
			return nil
		case at := <-r.attach:
			ws, err := at.upgrade()
			close(at.upgraded)
			if err != nil {
				continue // the answer has been written, and NapCat tries again
			}
			if at.to == nil {
				at.to, at.report = to, tell
			}
			r.take(ctx, &holds, at, newConn(ws))
		}
	}
}

// holds are the connections of NapCat that are served.
type holds struct {
	api, event *conn
	loops      sync.WaitGroup
	serving    sync.WaitGroup // of event
}

func (h *holds) end() {
	if h.api != nil {
		h.api.close()
	}
	if h.event != nil {
		h.event.close()
	}
	h.loops.Wait()
}

// take replaces the connection of a role by a new one.
func (r *reverse) take(ctx context.Context, h *holds, at attachment, c *conn) {
	if at.role != roleEvent {
		if h.api != nil && h.api != h.event {
			h.api.close()
		}
		h.api = c
		r.link.Store(c)
	}
	if at.role == roleAPI {
		return
	}
	if h.event != nil {
		h.event.close()
		h.serving.Wait() // two must not process events at once: the older one's order would be lost
	}
	h.event = c
	actions := c
	if at.role == roleEvent {
		actions = nil
	}
	h.serving.Add(1)
	h.loops.Go(func() {
		defer h.serving.Done()
		defer c.close()
		err := r.serve(ctx, c, actions, at.to, at.report)
		if ctx.Err() == nil {
			at.report.Report(channel.Status{Err: err})
		}
	})
}

// actionsWait is how long the connection for events waits for the one for actions.
const actionsWait = 10 * time.Second

// actions returns the connection for actions of another role, once there is one.
func (a *account) actions(ctx context.Context) (*conn, error) {
	ctx, cancel := context.WithTimeout(ctx, actionsWait)
	defer cancel()
	for {
		if c := a.linked(); c != nil {
			return c, nil
		}
		if !channel.Rest(ctx, 50*time.Millisecond) {
			return nil, fault.Errorf(fault.Unavailable, "NapCat sends events, but has no connection for actions: give its client the role Universal")
		}
	}
}

// oneByOne serializes the reports of several goroutines.
type oneByOne struct {
	mu sync.Mutex
	to channel.Reporter
}

// Report implements channel.Reporter.
func (o *oneByOne) Report(s channel.Status) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.to.Report(s)
}
