package events

import (
	"encoding/json"
	"slices"

	"xbot/internal/chat"
)

// settledTurns is how many turns a stream remembers: more than the live events that may wait for a slow client
// (package feed: 256), so that even if each is a piece of another turn none is forgotten before it is looked at.
const settledTurns = 300

// settled remembers the steps and outputs that durable events of a stream have delivered whole, so that no live piece of
// them follows. Live pieces and durable events arrive on different paths, and a piece from another process may be late.
type settled []*progress

// progress is how far a turn has come on a stream.
type progress struct {
	turn  chat.TurnID
	step  int // the last one whose message was sent, -1 for none
	over  bool
	calls map[chat.CallID]bool // whose result was sent
}

// note records a durable event.
func (s *settled) note(e chat.Event) {
	if e.Kind == chat.EventTask {
		s.noteTask(e)
		return
	}
	var d struct {
		Turn  chat.TurnID `json:"turn_id"`
		ID    any         `json:"id"` // of the turn or the call
		Step  int         `json:"step"`
		Role  chat.Role   `json:"role"`
		State string      `json:"state"`
	}
	if json.Unmarshal(e.Data, &d) != nil {
		return // of a kind that settles nothing
	}
	id, _ := d.ID.(string) // a number for messages
	switch e.Kind {
	case chat.EventMessage:
		if d.Role == chat.RoleAssistant {
			p := s.of(d.Turn)
			p.step = max(p.step, d.Step)
		}
	case chat.EventTool:
		if d.State == string(chat.CallDone) {
			s.of(d.Turn).calls[chat.CallID(id)] = true
		}
	case chat.EventTurn:
		if d.State != string(chat.TurnRunning) {
			s.of(chat.TurnID(id)).over = true
		}
	}
}

// noteTask records the end of a background task.
func (s *settled) noteTask(e chat.Event) {
	var t chat.Task
	if json.Unmarshal(e.Data, &t) == nil && t.State != chat.TaskRunning {
		s.of(ofTask(t.Call)).over = true
	}
}

// ofTask returns the key of a background task among those of turns.
func ofTask(call chat.CallID) chat.TurnID { return chat.TurnID("task of " + call) }

// has reports whether a live event is a piece of something that was delivered as a whole.
func (s *settled) has(e chat.Event) bool {
	var d struct {
		Turn chat.TurnID `json:"turn_id"`
		Step int         `json:"step"`
		Call chat.CallID `json:"call_id"`
		Task string      `json:"task"`
	}
	if json.Unmarshal(e.Data, &d) != nil {
		return false
	}
	if d.Task != "" { // it outlives its turn and its call
		d.Turn = ofTask(d.Call)
	}
	i := s.index(d.Turn)
	if i < 0 {
		return false
	}
	p := (*s)[i]
	return p.over || e.Kind == chat.EventDelta && d.Step <= p.step || e.Kind == chat.EventOutput && p.calls[d.Call]
}

func (s *settled) index(turn chat.TurnID) int {
	return slices.IndexFunc(*s, func(p *progress) bool { return p.turn == turn })
}

func (s *settled) of(turn chat.TurnID) *progress {
	if i := s.index(turn); i >= 0 {
		return (*s)[i]
	}
	if len(*s) == settledTurns {
		*s = slices.Delete(*s, 0, 1)
	}
	p := &progress{turn: turn, step: -1, calls: map[chat.CallID]bool{}}
	*s = append(*s, p)
	return p
}
