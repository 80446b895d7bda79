package story

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"xbot/internal/chat"
)

// Apply takes in one event of the feed. Durable events that are in here already change nothing, and kinds that this
// client does not know are passed over, so that an older client can read a newer server. An error means that the
// event could not be read; the story stays as it was.
func (s *Story) Apply(event chat.Event) error {
	if event.Seq > 0 && event.Seq <= s.Seq {
		return nil
	}
	if err := s.apply(event); err != nil {
		return fmt.Errorf("read event %q of the server: %w", event.Kind, err)
	}
	s.Seq = max(s.Seq, event.Seq)
	return nil
}

func (s *Story) apply(event chat.Event) error {
	switch event.Kind {
	case chat.EventQueued:
		return with(event.Data, s.queued)
	case chat.EventDropped:
		return with(event.Data, s.dropped)
	case chat.EventMessage:
		return with(event.Data, s.message)
	case chat.EventTurn:
		return with(event.Data, s.turn)
	case chat.EventTool:
		return with(event.Data, s.tool)
	case chat.EventRetry:
		return with(event.Data, s.retry)
	case chat.EventTodos:
		return with(event.Data, func(todos []chat.Todo) { s.Todos = todos })
	case chat.EventTask:
		return with(event.Data, s.Task)
	case chat.EventSession:
		return with(event.Data, func(session chat.Session) { s.Session = session })
	case chat.EventRewind:
		return with(event.Data, s.rewind)
	case chat.EventDelta:
		return with(event.Data, s.delta)
	case chat.EventOutput:
		return with(event.Data, s.output)
	default:
		return nil
	}
}

func with[T any](data json.RawMessage, apply func(T)) error {
	var value T
	if err := json.Unmarshal(data, &value); err != nil {
		return err
	}
	apply(value)
	return nil
}

// Accept takes in a message that the server has just accepted, before or after the feed has it.
func (s *Story) Accept(q chat.Queued) {
	claimed := func(e *Entry) bool { return e.Inbox == q.Inbox }
	if !slices.ContainsFunc(s.Entries, claimed) {
		s.queued(q)
	}
}

func (s *Story) queued(q chat.Queued) {
	at := slices.IndexFunc(s.Queued, func(other chat.Queued) bool { return other.Inbox == q.Inbox })
	switch {
	case at < 0:
		s.Queued = append(s.Queued, q)
	case q.Mode != "": // it was changed; entries of this client have no mode
		s.Queued[at] = q
	}
}

func (s *Story) dequeue(inbox chat.InboxID) {
	s.Queued = slices.DeleteFunc(s.Queued, func(q chat.Queued) bool { return q.Inbox == inbox })
}

func (s *Story) dropped(d chat.Dropped) {
	for _, q := range s.Queued {
		if q.Inbox == d.Inbox {
			s.Entries = append(s.Entries, &Entry{Kind: Person, Message: chat.Message{Inbox: d.Inbox, Sender: q.Sender, Content: q.Text}, Outcome: d.Outcome})
		}
	}
	s.dequeue(d.Inbox)
	s.Entries = append(s.Entries, &Entry{Kind: Notice, Message: chat.Message{Inbox: d.Inbox, Content: d.Text}, Outcome: d.Outcome})
}

func (s *Story) message(m chat.Message) {
	entry := entryOf(m)
	if entry.Kind == Person {
		s.dequeue(m.Inbox)
		s.forgive(m.Inbox)
		entry.Taken = taken(s.Entries, entry)
	}
	if entry.Kind == Assistant {
		if live := s.step(m.Turn, m.Step); live != nil {
			entry.Changes, entry.Restarted = live.Changes+1, live.Restarted
			entry.keepOutput(live)
			*live = *entry
			return
		}
	}
	s.Entries = append(s.Entries, entry)
}

// forgive removes the notices about a message that was dropped and is in the transcript now, which shows the same.
func (s *Story) forgive(inbox chat.InboxID) {
	s.Entries = slices.DeleteFunc(s.Entries, func(e *Entry) bool { return inbox != 0 && e.Inbox == inbox && e.ID == 0 })
}

// keepOutput takes over what was printed by calls that are known already.
func (e *Entry) keepOutput(old *Entry) {
	for _, call := range e.Calls {
		for _, known := range old.Calls {
			if known.ID == call.ID {
				call.Output, call.Cut, call.end = known.Output, known.Cut, known.end
			}
		}
	}
}

func (s *Story) turn(t chat.Turn) {
	if t.State == chat.TurnRunning {
		s.Turn = &t
		for _, entry := range s.Entries {
			if t.Waits != nil && entry.Turn == t.ID && entry.Live {
				entry.Retry, entry.Writing = "waits for the model provider ("+t.Waits.Reason+"); it goes on by itself", ""
				entry.Changes++
			}
		}
		return
	}
	if s.Turn != nil && s.Turn.ID == t.ID {
		s.Turn = nil
	}
	if t.State == chat.TurnReleased { // it never began; its message comes again, as queued
		s.Entries = slices.DeleteFunc(s.Entries, func(e *Entry) bool { return e.Turn == t.ID })
		return
	}
	for _, entry := range s.Entries {
		if entry.Turn == t.ID && entry.Live {
			entry.Live, entry.Writing, entry.Doing, entry.Retry, entry.Unfinished = false, "", "", "", true
			entry.Changes++
		}
	}
	s.Entries = slices.DeleteFunc(s.Entries, func(e *Entry) bool { return e.Unfinished && e.empty() })
	s.close(t)
}

