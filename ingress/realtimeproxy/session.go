package realtimeproxy

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/gorilla/websocket"

	"xbot/ingress/auth"
	"xbot/internal/chat"
	"xbot/internal/extension/toolkey"
	"xbot/internal/fault"
	"xbot/internal/feed"
	"xbot/internal/realtime"
	"xbot/internal/realtime/realtimestore"
	"xbot/internal/user/users"
)

const (
	sendTime   = 10 * time.Second // of one frame
	pongTime   = 60 * time.Second // without an answer to a ping
	renewEvery = 3 * time.Second
	usualIdle  = 5 * time.Minute
	// pollEvery is the interval at which results of calls are read, for lost notifications.
	pollEvery = 500 * time.Millisecond
	storeTime = 15 * time.Second // for the writes after the end of a session
)

// session is a voice session of a conversation. One goroutine owns it, and writes to both sockets.
type session struct {
	*Proxy

	conversation chat.Session
	user         users.User
	row          realtimestore.Session
	key          string // of the service
	page         *websocket.Conn
	service      *websocket.Conn

	beta       bool // the service speaks the beta form
	setup      realtime.Setup
	exchanges  []*exchange // open exchanges, oldest first
	responses  []*response // recent responses, oldest first
	active     *response   // in progress; nil: none
	requested  *exchange   // whose response was requested and has not begun; nil: none
	due        []*exchange // that wait for a request for their response
	lastActive time.Time
	ended      bool // the user has ended voice mode
}

// sessionEnd is the reason of the end of a session.
type sessionEnd struct {
	code   int
	reason string
}

// Error implements error.
func (e *sessionEnd) Error() string { return e.reason }

// end returns an error that ends a session.
func end(code int, reason string) error { return &sessionEnd{code, reason} }

// serve runs the session and returns the close code for the page.
func (s *session) serve(ctx context.Context, access toolkey.Access) (code int, reason string) {
	left, err := s.open(ctx)
	if err != nil {
		if fault.Is(err, fault.RateLimited) {
			return CloseLimit, err.Error()
		}
		return s.internalEnd("a voice session could not be opened", err)
	}
	defer s.close(ctx)
	if s.service, err = realtime.Dial(ctx, access, access.DialContext); err != nil {
		s.Log.Warn("the realtime service was not reached", "session", s.conversation.Key, "error", err)
		return CloseService, s.redact(err.Error())
	}
	defer func() { _ = s.service.Close() }() // nothing is pending on it
	ctx, cancel := context.WithDeadlineCause(ctx, time.Now().Add(left), end(CloseLimit, "the limit of voice mode within 24 hours is reached (limits.person.voice)"))
	defer cancel()
	err = s.run(ctx)
	s.settle(ctx)
	if e, ok := errors.AsType[*sessionEnd](err); ok {
		return e.code, e.reason
	}
	return s.internalEnd("a voice session broke", err)
}

// open checks the limits and begins the session.
func (s *session) open(ctx context.Context) (left time.Duration, err error) {
	limits, err := s.Limits.Caps(ctx)
	if err != nil {
		return 0, err
	}
	return s.Store.Open(ctx, s.row, realtimestore.Limits{Sessions: maxSessions, Daily: time.Duration(limits.Person.Voice) * time.Minute})
}

// internalEnd logs an unexpected error and returns the close code for it.
func (s *session) internalEnd(what string, err error) (code int, reason string) {
	s.Log.Warn(what, "session", s.conversation.Key, "error", err)
	return websocket.CloseInternalServerErr, "voice mode was interrupted; connect again"
}

// close ends the session's row, also when the request has ended.
func (s *session) close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
	defer cancel()
	if err := s.Store.Close(ctx, s.row.ID); err != nil {
		s.Log.Warn("cannot store the end of a voice session", "session", s.conversation.Key, "error", err)
	}
}

// frame is a text message of a socket, or the error that ends it.
type frame struct {
	data []byte
	err  error
}

