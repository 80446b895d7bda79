// Package spans builds the OpenTelemetry spans of a turn from its rows, by the semantic conventions for generative AI. It reads no clock and
// no database: the same rows always give the same spans, with the same ids.
package spans

import (
	"time"

	"xbot/internal/chat"
)

// Turn is a turn that has ended, with its rows.
type Turn struct {
	ID       chat.TurnID
	Session  chat.SessionKey
	State    chat.TurnState
	Model    string // provider/model that answered last; empty: none did
	Started  time.Time
	Ended    time.Time
	Channel  string
	ChatType chat.ChatType
	Agent    string
	Service  string // id of the service; empty: the conversation is of no service
	User     User
	Command  bool   // a command that the turn executed
	Role     string // of a subagent; empty: the turn is of no subagent
	// Tree is the turn of a person that the turn of a subagent follows from, and AskedBy the call that asked for it. Empty: the turn follows
	// from no other.
	Tree    chat.TurnID
	AskedBy chat.CallID

	Steps       []Step
	Calls       []Call
	Compactions []Compaction
	Retries     []Retry
	Input       []Text // only with content
}

// User is the user whose message a turn answers.
type User struct {
	ID   chat.UserID
	Name string
	Kind string // person, group, service or consumer
}

// Text is a message to a turn.
type Text struct {
	At      time.Time
	Content string
}

// Step is a call of a model.
type Step struct {
	N             int
	Model         string // provider/model; empty: none was called
	ResponseModel string // as the provider reported it
	Finish        string
	Fault         string // fault kind; empty: it did not fail
	Failures      int    // of the provider
	Attempts      int    // with retries and resumptions after a kill; 0: not recorded
	Started       time.Time
	Finished      time.Time
	Asked         time.Time     // when the last attempt sent its request; zero: not recorded
	FirstToken    time.Duration // from Asked to the first piece of the answer; 0: not recorded
	Usage         chat.Usage
	Compacted     bool   // the request began with a summary
	Answer        string // only with content
}

// Call is a call of a tool.
type Call struct {
	ID       chat.CallID
	Step     int
	Name     string
	Class    chat.ToolClass
	Attempts int       // how often it began, with resumptions after a kill
	Started  time.Time // zero: it never began
	Finished time.Time
	IsError  bool
	Rule     chat.Rule
	Runner   string
	Task     string // background task that it became

	Approval chat.ApprovalState // empty: no user was asked
	Inquires bool               // it asked a question of its own, or proposed a plan
	Asked    time.Time
	Answered time.Time

	Arguments, Result string // only with content
}

// Compaction is a compression of the context.
type Compaction struct {
	ID       chat.ControlID
	Model    string
	Trigger  string
	Method   string
	Started  time.Time // zero: not recorded
	Finished time.Time
	Usage    chat.Usage
	Before   int // tokens of the request, estimated
	After    int
	Summary  string // only with content
}

// Retry is a failure of a provider after which the call was repeated.
type Retry struct {
	Step    int
	Attempt int // the one that came next
	At      time.Time
	Delay   time.Duration
	Reason  string
}

// Cost is the cost of a call of a model, in USD.
type Cost struct{ Input, Cached, Output float64 }

// Total returns the sum.
func (c Cost) Total() float64 { return c.Input + c.Cached + c.Output }

// Options choose what spans contain.
type Options struct {
	// Content adds prompts, replies, arguments and results. Mask replaces secrets in them; nil: nothing is replaced.
	Content bool
	Mask    func(text string) string
	// Langfuse adds the attributes of Langfuse's data model.
	Langfuse bool
	// Cost returns the cost of a call of a model; nil, or ok false: it is not known.
	Cost func(model string, u chat.Usage) (cost Cost, ok bool)
}
