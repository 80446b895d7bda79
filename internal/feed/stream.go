package feed

import (
	"unicode/utf8"

	"xbot/internal/chat"
)

const (
	// pieceBytes bounds one piece, text and reasoning together, so that even fully escaped, at six bytes each, it fits a
	// notification with the names around it.
	pieceBytes = 1000
	// nameBytes bounds the tool name in a piece: models invent names.
	nameBytes = 64
)

// Stream publishes what one attempt of one step writes, in pieces. It is the sink of a model call. Close it.
type Stream struct {
	pacer

	bus             *Bus
	key             chat.SessionKey
	next            chat.Delta // what was not published yet, with the offsets it starts at
	text, reasoning []byte     // all of it, for an answer that is cut short
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
func (s *Stream) ToolCall(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next.ToolName = cut(name, nameBytes)
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

func (s *Stream) waits() bool {
	return s.next.Text != "" || s.next.Reasoning != "" || s.next.ToolName != ""
}

func (s *Stream) publish() {
	for s.waits() {
		piece := s.next
		piece.Text = cut(piece.Text, pieceBytes)
		piece.Reasoning = cut(piece.Reasoning, pieceBytes-len(piece.Text))
		s.bus.PublishDelta(s.key, piece)
		s.next.Offset += len(piece.Text)
		s.next.ReasoningOffset += len(piece.Reasoning)
		s.next.Text = s.next.Text[len(piece.Text):]
		s.next.Reasoning = s.next.Reasoning[len(piece.Reasoning):]
		s.next.ToolName = ""
	}
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
