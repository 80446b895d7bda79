package store

import (
	"context"
	"fmt"

	"xbot/internal/chat"
)

// PromptLines returns the whole conversation in the order the model reads it. Calls and results are one row each, so
// every call that is returned has a pair; a call that is still open is marked so by its state.
func (s *Store) PromptLines(ctx context.Context, key chat.SessionKey) ([]chat.Line, error) {
	rows, err := s.q.MessageTranscript(ctx, s.pool, key)
	if err != nil {
		return nil, classify(fmt.Errorf("read transcript: %w", err))
	}
	calls, err := s.q.CallTranscript(ctx, s.pool, key)
	if err != nil {
		return nil, classify(fmt.Errorf("read tool calls: %w", err))
	}
	out := make([]chat.Line, len(rows))
	index := make(map[chat.MessageID]int, len(rows))
	for i, r := range rows {
		m := chat.Message{ID: r.ID, Role: r.Role, Origin: r.Origin, Content: r.Content, Reasoning: r.Reasoning}
		if r.TurnID != nil {
			m.Turn = *r.TurnID
		}
		out[i] = chat.Line{Message: m, Preface: r.Preface, Opaque: r.Opaque}
		index[r.ID] = i
	}
	for _, c := range calls {
		i, ok := index[c.MessageID]
		if !ok {
			continue // its message is not for the model
		}
		m := &out[i].Message
		m.ToolCalls = append(m.ToolCalls, chat.ToolCall{
			ID: c.ID, Name: c.Name, Arguments: c.Arguments, State: c.State, Result: c.Result, IsError: c.IsError,
		})
	}
	return out, nil
}
