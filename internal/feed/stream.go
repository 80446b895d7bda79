package feed

import (
	"slices"
	"time"
	"unicode/utf8"

	"xbot/internal/chat"
)

const (
	// pieceBytes bounds one piece, text, reasoning and arguments together, so that even fully escaped, at six bytes each, it fits a
	// notification with the names around it.
	pieceBytes = 1000
	// nameBytes bounds the tool name in a piece: models invent names.
	nameBytes = 64
	// argumentsBytes bounds the published arguments of one call. They may hold a whole file, and clients show no more.
	argumentsBytes = 8 << 10
	// argumentsPace is the interval between pieces of arguments. Users do not read them as they read text, so they may be larger and fewer.
	argumentsPace = 3 * pace
)

// Stream publishes the output of one attempt of one step, in pieces. It is the sink of a model call. The caller must close it.
type Stream struct {
	pacer

	bus             *Bus
	key             chat.SessionKey
	next            chat.Delta // unpublished output, with the offsets it starts at
	calls           []writtenCall
	argued          time.Time // time of the last published arguments
	closing         bool      // pending output is published immediately
	text, reasoning []byte    // all of it, for an answer that is cut short
}

// writtenCall is a call that the model writes.
type writtenCall struct {
	n         int // of the answer
	id        chat.CallID
	name      string
	named     bool // the name was published
	next      string
	offset    int  // in the arguments, of next
	exhausted bool // no more of the arguments is published
}

// NewStream starts the stream of an attempt.
func (b *Bus) NewStream(key chat.SessionKey, turn chat.TurnID, step, attempt int) *Stream {
	s := &Stream{bus: b, key: key, next: chat.Delta{Turn: turn, Step: step, Attempt: attempt}}
	s.owner = s
	return s
}

// Text adds a piece of the answer.
func (s *Stream) Text(piece string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next.Text += piece
	s.text = append(s.text, piece...)
	s.schedule()
}

// Reasoning adds a piece of the model's reasoning.
func (s *Stream) Reasoning(piece string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next.Reasoning += piece
	s.reasoning = append(s.reasoning, piece...)
	s.schedule()
}

// ToolCall sets the call that the model is writing.
func (s *Stream) ToolCall(call int, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, writtenCall{n: call, id: chat.NewCallID(s.next.Turn, s.next.Step, call), name: cut(name, nameBytes)})
	s.schedule()
}

// Arguments adds a piece of the arguments of a call.
func (s *Stream) Arguments(call int, piece string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.calls, func(c writtenCall) bool { return c.n == call })
	if i < 0 || s.calls[i].exhausted {
		return
	}
	c := &s.calls[i]
	shown := cut(piece, argumentsBytes-c.offset-len(c.next))
	c.next += shown
	c.exhausted = len(shown) < len(piece)
	s.schedule()
}

// Progress does nothing: the other methods publish the bytes that arrive.
func (s *Stream) Progress() {}

// Written returns all text and reasoning so far.
func (s *Stream) Written() (text, reasoning string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.text), string(s.reasoning)
}

// Close publishes the rest; what is added later is not published.
func (s *Stream) Close() {
	s.mu.Lock()
	s.closing = true
	s.mu.Unlock()
	s.pacer.Close()
}

func (s *Stream) waits() bool { return s.writes() || s.call(true) != nil }

// writes reports whether text or reasoning is pending.
func (s *Stream) writes() bool { return s.next.Text != "" || s.next.Reasoning != "" }

// call returns the first call with pending output, or nil if there is none. Unless they are due, arguments wait longer than names.
func (s *Stream) call(due bool) *writtenCall {
	for i := range s.calls {
		if c := &s.calls[i]; !c.named || due && c.next != "" {
			return c
		}
	}
	return nil
}

func (s *Stream) publish() {
	now := time.Now()
	due := s.closing || now.Sub(s.argued) >= argumentsPace
	for {
		call := s.call(due)
		if call == nil && !s.writes() {
			return
		}
		piece := s.next
		piece.Text = cut(piece.Text, pieceBytes)
		piece.Reasoning = cut(piece.Reasoning, pieceBytes-len(piece.Text))
		if call != nil {
			call.fill(&piece, due)
		}
		if piece.Arguments != "" {
			s.argued = now
		}
		s.bus.PublishDelta(s.key, piece)
		s.next.Offset += len(piece.Text)
		s.next.ReasoningOffset += len(piece.Reasoning)
		s.next.Text = s.next.Text[len(piece.Text):]
		s.next.Reasoning = s.next.Reasoning[len(piece.Reasoning):]
	}
}

// fill adds the call to a piece, with as much of its arguments as fits if they are due.
func (c *writtenCall) fill(piece *chat.Delta, due bool) {
	piece.ToolName, piece.Call, piece.ArgumentsOffset = c.name, c.id, c.offset
	c.named = true
	if !due {
		return
	}
	piece.Arguments = cut(c.next, pieceBytes-len(piece.Text)-len(piece.Reasoning))
	c.offset += len(piece.Arguments)
	c.next = c.next[len(piece.Arguments):]
}

// cut returns the longest prefix of at most n bytes that ends between characters.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	end := n
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	if n >= utf8.UTFMax && end == 0 {
		end = n // no valid text; a cut inside it does no harm, and there must be progress
	}
	return text[:end]
}
