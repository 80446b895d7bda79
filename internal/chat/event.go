package chat

import (
	"encoding/json"
	"time"
)

// EventKind says what an event of a session's feed carries.
type EventKind string

// Durable kinds are rows with a sequence: a client that reconnects with its last sequence gets all it missed.
// Live kinds are not stored, carry no sequence, and are superseded by the durable event that follows them.
const (
	EventQueued  EventKind = "queued"  // durable: Queued, a message was accepted and waits for its turn
	EventDropped EventKind = "dropped" // durable: Dropped, an accepted message ended without a turn
	EventMessage EventKind = "message" // durable: Message
	EventTurn    EventKind = "turn"    // durable: Turn, sent when it starts, when it ends, when it begins and ceases to wait for its provider, and at each attempt meanwhile
	EventTool    EventKind = "tool"    // durable: ToolCall with turn and step, sent when it starts and when it is done
	EventRetry   EventKind = "retry"   // durable: Retry
	EventTodos   EventKind = "todos"   // durable: []Todo, the whole list after a change
	EventTask    EventKind = "task"    // durable: Task without its output, when it starts and when it ends
	EventSession EventKind = "session" // durable: Session, after a rename or another change of its own data
	EventRewind  EventKind = "rewind"  // durable: Rewound, messages were taken out of the conversation, or others brought back
	EventHand    EventKind = "hand"    // durable: Hand, a person has taken a consumer's conversation from the agent, or gave it back

	EventDelta  EventKind = "delta"  // live: Delta
	EventOutput EventKind = "output" // live: Output
	EventBelow  EventKind = "below"  // live, an empty object: a subagent of the conversation's tree, a chat of them, or a job of the conversation went on
	EventAction EventKind = "action" // live: ClientAction, sent to the client alone that it is for, which answers it
)

// Event is one entry of a session's feed. Seq is 0 for live kinds.
type Event struct {
	Seq  int64           `json:"seq,omitempty"`
	Kind EventKind       `json:"kind"`
	Data json.RawMessage `json:"data"`
}

// Rewound names the messages that were taken out of the conversation: those from From to Upto.
type Rewound struct {
	From MessageID `json:"from"`
	Upto MessageID `json:"upto"`
	// Again says that older messages were brought back in their place, from From on at the earliest: the conversation is to be read anew.
	Again bool `json:"again,omitempty"`
}

// Handover says who answers in a conversation of a consumer from now on.
type Handover struct {
	Person bool `json:"person" doc:"A person of the house answers, and not the agent."`
}

// Queued is an accepted message that no turn has claimed yet.
type Queued struct {
	Inbox           InboxID `json:"inbox_id"`
	ClientMessageID string  `json:"client_message_id,omitempty"`
	Text            string  `json:"text"`
	// Mode and Sender say how it waits and who wrote it.
	Mode   QueueMode `json:"mode,omitempty" enum:"steer,followup,collect,interrupt,supersede"`
	Sender string    `json:"sender,omitempty"`
	// Throttled: as many turns run as may, so that it waits for a free one.
	Throttled bool `json:"throttled,omitempty" doc:"No slot is free: it waits for another turn to end."`
}

// Dropped says why an accepted message will not be answered by a turn of its own.
type Dropped struct {
	Inbox   InboxID `json:"inbox_id"`
	Outcome string  `json:"outcome" enum:"stopped,rejected,superseded,recalled,dropped,summarized"`
	Text    string  `json:"text" doc:"One sentence for the person."`
}

// ToolEvent is a tool call in the feed.
type ToolEvent struct {
	Turn TurnID `json:"turn_id"`
	Step int    `json:"step"`
	ToolCall
}

// Retry tells the person that a model call failed and is tried again (spec/001 §7.1).
type Retry struct {
	Turn    TurnID `json:"turn_id"`
	Step    int    `json:"step"`
	Attempt int    `json:"attempt" doc:"The attempt that comes next, from 2."`
	Failed  int    `json:"failed,omitempty" doc:"The attempt of the deltas that failed: theirs that come next are larger."`
	Max     int    `json:"max"`
	DelayMS int64  `json:"delay_ms" doc:"Milliseconds until it starts."`
	Reason  string `json:"reason" doc:"rate limit, timeout, server error, network, truncated stream, empty answer; of a server error also its HTTP status"`
	Text    string `json:"text" doc:"The sentence to show."`
}

