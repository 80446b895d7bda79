package chat

import (
	"encoding/json"
	"time"
)

// EventKind is the kind of an event in a session's feed.
type EventKind string

// Durable kinds are rows with a sequence: a client that reconnects with its last sequence gets all it missed.
// Live kinds are not stored, carry no sequence, and are superseded by the durable event that follows them.
const (
	EventQueued   EventKind = "queued"  // durable: Queued, a message was accepted and waits for its turn
	EventDropped  EventKind = "dropped" // durable: Dropped, an accepted message ended without a turn
	EventMessage  EventKind = "message" // durable: Message
	EventTurn     EventKind = "turn"    // durable: Turn, sent when it starts, ends, begins or stops waiting for its provider, and at each attempt
	EventTool     EventKind = "tool"    // durable: ToolCall with turn and step, sent when it starts and when it is done
	EventRetry    EventKind = "retry"   // durable: Retry
	EventTodos    EventKind = "todos"   // durable: []Todo, the whole list after a change
	EventTask     EventKind = "task"    // durable: Task without its output, when it starts and when it ends
	EventSession  EventKind = "session" // durable: Session, after a rename or another change of the session
	EventRewind   EventKind = "rewind"  // durable: Rewound, messages were removed from the conversation, or others restored
	EventHandover EventKind = "hand"    // durable: Handover, a user took over a consumer's conversation from the agent, or returned it

	EventDelta  EventKind = "delta"  // live: Delta
	EventOutput EventKind = "output" // live: Output
	EventBelow  EventKind = "below"  // live, an empty object: a change in a subagent of the conversation's tree, in a chat of them, or in a job
	EventAction EventKind = "action" // live: ClientAction, sent only to its client, which answers it
)

// Event is one entry of a session's feed. Seq is 0 for live kinds.
type Event struct {
	Seq  int64           `json:"seq,omitempty"`
	Kind EventKind       `json:"kind"`
	Data json.RawMessage `json:"data"`
}

// Rewound names the messages that were removed from the conversation: those from From to Upto.
type Rewound struct {
	From MessageID `json:"from"`
	Upto MessageID `json:"upto"`
	// Again reports that older messages were restored in their place, from From on at the earliest: reload the conversation.
	Again bool `json:"again,omitempty"`
}

// Handover is who answers in a conversation of a consumer from now on.
type Handover struct {
	Person bool `json:"person" doc:"An administrator answers instead of the agent."`
}

// Queued is an accepted message that no turn has claimed yet.
type Queued struct {
	Inbox           InboxID `json:"inbox_id"`
	ClientMessageID string  `json:"client_message_id,omitempty"`
	Text            string  `json:"text"`
	// Mode is how it waits, Sender who wrote it.
	Mode   QueueMode `json:"mode,omitempty" enum:"steer,followup,collect,interrupt,supersede"`
	Sender string    `json:"sender,omitempty"`
	// Throttled: the maximum of turns runs, so that it waits for a free slot.
	Throttled bool `json:"throttled,omitempty" doc:"No slot is free: it waits for another turn to end."`
}

// Dropped is the reason why no separate turn will answer an accepted message.
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

// Retry is the notice that a model call failed and is retried.
type Retry struct {
	Turn    TurnID `json:"turn_id"`
	Step    int    `json:"step"`
	Attempt int    `json:"attempt" doc:"Number of the next attempt, from 2."`
	Failed  int    `json:"failed,omitempty" doc:"The failed attempt; deltas with a higher attempt follow."`
	Max     int    `json:"max"`
	DelayMS int64  `json:"delay_ms" doc:"Milliseconds until it starts."`
	Reason  string `json:"reason" doc:"rate limit, timeout, server error, network, truncated stream, empty answer; of a server error also its HTTP status"`
	Text    string `json:"text" doc:"The sentence to show."`
}

// ProviderFailure is a failed request to a provider that a turn waits for.
type ProviderFailure struct {
	Reason  string
	Attempt int // which of the step it was, from 1
	// Pause is how long the provider is not asked, LeastPause the minimum that also holds when a user writes.
	Pause, LeastPause time.Duration
}

// Delta is a piece of the model's current output. A larger attempt of the same step replaces all of a smaller one. Offset, ReasoningOffset
// and ArgumentsOffset are the lengths, in bytes, of the output before this piece; a gap means pieces were missed and the message event will
// bring the whole.
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
	Arguments       string `json:"arguments,omitempty" doc:"A piece of the arguments as the model writes them: of the first 8 KiB at most, and none for a tool whose arguments a hook may change."`
	Doing           string `json:"doing,omitempty" enum:"compress" doc:"Set while a step precedes the model call: compress, the context is being compressed."`
}

// DoingCompress is the activity of compressing the context before the step continues.
const DoingCompress = "compress"

// Output is output of a running command. Offset is in bytes from its start.
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

// ClientAction is an action of a model in the client (page or terminal) that sent the message. It changes nothing on the server, and its user
// can do and undo it with a key or a click.
type ClientAction struct {
	Call   CallID `json:"call_id" doc:"Which call it is: done once, and answered under this id."`
	Action string `json:"action" enum:"open,theme,layout"`
	What   string `json:"what,omitempty" doc:"open: conversation, settings, files or todos. layout: details, context, sidebar or input."`
	Value  string `json:"value,omitempty" doc:"open: key of the conversation, section of the settings, or path. theme: light, dark or system. layout: show or hide."`
}

// ClientActionState is the state of a ClientAction.
type ClientActionState string

// The states. An open one is not taken yet; a client executes a taken one, or crashed doing so; an expired one was not answered in time.
const (
	ActionOpen    ClientActionState = "open"
	ActionTaken   ClientActionState = "taken"
	ActionDone    ClientActionState = "done"
	ActionRefused ClientActionState = "refused"
	ActionExpired ClientActionState = "expired"
)

// ClientActionStanding is the current state of a ClientAction.
type ClientActionStanding struct {
	State  ClientActionState
	Reason string        // with ActionRefused
	Sent   bool          // the client was listening
	Age    time.Duration // since the call asked for it
}
