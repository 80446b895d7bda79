package feishutest

import (
	"net/http"
	"strconv"
	"time"
)

// TroubleKind is a kind of trouble.
type TroubleKind string

// The kinds.
const (
	Limited     TroubleKind = "limited"      // refused, since there were too many calls
	Refused     TroubleKind = "refused"      // refused, since the bot may not write there
	Down        TroubleKind = "down"         // an outage; nothing was accepted
	LostRequest TroubleKind = "lost request" // the connection breaks; nothing was accepted
	LostAnswer  TroubleKind = "lost answer"  // accepted and shown, then the connection breaks before the answer
	BadToken    TroubleKind = "bad token"    // the access token is not taken
	Mute        TroubleKind = "mute"         // accepted and shown, and no answer ever
	Stuck       TroubleKind = "stuck"        // not accepted, and no answer ever
	SlowAnswer  TroubleKind = "slow answer"  // accepted and shown at once, and the answer comes after a while
)

// Trouble is a failure of calls that send messages.
type Trouble struct {
	Kind  TroubleKind
	Times int           // calls that it affects; negative: all from now on, 0: it is over
	After time.Duration // for Limited: when to come back; 0: not given
	For   time.Duration // for SlowAnswer
	Code  int           // for Limited and Refused: the code; 0: the usual one
}

// Befall makes the next calls that send meet with trouble.
func (s *Server) Befall(t Trouble) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trouble = t
}

// befallen takes a trouble for one call; the caller holds the lock.
func (s *Server) befallen() Trouble {
	t := s.trouble
	if t.Times == 0 {
		return Trouble{}
	}
	if t.Times > 0 {
		s.trouble.Times--
	}
	return t
}

// refusal returns the response to the caller, nil if the trouble is no refusal.
func (t Trouble) refusal() *refusal {
	switch t.Kind {
	case Limited:
		r := &refusal{status: http.StatusTooManyRequests, code: 99991400, msg: "request trigger frequency limit"}
		if t.Code != 0 {
			r.status, r.code = http.StatusBadRequest, t.Code
		}
		if t.After > 0 {
			r.header = map[string]string{"X-Ogw-Ratelimit-Reset": strconv.Itoa(int(t.After.Seconds()))}
		}
		return r
	case Refused:
		code := t.Code
		if code == 0 {
			code = 230002
		}
		return refuse(code, "Bot/User can NOT be out of the chat.")
	case Down:
		return &refusal{status: http.StatusServiceUnavailable, code: 0, msg: "service unavailable"}
	case BadToken:
		return &refusal{status: http.StatusBadRequest, code: 99991663, msg: "Invalid access token for authorization. Please make a test attempt with the correct token."}
	}
	return nil
}

// silence leaves a request without an answer until its client or the platform is gone.
func (s *Server) silence(r *http.Request) {
	s.mu.Lock()
	s.unanswered++
	s.mu.Unlock()
	select {
	case <-r.Context().Done():
	case <-s.ctx.Done():
	}
}

// Unanswered returns how many calls were Mute or Stuck so far.
func (s *Server) Unanswered() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unanswered
}

// hangUp breaks the connection of a request without an answer.
func hangUp(w http.ResponseWriter) {
	hijacker, ok := w.(http.Hijacker)
	if !ok {
		return
	}
	conn, _, err := hijacker.Hijack()
	if err == nil {
		_ = conn.Close() // that is the point
	}
}

// later holds an answer back until tell.
type later struct {
	http.ResponseWriter

	status int
	body   []byte
}

func (l *later) WriteHeader(status int) { l.status = status }
func (l *later) Write(p []byte) (int, error) {
	l.body = append(l.body, p...)
	return len(p), nil
}

// tell answers after a while, unless the client or the platform is gone before.
func (l *later) tell(s *Server, r *http.Request, after time.Duration) {
	timer := time.NewTimer(after)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.Context().Done():
		return
	case <-s.ctx.Done():
		return
	}
	if l.status != 0 {
		l.ResponseWriter.WriteHeader(l.status)
	}
	_, _ = l.ResponseWriter.Write(l.body) // the client may be gone
}
