package onebottest

import "time"

// TroubleKind is a kind of trouble of calls that send.
type TroubleKind string

// The kinds.
const (
	Limited     TroubleKind = "limited"      // QQ wants fewer messages
	Refused     TroubleKind = "refused"      // the bot is muted
	Down        TroubleKind = "down"         // QQ fails, and nothing was accepted
	LostRequest TroubleKind = "lost request" // the connection breaks, and nothing was accepted
	LostAnswer  TroubleKind = "lost answer"  // accepted, then the connection breaks before the answer
	Mute        TroubleKind = "mute"         // accepted, and no answer ever
	Stuck       TroubleKind = "stuck"        // not accepted, and no answer ever
	Late        TroubleKind = "late"         // accepted, and NapCat reports that QQ did not confirm in time
	Delayed     TroubleKind = "delayed"      // accepted after a while
	SlowAnswer  TroubleKind = "slow answer"  // accepted at once, and the answer comes after a while
)

// Trouble is a failure of calls.
type Trouble struct {
	Kind  TroubleKind
	Times int           // negative: all from now on
	For   time.Duration // Delayed, SlowAnswer
}

// Befall makes the next calls that send meet with trouble. Times 0 ends earlier trouble.
func (s *Server) Befall(t Trouble) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.troubles = nil
	if t.Times != 0 {
		s.troubles = []*Trouble{&t}
	}
}

// due returns the trouble of this call, if any.
func (s *Server) due() *Trouble {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.troubles) == 0 {
		return nil
	}
	t := s.troubles[0]
	if t.Times > 0 {
		if t.Times--; t.Times == 0 {
			s.troubles = nil
		}
	}
	return t
}

// leave counts a call without an answer.
func (s *Server) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unanswered++
}

// Unanswered returns how many calls were Mute or Stuck so far.
func (s *Server) Unanswered() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unanswered
}

// refusal is NapCat's answer if QQ does not accept a message.
func (t *Trouble) refusal() (failure, bool) {
	switch t.Kind {
	case Limited:
		return failure{1200, `EventRet: {"result":299,"errMsg":"发送频率过快,请稍后再试"}`}, true
	case Refused:
		return failure{1200, `EventChecker Failed: NTEvent serviceAndMethod:NodeIKernelMsgService/sendMsg EventRet: {"result":120,"errMsg":""}`}, true
	case Down:
		return failure{1200, `EventRet: {"result":-1,"errMsg":"network unreachable"}`}, true
	}
	return failure{}, false
}
