package answer

import "xbot/internal/chat"

// Event is one thing that a reader of an answer is told.
type Event struct {
	// Seq is the cursor after a durable event: who goes on after it is told neither that event nor one before it again. 0: the event is
	// live, and is told again, or superseded, to whoever comes anew.
	Seq  int64
	What What
}

// What an event says: one of the types of this file.
type What interface{ what() }

// Accepted is the first event of a reader that has no cursor, and live. Who watches a conversation is told so of each message that comes to
// stand in it, whoever sent it; that one is durable.
type Accepted struct{ Message chat.InboxID }

// Begun says which turn has taken the message. One that ran when the message came may have it, too. A turn that vanished before its first
// step gives the message back; another Begun follows.
type Begun struct {
	Turn chat.TurnID
	Task bool // a scheduled task or job has begun it, and nobody asked
}

// Text is a piece of what the model writes in a step. It is live.
type Text struct {
	Step  int
	Piece string
}

// Reasoning is a piece of what the model thinks in a step. It is live.
type Reasoning struct {
	Step  int
	Piece string
}

// Writing says that the model writes a call of a tool, whose arguments come with Call. It is live.
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
	Offset int // bytes that were told before it
	Piece  string
}

// Restart says that all pieces of the step are void: the model is asked again, or the reader came again in the middle of the step. It is live.
type Restart struct{ Step int }

// Message is all that the model said in a step. It takes the place of the pieces of that step.
type Message struct {
	Step      int
	Text      string // may be empty where the model called tools or chose not to answer
	Reasoning string
	Calls     int    // of tools: if there are any, another step follows
	Client    []Call // those of tools of the program that asked, in their order; the turn ends with them
	Finish    string
	Usage     chat.Usage // of the step
}

// Call says that a call of a tool has begun.
type Call struct {
	ID        chat.CallID
	Tool      string
	Arguments string // JSON as the model wrote it; may be malformed
}

// Result is what a call of a tool came to. A call that never began has one, too.
type Result struct {
	ID   chat.CallID
	Tool string
	Text string
	OK   bool
}

// Reason is why an answer does not go on for now.
type Reason string

// The reasons.
const (
	WaitsForSlot     Reason = "slot"     // as many turns run as may
	WaitsForRetry    Reason = "retry"    // the model failed, and is asked again
	WaitsForProvider Reason = "provider" // the model cannot be reached
	WaitsForPerson   Reason = "person"   // a person is asked before the work goes on
)

// Waiting says why nothing comes for now.
type Waiting struct {
	Reason Reason
	Text   string // a sentence for people
}

// Done is the last event of an answer that came to its end.
type Done struct {
	// Finish is what the model said last: stop, length, content_filter; or chat.FinishStopped, if a person stopped it: what was said so
	// far is all.
	Finish string
	Usage  chat.Usage // of all steps of the turn
	Turn   chat.TurnID
}

// Kind is how an answer failed.
type Kind string

// The kinds.
const (
	Failed  Kind = "failed"  // the turn ended with a sentence instead of an answer
	Lost    Kind = "lost"    // the run of the turn was closed from outside
	Dropped Kind = "dropped" // the message gets no turn of its own
)

// OutcomeTaken is the outcome of a dropped message that a person of the house answers, who has taken the conversation from the agent.
const OutcomeTaken = "taken"

// Failure is the last event of an answer that failed.
type Failure struct {
	Kind    Kind
	Outcome string // of a dropped message: stopped, superseded, recalled …
	Text    string // a sentence for people; may be empty
	Usage   chat.Usage
	Turn    chat.TurnID
}

// Said is what was said beside the answers: by a person of the house in place of the agent, or by the agent without a turn.
type Said struct {
	Message chat.MessageID
	Text    string
	Person  bool
}

// Hand says who answers in a conversation of a consumer from now on.
type Hand struct{ Person bool }

// Changed says that the conversation has to be read anew: events are not kept any more that its reader did not get, or messages were taken out.
type Changed struct{}

// Ping comes now and then where there is nothing to tell, so that writers find out that their reader is gone. It is live.
type Ping struct{}

func (Accepted) what()  {}
func (Begun) what()     {}
func (Text) what()      {}
func (Reasoning) what() {}
func (Writing) what()   {}
func (Arguments) what() {}
func (Restart) what()   {}
func (Message) what()   {}
func (Call) what()      {}
func (Result) what()    {}
func (Waiting) what()   {}
func (Done) what()      {}
func (Failure) what()   {}
func (Said) what()      {}
func (Hand) what()      {}
func (Changed) what()   {}
func (Ping) what()      {}