// frames reads a socket until it ends. The last frame has an error.
func frames(ctx context.Context, conn *websocket.Conn) <-chan frame {
	out := make(chan frame)
	go func() {
		for {
			kind, data, err := conn.ReadMessage()
			if err == nil && kind != websocket.TextMessage {
				continue
			}
			select {
			case out <- frame{data, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return out
}

// run relays events until a socket ends, a limit is reached or the server stops.
func (s *session) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	fromPage, fromService := frames(ctx, s.page), frames(ctx, s.service)
	s.keepAlive()
	news := s.Bus.Subscribe(s.conversation.Key)
	defer news.Close()
	access, leave := s.Bus.AccessChanges()
	defer leave()
	renew, poll := time.NewTicker(renewEvery), time.NewTicker(pollEvery)
	defer renew.Stop()
	defer poll.Stop()
	s.lastActive = time.Now()
	for {
		var err error
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-s.Closing:
			return end(websocket.CloseServiceRestart, "the server restarts; connect again")
		case f := <-fromPage:
			err = s.handlePage(ctx, f)
		case f := <-fromService:
			err = s.handleService(ctx, f)
		case <-news.Woken():
			err = s.sendResults(ctx)
		case <-poll.C:
			err = s.poll(ctx)
		case <-access:
			err = s.checkAccess(ctx)
		case <-renew.C:
			err = s.renew(ctx)
		}
		drain(news)
		if err != nil {
			return err
		}
	}
}

// drain discards live events: voice mode does not show them.
func drain(news *feed.Subscription) {
	for range len(news.Live()) {
		<-news.Live()
	}
}

// keepAlive sets the read deadline of the page, which each pong extends.
func (s *session) keepAlive() {
	alive := func(string) error { return s.page.SetReadDeadline(time.Now().Add(pongTime)) }
	s.page.SetPongHandler(alive)
	_ = alive("") // a closed socket fails in the reader
}

// renew extends the lease of the session, and ends it if another session replaced it, if it is idle, or if access was revoked.
func (s *session) renew(ctx context.Context) error {
	open, err := s.Store.Renew(ctx, s.row)
	switch {
	case fault.Is(err, fault.Unavailable):
		return nil // until Postgres is back
	case err != nil:
		return err
	case !open:
		return end(CloseReplaced, "another voice session of this conversation has started")
	case time.Since(s.lastActive) > cmp.Or(s.Idle, usualIdle):
		s.ended = true
		return end(CloseIdle, "no speech for some time; start voice mode again")
	}
	if err := s.page.WriteControl(websocket.PingMessage, nil, time.Now().Add(sendTime)); err != nil {
		return err
	}
	return s.checkAccess(ctx)
}

// checkAccess checks that the login is still valid and the conversation still exists.
func (s *session) checkAccess(ctx context.Context) error {
	if err := auth.Still(ctx); err != nil {
		s.ended = true
		return end(CloseToken, err.Error())
	}
	_, _, err := s.Conversations.Session(ctx, s.conversation.Key)
	if fault.Is(err, fault.Unavailable) {
		return nil
	}
	return err
}

// poll finds results of calls without a notification, and gives up missing transcripts.
func (s *session) poll(ctx context.Context) error {
	if err := s.acceptReady(ctx); err != nil {
		return err
	}
	return s.sendResults(ctx)
}

// toPage sends an event to the page.
func (s *session) toPage(e any) error {
	if err := s.page.SetWriteDeadline(time.Now().Add(sendTime)); err != nil {
		return err
	}
	return s.page.WriteJSON(e)
}

// toService sends an event to the service.
func (s *session) toService(data []byte) error {
	if err := s.service.SetWriteDeadline(time.Now().Add(sendTime)); err != nil {
		return err
	}
	return s.service.WriteMessage(websocket.TextMessage, data)
}

// handlePage handles an event of the page. It refuses types that are not listed.
func (s *session) handlePage(ctx context.Context, f frame) error {
	if f.err != nil {
		s.ended = websocket.IsCloseError(f.err, websocket.CloseNormalClosure)
		return end(websocket.CloseNormalClosure, "")
	}
	e, ok := realtime.Parse(f.data)
	if !ok {
		return s.toPage(errorEvent("not an event of the realtime API"))
	}
	switch e.Type {
	case realtime.TypeAppend:
		return s.toService(realtime.Append(e.Audio))
	case realtime.TypeCommit, realtime.TypeClear:
		return s.toService(realtime.Simple(e.Type))
	case realtime.TypeResponseCancel:
		if s.active == nil {
			return nil
		}
		return s.toService(realtime.Simple(e.Type))
	case realtime.TypeItemTruncate:
		return s.truncate(ctx, e)
	case realtime.TypeSessionUpdate:
		if e.Session != nil {
			s.setup.Manual, s.setup.Voice = e.Session.TurnDetection == "none", cmp.Or(e.Session.Voice, s.setup.Voice)
		}
		if s.setup.Instructions == "" { // begin sends it
			return nil
		}
		return s.toService(s.setup.Update(s.beta))
	}
	return s.toPage(errorEvent("clients may not send " + chat.FirstWords(e.Type, 60)))
}

// errorEvent returns an error event of xbot.
func errorEvent(text string) realtime.Event {
	return realtime.Event{Type: realtime.TypeError, Error: &realtime.Error{Type: "xbot", Message: text}}
}