// rewind takes out the entries of messages that were taken out of the conversation.
func (s *Story) rewind(r chat.Rewound) {
	s.Entries = slices.DeleteFunc(s.Entries, func(e *Entry) bool { return e.ID >= r.From && e.ID <= r.Upto })
}

// close records how a turn ended, at its last entry.
func (s *Story) close(t chat.Turn) {
	s.Ends[t.ID] = &t
	for _, entry := range slices.Backward(s.Entries) {
		if entry.Turn == t.ID && entry.Kind != Person {
			entry.Ended = &t
			entry.Changes++
			return
		}
	}
}

func (e *Entry) empty() bool { return e.Content == "" && e.Reasoning == "" && len(e.Calls) == 0 }

func (s *Story) tool(t chat.ToolEvent) {
	entry := s.stepOrNew(t.Turn, t.Step)
	entry.Changes++
	for _, call := range entry.Calls {
		if call.ID == t.ID {
			call.ToolCall = t.ToolCall
			return
		}
	}
	entry.Calls = append(entry.Calls, &Call{ToolCall: t.ToolCall})
}

func (s *Story) retry(r chat.Retry) {
	entry := s.stepOrNew(r.Turn, r.Step)
	if entry.Live {
		entry.Retry, entry.Writing = r.Text, ""
		entry.Changes++
	}
}

// delta adds a piece of the answer. A larger attempt replaces the text; pieces of an older one are late and dropped.
func (s *Story) delta(d chat.Delta) {
	entry := s.stepOrNew(d.Turn, d.Step)
	if !entry.Live || d.Attempt < entry.Attempt {
		return
	}
	if d.Attempt > entry.Attempt {
		// A new attempt that no retry announced: the process that made the one before went away.
		entry.Restarted = entry.Restarted || entry.Attempt > 0 && entry.Retry == ""
		entry.Attempt, entry.Content, entry.Reasoning, entry.Gap = d.Attempt, "", "", false
	}
	entry.Retry, entry.Writing, entry.Doing = "", d.ToolName, d.Doing
	missing := entry.Gap
	entry.Content, missing = extend(entry.Content, d.Offset, d.Text, missing)
	entry.Reasoning, missing = extend(entry.Reasoning, d.ReasoningOffset, d.Reasoning, missing)
	entry.Gap = missing
	entry.Changes++
}

// extend puts a piece at its offset of a text. Pieces that came before are recognised; after a hole nothing is added,
// because the text would read as if it were whole.
func extend(text string, offset int, piece string, missing bool) (string, bool) {
	switch {
	case piece == "":
		return text, missing
	case offset > len(text):
		return text, true
	case offset < 0 || offset+len(piece) <= len(text):
		return text, missing
	default:
		return text + piece[len(text)-offset:], missing
	}
}

func (s *Story) output(o chat.Output) {
	for _, entry := range slices.Backward(s.Entries) {
		if entry.Turn != o.Turn {
			continue
		}
		for _, call := range entry.Calls {
			if call.ID == o.Call {
				call.print(o)
				entry.Changes++
				return
			}
		}
	}
}

// print adds output of a command and keeps its last part.
func (c *Call) print(o chat.Output) {
	if o.Offset > c.end { // pieces were missed
		c.Output, c.Cut, c.end = "", true, o.Offset
	}
	if o.Offset < 0 || o.Offset+int64(len(o.Text)) <= c.end {
		return
	}
	c.Output += o.Text[c.end-o.Offset:]
	c.end = o.Offset + int64(len(o.Text))
	if len(c.Output) > maxOutput {
		c.Cut = true
		c.Output = strings.ToValidUTF8(c.Output[len(c.Output)-maxOutput/2:], "")
	}
}

// Task takes over what is known of a background task. One that ended does not run again.
func (s *Story) Task(task chat.Task) {
	i := slices.IndexFunc(s.Tasks, func(known chat.Task) bool { return known.ID == task.ID })
	switch {
	case i < 0:
		s.Tasks = append(s.Tasks, task)
	case s.Tasks[i].State == chat.TaskRunning || task.State != chat.TaskRunning:
		s.Tasks[i] = task
	}
	slices.SortStableFunc(s.Tasks, func(a, b chat.Task) int { return b.StartedAt.Compare(a.StartedAt) })
}

// step returns the entry of a step of a turn, nil if there is none.
func (s *Story) step(turn chat.TurnID, step int) *Entry {
	for _, entry := range slices.Backward(s.Entries) {
		if entry.Turn == turn && entry.Kind == Assistant && entry.Step == step {
			return entry
		}
	}
	return nil
}

// stepOrNew returns the entry of a step, a live one if it has not been heard of yet.
func (s *Story) stepOrNew(turn chat.TurnID, step int) *Entry {
	if entry := s.step(turn, step); entry != nil {
		return entry
	}
	entry := &Entry{Kind: Assistant, Message: chat.Message{Turn: turn, Step: step}, Draft: Draft{Live: true}}
	s.Entries = append(s.Entries, entry)
	return entry
}
