package feed

import (
	"encoding/json"
	"slices"
	"unicode/utf8"

	"xbot/internal/chat"
)

// Bounds of a snapshot: commands at once, stored bytes of the output of each, and calls that are written at once.
const (
	snapshotCalls   = 32
	snapshotOutput  = 64 << 10
	snapshotWritten = 64
)

// snapshot is the live state of a session for new subscribers: the text and calls of the current step and the last output of running
// commands, all of one turn, and the last output of background tasks, of any turn.
type snapshot struct {
	turn    chat.TurnID
	delta   *chat.Delta  // without its call
	calls   []chat.Delta // that are written in the step, with their arguments so far
	outputs []chat.Output
	tasks   []chat.Output
}

func (s *snapshot) empty() bool { return s.delta == nil && len(s.outputs) == 0 && len(s.tasks) == 0 }

func (s *snapshot) add(kind chat.EventKind, data json.RawMessage) {
	switch kind {
	case chat.EventDelta:
		var d chat.Delta
		if json.Unmarshal(data, &d) == nil {
			s.addDelta(d)
		}
	case chat.EventOutput:
		var o chat.Output
		if json.Unmarshal(data, &o) != nil {
			return
		}
		if o.Task != "" {
			s.tasks = withOutput(s.tasks, o)
			return
		}
		s.follow(o.Turn)
		s.outputs = withOutput(s.outputs, o)
	}
}

// end clears the snapshot of a turn that was closed, or of a task that has ended; the rest stays.
func (s *snapshot) end(data json.RawMessage) {
	var e endData
	if json.Unmarshal(data, &e) != nil {
		return
	}
	if e.Call != "" {
		s.tasks = slices.DeleteFunc(s.tasks, func(o chat.Output) bool { return o.Call == e.Call })
		return
	}
	if s.turn == e.Turn {
		*s = snapshot{tasks: s.tasks}
	}
}

// follow resets the snapshot when another turn appears.
func (s *snapshot) follow(turn chat.TurnID) {
	if s.turn != turn {
		*s = snapshot{turn: turn, tasks: s.tasks}
	}
}

func (s *snapshot) addDelta(d chat.Delta) {
	s.follow(d.Turn)
	have := s.delta
	if have == nil || d.Step > have.Step || d.Step == have.Step && d.Attempt > have.Attempt {
		s.calls = nil
		s.addCall(d)
		d.Call, d.ArgumentsOffset, d.Arguments = "", 0, ""
		s.delta = &d
		return
	}
	if d.Step != have.Step || d.Attempt != have.Attempt {
		return // of an abandoned attempt
	}
	if d.Offset == have.Offset+len(have.Text) {
		have.Text += d.Text
	}
	if d.ReasoningOffset == have.ReasoningOffset+len(have.Reasoning) {
		have.Reasoning += d.Reasoning
	}
	have.ToolName, have.Doing = d.ToolName, d.Doing
	s.addCall(d)
}

// addCall adds the call of a piece.
func (s *snapshot) addCall(d chat.Delta) {
	if d.Call == "" {
		return
	}
	i := slices.IndexFunc(s.calls, func(have chat.Delta) bool { return have.Call == d.Call })
	if i >= 0 {
		if have := &s.calls[i]; d.ArgumentsOffset == have.ArgumentsOffset+len(have.Arguments) {
			have.Arguments += d.Arguments
		}
		return
	}
	if len(s.calls) < snapshotWritten {
		s.calls = append(s.calls, chat.Delta{
			Turn: d.Turn, Step: d.Step, Attempt: d.Attempt, ToolName: d.ToolName, Call: d.Call, ArgumentsOffset: d.ArgumentsOffset, Arguments: d.Arguments,
		})
	}
}

// writing returns the model's current output, in consecutive pieces: first all text, then each call.
func (s *snapshot) writing() []chat.Delta {
	if s.delta == nil {
		return nil
	}
	pieces := []chat.Delta{*s.delta}
	if len(s.calls) > 0 {
		pieces[0].ToolName = "" // the pieces of calls have names
	}
	for _, call := range s.calls {
		call.Offset, call.ReasoningOffset = s.delta.Offset+len(s.delta.Text), s.delta.ReasoningOffset+len(s.delta.Reasoning)
		pieces = append(pieces, call)
	}
	return pieces
}

// withOutput adds a piece to the outputs of commands, of which there are at most snapshotCalls.
func withOutput(outputs []chat.Output, o chat.Output) []chat.Output {
	i := slices.IndexFunc(outputs, func(have chat.Output) bool { return have.Call == o.Call })
	if i < 0 {
		if len(outputs) == snapshotCalls {
			outputs = outputs[1:]
		}
		return append(outputs, o)
	}
	have := &outputs[i]
	if o.Offset != have.Offset+int64(len(have.Text)) {
		*have = o
		return outputs
	}
	have.Text += o.Text
	if over := len(have.Text) - snapshotOutput; over > 0 {
		for over < len(have.Text) && !utf8.RuneStart(have.Text[over]) {
			over++
		}
		have.Text, have.Offset = have.Text[over:], have.Offset+int64(over)
	}
	return outputs
}

func (s *snapshot) events() []chat.Event {
	var out []chat.Event
	for _, d := range s.writing() {
		out = append(out, event(chat.EventDelta, d))
	}
	for _, o := range slices.Concat(s.outputs, s.tasks) {
		out = append(out, event(chat.EventOutput, o))
	}
	return out
}

func event(kind chat.EventKind, v any) chat.Event {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain structs of strings and numbers
	}
	return chat.Event{Kind: kind, Data: data}
}