// ProviderFailure is a failed attempt to ask a provider that a turn waits for.
type ProviderFailure struct {
	Reason  string
	Attempt int // which of the step it was, from 1
	// Pause is how long the provider is left alone, LeastPause how long it is also where a person writes.
	Pause, LeastPause time.Duration
}

// Delta is what the model is writing now. A larger attempt of the same step replaces all of a smaller one.
// Offset, ReasoningOffset and ArgumentsOffset are the lengths, in bytes, of what was written before this piece; a gap means pieces were
// missed and the message event will bring the whole.
type Delta struct {
	Turn            TurnID `json:"turn_id"`
	Step            int    `json:"step"`
	Attempt         int    `json:"attempt"`
	Offset          int    `json:"offset"`
	Text            string `json:"text,omitempty"`
	ReasoningOffset int    `json:"reasoning_offset"`
	Reasoning       string `json:"reasoning,omitempty"`
	ToolName        string `json:"tool_name,omitempty" doc:"Set while the model writes the arguments of a tool call."`
	Call            CallID `json:"call_id,omitempty" doc:"Which call tool_name and arguments are of. The tool event of that call takes the place of its pieces."`
	ArgumentsOffset int    `json:"arguments_offset,omitempty" doc:"Bytes of the arguments of the call before this piece."`
	Arguments       string `json:"arguments,omitempty" doc:"A piece of the arguments as the model writes them: of at most the first 8 KiB, and none of a tool whose arguments a hook may change."`
	Doing           string `json:"doing,omitempty" enum:"compress" doc:"Set while something goes on before the model is asked: compress, the context is compressed."`
}

// DoingCompress says that the context is being compressed before the step goes on.
const DoingCompress = "compress"

// Output is what a running command printed. Offset is in bytes from its start.
type Output struct {
	Turn   TurnID `json:"turn_id"`
	Call   CallID `json:"call_id"`
	Task   string `json:"task,omitempty" doc:"Id of the background task that the call's command has become."`
	Offset int64  `json:"offset"`
	Text   string `json:"text"`
}

// Todo is one entry of a session's to-do list.
type Todo struct {
	ID   string `json:"id"`
	Text string `json:"text"`
	Done bool   `json:"done"`
}

// TodoList is the to-do list of a conversation.
type TodoList struct {
	Session   SessionKey `json:"session"`
	Title     string     `json:"title"`
	Todos     []Todo     `json:"todos"`
	UpdatedAt time.Time  `json:"updated_at"`
}

// ClientAction is something that a model wants the client to show that a message came from: the page or the terminal. It changes nothing on the
// server, and its person can do and undo it with a key or a click.
type ClientAction struct {
	Call   CallID `json:"call_id" doc:"Which call it is: done once, and answered under this id."`
	Action string `json:"action" enum:"open,theme,layout"`
	What   string `json:"what,omitempty" doc:"open: conversation, settings, files or todos. layout: details, context, sidebar or input."`
	Value  string `json:"value,omitempty" doc:"open: key of the conversation, section of the settings, or path. theme: light, dark or system. layout: show or hide."`
}

// ClientActionState says what became of a ClientAction.
type ClientActionState string

// The states. Nobody has taken an open one yet; a client carries a taken one out, or has died over it; an expired one was not answered in time.
const (
	ActionOpen    ClientActionState = "open"
	ActionTaken   ClientActionState = "taken"
	ActionDone    ClientActionState = "done"
	ActionRefused ClientActionState = "refused"
	ActionExpired ClientActionState = "expired"
)

// ClientActionStanding is how a ClientAction stands.
type ClientActionStanding struct {
	State  ClientActionState
	Reason string        // with ActionRefused
	Sent   bool          // the client was listening
	Age    time.Duration // since the call asked for it
}
