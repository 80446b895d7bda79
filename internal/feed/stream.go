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
	// argumentsBytes bounds what is published of the arguments of one call. A whole file may stand there, and programs are shown no more.
	argumentsBytes = 8 << 10
	// argumentsPace is how often pieces of arguments are published. Nobody reads along as in a text, so they may be larger and fewer.
	argumentsPace = 3 * pace
)

// Stream publishes what one attempt of one step writes, in pieces. It is the sink of a model call. Close it.
type Stream struct {
	pacer

	bus             *Bus
	key             chat.SessionKey
	next            chat.Delta // what was not published yet, with the offsets it starts at
	calls           []writtenCall
	argued          time.Time // when arguments were published last
	closing         bool      // what waits is published, whatever its pace
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

// ToolCall says which call the model is writing.
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

// Progress says that bytes arrived, which people see by what they become.
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

// writes reports whether text or reasoning waits.
func (s *Stream) writes() bool { return s.next.Text != "" || s.next.Reasoning != "" }

// call returns the first call of which something waits; nil: there is none. Unless they are due, arguments wait longer than names.
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

// fill adds the call to a piece, with as much of its arguments as the piece has room for if they are due.
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
		end = n // no text at all; a cut inside it harms nobody, and there must be progress
	}
	return text[:end]
}
