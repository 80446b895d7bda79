package apitest

import (
	"slices"

	"xbot/internal/chat"
)

// Compresses reports a compression of the context before the step, and its outcome.
func (t *Turn) Compresses() {
	t.session.mu.Lock()
	defer t.session.mu.Unlock()
	t.session.message(chat.Message{
		Role: chat.RoleNotice, Origin: chat.OriginContext, Turn: t.ID, Content: "Context compacted: 152 k → 11 k tokens.",
	})
	t.session.live(chat.EventDelta, chat.Delta{Turn: t.ID, Step: t.step, Doing: chat.DoingCompress})
}

// Rewind takes the newest message of a user with this text, and all after it, out of a session.
func (s *Server) Rewind(key chat.SessionKey, text string) {
	s.mu.Lock()
	session := s.sessions[key]
	s.mu.Unlock()
	session.mu.Lock()
	defer session.mu.Unlock()
	for i, m := range slices.Backward(session.messages) {
		if m.Role == chat.RoleUser && m.Content == text {
			gone := chat.Rewound{From: m.ID, Upto: session.messages[len(session.messages)-1].ID}
			session.messages = session.messages[:i]
			session.durable(chat.EventRewind, gone)
			return
		}
	}
}

// Switch replaces a user's message with this text, and all after it, by the message back with its answer, as if they were brought back.
func (s *Server) Switch(key chat.SessionKey, text, back, answer string) {
	s.mu.Lock()
	session := s.sessions[key]
	s.mu.Unlock()
	session.mu.Lock()
	defer session.mu.Unlock()
	for i, m := range slices.Backward(session.messages) {
		if m.Role == chat.RoleUser && m.Content == text {
			gone := chat.Rewound{From: m.ID, Upto: session.messages[len(session.messages)-1].ID, Again: true}
			session.messages = append(session.messages[:i:i],
				chat.Message{ID: m.ID, Session: key, Role: chat.RoleUser, Content: back},
				chat.Message{ID: m.ID + 1, Session: key, Role: chat.RoleAssistant, Content: answer})
			session.durable(chat.EventRewind, gone)
			return
		}
	}
}
