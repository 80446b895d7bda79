// Package codingagent implements the protocols of coding agents: programs such as codex or claude that think, run commands
// and change files themselves, and communicate over their standard streams, one line a message.
//
// A Driver is a state machine without clock, randomness and I/O. Given the same Turn and the same lines of output it asks
// for the same writes, so a later server reads the log of the process from its beginning and continues where the last one
// stopped; the runner writes each key once.
package codingagent

// Turn is the task of a coding agent. It is stored as JSON, to which members are only added.
type Turn struct {
	Key         string    `json:"key"`                // names the turn; keys of writes and ids of requests are made of it
	Thread      string    `json:"thread,omitempty"`   // the agent's own conversation to continue; empty starts one
	Text        string    `json:"text"`               // the user's message, prepared for the model
	Pictures    []Picture `json:"pictures,omitempty"` // the pictures of the message
	Dir         string    `json:"dir"`                // working folder, absolute, on the runner
	Model       string    `json:"model,omitempty"`    // empty leaves it to the agent
	Effort      string    `json:"effort,omitempty"`   // reasoning effort; empty leaves it to the agent
	Profile     string    `json:"profile,omitempty"`  // the agent's own profile or variant; empty leaves it to the agent
	Personality string    `json:"personality,omitempty"`
	Sandbox     Sandbox   `json:"sandbox,omitempty"`
	Approvals   Approvals `json:"approvals,omitempty"`
	AddDirs     []string  `json:"add_dirs,omitempty"` // more folders that the agent may write
	Confined    bool      `json:"confined,omitempty"` // its runner confines the process and its commands, which cannot build further sandboxes
}

// Sandbox is what the agent's own commands may reach.
type Sandbox string

// Sandboxes, from the narrowest.
const (
	ReadOnly       Sandbox = "read-only"
	WorkspaceWrite Sandbox = "workspace-write"
	FullAccess     Sandbox = "danger-full-access"
)

// Approvals is when the agent asks a user.
type Approvals string

// Approvals. Untrusted asks for more than on-request.
const (
	ApproveNever     Approvals = "never"
	ApproveOnRequest Approvals = "on-request"
	ApproveUntrusted Approvals = "untrusted"
)

// RunnerProgram comes first in the command line of an agent that is connected over a bridge of the runner. It represents the
// runner's program, in any file.
const RunnerProgram = "xbot-runner"

// Driver implements the protocol of one process for one turn.
type Driver interface {
	// Command returns the command line that is started, without a shell.
	Command() []string
	// Start returns the first writes.
	Start() []Write
	// Line takes one line that the process wrote, without its end.
	Line(line []byte) Step
	// Steer puts a message of a user into the running turn. False: the agent cannot take it now, and it waits for the next turn.
	Steer(key string, m Message) ([]Write, bool)
	// Interrupt asks the agent to end the turn.
	Interrupt(key string) []Write
	// Answer answers a Request that the agent made.
	Answer(request string, answer Answer) []Write
}

// Write is a line for the process. The same key is written once.
type Write struct {
	Key  string
	Line []byte // without its end
}

// Step is what follows from a line.
type Step struct {
	Writes []Write
	Events []Event
}

// Event is a report of an agent about its turn. It is one of Thread, Taken, Text, Thought, Work, Request, Usage and End.
type Event interface{ event() }

// Thread names the agent's own conversation, which a later turn continues.
type Thread struct{ ID string }

// Taken means that the agent has the text of the turn and acts on it. A text that was not taken may be given again.
type Taken struct{}

// Text is a piece of the agent's text. Done closes a message; only the last message of a turn is its answer.
type Text struct {
	Message string // names the message within the turn
	Delta   string
	Whole   string // with Done: the whole message
	Done    bool
}

// Thought is a piece of the agent's reasoning.
type Thought struct{ Delta string }

// Work is an action of the agent itself.
type Work struct {
	ID     string
	Kind   WorkKind
	Title  string   // a command, a tool, a search; one line
	Files  []string // of a FileChange, at most 50
	Done   bool
	Failed bool
	Output string // its end, at most 4 kB
}

// WorkKind is the kind of an action.
type WorkKind string

// Kinds of work.
const (
	CommandRun WorkKind = "command"
	FileChange WorkKind = "files"
	ToolCall   WorkKind = "tool"
	WebSearch  WorkKind = "search"
)

// Request is a decision or an answer that the agent waits for.
type Request struct {
	ID        string
	Approval  *Approval
	Questions []Question
}

// Approval asks whether something may be done.
type Approval struct {
	Kind   WorkKind
	Title  string // the command, or the subject of the change
	Dir    string
	Reason string
}

// Question is one question to the user.
type Question struct {
	ID      string
	Text    string
	Options []string
	Many    bool // several options may be chosen
	Free    bool // another text may be given
}

// Answer is a user's decision. One of its parts is set, by the Request.
type Answer struct {
	Approved bool
	Always   bool                // for the rest of the conversation
	Replies  map[string][]string // by id of the question
	Declined bool                // the user answers nothing
}

// Usage is the cost of the turn so far, in tokens.
type Usage struct{ Input, CachedInput, Output int64 }

// End closes the turn.
type End struct {
	Outcome Outcome
	Reply   string // the last message of the agent
	Error   string // of Failed: the agent's message, one paragraph
	LogIn   bool   // of Failed: the agent is not logged in
	Gone    bool   // of Failed: the agent does not have the thread to continue
}

// Outcome is how a turn ended.
type Outcome string

// Outcomes.
const (
	Completed   Outcome = "completed"
	Interrupted Outcome = "interrupted"
	Failed      Outcome = "failed"
)

func (Thread) event()  {}
func (Taken) event()   {}
func (Text) event()    {}
func (Thought) event() {}
func (Work) event()    {}
func (Request) event() {}
func (Usage) event()   {}
func (End) event()     {}
