// Package story folds the feed of a session into what a user reads: the messages in order, the answer that is being
// written, the calls of tools with their output, and what waits. It is pure: it knows neither terminals nor HTTP.
package story

import (
	"slices"
	"time"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
)

// Story is one session as far as it is known. It has one owner; nothing in it is safe for concurrent use.
type Story struct {
	Session chat.Session
	Entries []*Entry
	Queued  []chat.Queued // accepted, not claimed by a turn yet
	Todos   []chat.Todo
	Tasks   []chat.Task                // in the background, newest first, without their output
	Turn    *chat.Turn                 // the running turn; nil when none runs
	Ends    map[chat.TurnID]*chat.Turn // the turns that ended while the feed was followed
	Seq     int64                      // of the newest durable event in here
	Earlier bool                       // there are older messages that were not loaded
}

// Kind is the kind of an entry.
type Kind int

// The kinds of entries.
const (
	Person    Kind = iota // what a user wrote
	Assistant             // one step of an answer, with the tool calls it asked for
	Notice                // the product speaks
)

// Entry is one thing to show: a message of the transcript, or what will become one, with what is known about it. Its calls are in Calls alone.
type Entry struct {
	Kind Kind
	chat.Message
	Calls   []*Call
	Ended   *chat.Turn // the turn whose last entry this is
	Outcome string     // of a message without a turn to answer it; the notice behind it has the reason
	Taken   bool       // the turn was at work already when it took the message in
	Draft

	// Changes counts the changes of this entry, so that what is drawn from it can be kept.
	Changes int
}

// Draft is how an answer comes about.
type Draft struct {
	Live       bool   // no durable message has come yet
	Gap        bool   // pieces are missing at the end of the text; the message will bring the whole
	Attempt    int    // of the model call that writes it
	Restarted  bool   // the step was started again after its process went away
	Retry      string // a model call failed: the sentence to show until the next one brings something
	Writing    string // name of the tool whose arguments the model is writing
	Doing      string // what runs before the model is called: chat.DoingCompress, or empty
	Unfinished bool   // the turn ended before this became a message
}

// Call is a tool call with what its command has printed so far.
type Call struct {
	chat.ToolCall
	Output string // the last part of what the command printed while it was watched
	Cut    bool   // something was printed before Output that is not shown
	end    int64  // bytes printed up to the end of Output
}

const maxOutput = 64 << 10 // bytes of live output that are kept; the result brings what the model reads

// New returns the story of a session from a part of its transcript.
func New(session chat.Session, transcript apiclient.Transcript) *Story {
	s := &Story{
		Session: session,
		Queued:  transcript.Queued,
		Todos:   transcript.Todos,
		Seq:     transcript.Seq,
		Earlier: transcript.HasMore,
		Ends:    map[chat.TurnID]*chat.Turn{},
	}
	s.Entries = entriesOf(transcript.Messages)
	s.greet(session)
	return s
}

// Apart returns the command that the entry at a place answers, if other entries are between the two; else nil. Commands run in parallel to turns and
// each other, so an answer may come late.
func (s *Story) Apart(at int) *Entry {
	answer := s.Entries[at]
	if answer.Kind != Notice || answer.Origin != chat.OriginCommand || answer.Inbox == 0 {
		return nil
	}
	for i, entry := range s.Entries[:at] {
		if entry.Kind == Person && entry.Inbox == answer.Inbox && i < at-1 {
			return entry
		}
	}
	return nil
}

// Greet takes over the server's state of the session when a connection is made.
func (s *Story) Greet(hello apiclient.Hello) {
	s.Session = hello.Session
	if hello.Seq <= s.Seq { // else the events that follow show which turn runs
		s.greet(hello.Session)
	}
}

func (s *Story) greet(session chat.Session) {
	switch {
	case session.Running == "":
		s.Turn = nil
	case s.Turn == nil || s.Turn.ID != session.Running:
		s.Turn = &chat.Turn{ID: session.Running, Session: session.Key, State: chat.TurnRunning, StartedAt: time.Now()}
	}
}

// Recall takes in what the server remembers of turns: how those ended whose entries are in here, and since when the
// running one runs.
func (s *Story) Recall(turns []chat.Turn) {
	for _, turn := range turns {
		switch {
		case turn.State != chat.TurnRunning:
			s.close(turn)
		case s.Turn != nil && s.Turn.ID == turn.ID:
			s.Turn = &turn
		}
	}
}

// Prepend puts older messages in front.
func (s *Story) Prepend(older apiclient.Transcript) {
	s.Entries = append(entriesOf(older.Messages), s.Entries...)
	s.Earlier = older.HasMore
}

// First returns the id of the oldest message in here, 0 when there is none.
func (s *Story) First() chat.MessageID {
	for _, entry := range s.Entries {
		if entry.ID > 0 {
			return entry.ID
		}
	}
	return 0
}

// Answer returns the final answer of a turn: the text of its last step. Empty when it has none.
func (s *Story) Answer(turn chat.TurnID) *Entry {
	for _, entry := range slices.Backward(s.Entries) {
		if entry.Turn == turn && entry.Kind == Assistant {
			return entry
		}
	}
	return nil
}

// Live returns the answer that is being written, nil when there is none.
func (s *Story) Live() *Entry {
	for _, entry := range slices.Backward(s.Entries) {
		if entry.Live {
			return entry
		}
	}
	return nil
}

// Running returns the calls that run now.
func (s *Story) Running() []*Call {
	var running []*Call
	for _, entry := range s.Entries {
		for _, call := range entry.Calls {
			if call.State == chat.CallRunning && s.Turn != nil && entry.Turn == s.Turn.ID {
				running = append(running, call)
			}
		}
	}
	return running
}

// Asking returns the oldest call of the running turn that waits for a user's permission, nil when none does.
func (s *Story) Asking() *Call {
	for _, entry := range s.Entries {
		for _, call := range entry.Calls {
			if s.Turn != nil && entry.Turn == s.Turn.ID && call.Asking() {
				return call
			}
		}
	}
	return nil
}

// Asking reports whether the call waits for a user's permission.
func (c *Call) Asking() bool {
	return c.State == chat.CallOpen && c.Approval != nil && c.Approval.State == chat.ApprovalOpen
}

// RunningTasks returns the background tasks that have not ended, the newest first.
func (s *Story) RunningTasks() []chat.Task {
	var running []chat.Task
	for _, task := range s.Tasks {
		if task.State == chat.TaskRunning {
			running = append(running, task)
		}
	}
	return running
}

func entriesOf(messages []chat.Message) []*Entry {
	entries := make([]*Entry, 0, len(messages))
	for _, message := range messages {
		entry := entryOf(message)
		entry.Taken = taken(entries, entry)
		entries = append(entries, entry)
	}
	return entries
}

// taken reports whether a message reached a turn that had done something already.
func taken(before []*Entry, e *Entry) bool {
	worked := func(other *Entry) bool { return other.Turn == e.Turn && other.Kind == Assistant }
	return e.Kind == Person && e.Origin == "" && e.Turn != "" && slices.ContainsFunc(before, worked)
}

func entryOf(m chat.Message) *Entry {
	e := &Entry{Message: m}
	e.ToolCalls = nil
	switch m.Role {
	case chat.RoleUser:
		e.Kind = Person
	case chat.RoleAssistant:
		e.Kind = Assistant
	default:
		e.Kind = Notice
	}
	for _, call := range m.ToolCalls {
		e.Calls = append(e.Calls, &Call{ToolCall: call})
	}
	return e
}
