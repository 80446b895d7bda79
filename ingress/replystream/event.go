package replystream

import "xbot/internal/chat"

// Event is one event of an answer.
type Event struct {
	// Seq is the cursor after a durable event: a reader that resumes after it gets neither it nor an earlier event. 0: the event is
	// live; a new reader gets it again or gets what superseded it.
	Seq     int64
	Content Content
}

// Content is the content of an event: one of the types of this file.
type Content interface{ what() }

// Accepted is the first event of a reader without a cursor, and live. A reader that watches a conversation gets a durable one for each
// message added to it, from any sender.
type Accepted struct{ Message chat.InboxID }

// TurnStarted names the turn that has taken the message. It may be one that ran when the message came. A turn that vanished before its first
// step gives the message back; another TurnStarted follows.
type TurnStarted struct {
	Turn chat.TurnID
	Task bool // a scheduled task or job has begun it, without a message of a user
}

// Text is a piece of the model's text in a step. It is live.
type Text struct {
	Step  int
	Piece string
}

// Reasoning is a piece of the model's reasoning in a step. It is live.
type Reasoning struct {
	Step  int
	Piece string
}

// Writing reports that the model is writing a tool call, whose arguments come with Call. It is live.
type Writing struct {
	Step int
	Tool string
}

// Arguments is a piece of the arguments of a call that the model writes in a step. It is live. Call has all of them, and takes the place of
// the pieces; there may be fewer of them, or none.
type Arguments struct {
	Step   int
	ID     chat.CallID
	Tool   string
	Offset int // bytes sent before it
	Piece  string
}

// Restart voids all pieces of the step: the model is asked again, or the reader reconnected in the middle of the step. It is live.
type Restart struct{ Step int }

// Message is the whole output of the model in a step. It replaces the pieces of that step.
type Message struct {
	Step      int
	Text      string // may be empty where the model called tools or chose not to answer
	Reasoning string
	Calls     int    // of tools: if there are any, another step follows
	Client    []Call // calls of tools of the client program, in their order; the turn ends with them
	Finish    string
	Usage     chat.Usage // of the step
}

// Call reports that a tool call has begun.
type Call struct {
	ID        chat.CallID
	Tool      string
	Arguments string // JSON as the model wrote it; may be malformed
}

// Result is the result of a tool call. A call that never began has one, too.
type Result struct {
	ID   chat.CallID
	Tool string
	Text string
	OK   bool
}

// Reason is why an answer pauses.
type Reason string

// The reasons.
const (
	WaitsForSlot     Reason = "slot"     // the limit of running turns is reached
	WaitsForRetry    Reason = "retry"    // the model failed, and is called again
	WaitsForProvider Reason = "provider" // the model cannot be reached
	WaitsForPerson   Reason = "person"   // a user has to answer a question first
)

// Waiting is the reason why no output comes for now.
type Waiting struct {
	Reason Reason
	Text   string // a sentence for users
}

// Done is the last event of an answer that came to its end.
type Done struct {
	// Finish is the model's last finish reason: stop, length, content_filter; or chat.FinishStopped if a user stopped it: the output so
	// far is all.
	Finish string
	Usage  chat.Usage // of all steps of the turn
	Turn   chat.TurnID
}

// Kind is the way in which an answer failed.
type Kind string

// The kinds.
const (
	Failed  Kind = "failed"  // the turn ended with a sentence instead of an answer
	Lost    Kind = "lost"    // the run of the turn was closed from outside
	Dropped Kind = "dropped" // the message gets no separate turn
)

// OutcomeTaken is the outcome of a dropped message that an administrator answers, who has taken over the conversation from the agent.
const OutcomeTaken = "taken"

// Failure is the last event of an answer that failed.
type Failure struct {
	Kind    Kind
	Outcome string // of a dropped message: stopped, superseded, recalled …
	Text    string // a sentence for users; may be empty
	Usage   chat.Usage
	Turn    chat.TurnID
}

// OutsideMessage is a message outside the answers: by an administrator in place of the agent, or by the agent without a turn.
type OutsideMessage struct {
	Message chat.MessageID
	Text    string
	Person  bool
}

// Handover reports who answers in a conversation of a consumer from now on.
type Handover struct{ Person bool }

// Changed requires readers to load the conversation again: events that they did not get are no longer kept, or messages were taken out.
type Changed struct{}

// Ping is sent now and then on a silent stream, so that writers notice that their reader is gone. It is live.
type Ping struct{}

func (Accepted) what()       {}
func (TurnStarted) what()    {}
func (Text) what()           {}
func (Reasoning) what()      {}
func (Writing) what()        {}
func (Arguments) what()      {}
func (Restart) what()        {}
func (Message) what()        {}
func (Call) what()           {}
func (Result) what()         {}
func (Waiting) what()        {}
func (Done) what()           {}
func (Failure) what()        {}
func (OutsideMessage) what() {}
func (Handover) what()       {}
func (Changed) what()        {}
func (Ping) what()           {}
