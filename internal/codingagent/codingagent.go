// Package codingagent speaks the protocols of coding agents: programs such as codex or claude that think, run commands and
// change files by themselves, and are asked over their standard streams, one line a message.
//
// A Driver is a state machine without clock, randomness and I/O. Given the same Turn and the same lines of output it asks
// for the same writes, so a server that comes later reads the log of the process from its beginning and finds itself where
// the last one stopped; the runner writes each key once.
package codingagent

// Turn is what a coding agent is asked to do. It is kept as JSON, to which members are only added.
type Turn struct {
	Key         string    `json:"key"`                // names the turn; keys of writes and ids of requests are made of it
	Thread      string    `json:"thread,omitempty"`   // the agent's own conversation that goes on; empty starts one
	Text        string    `json:"text"`               // what the person said, prepared for the model
	Pictures    []Picture `json:"pictures,omitempty"` // that the person sent with it
	Dir         string    `json:"dir"`                // working folder, absolute, on the runner
	Model       string    `json:"model,omitempty"`    // empty leaves it to the agent
	Effort      string    `json:"effort,omitempty"`   // reasoning effort; empty leaves it to the agent
	Profile     string    `json:"profile,omitempty"`  // the agent's own profile or variant; empty leaves it to the agent
	Personality string    `json:"personality,omitempty"`
	Sandbox     Sandbox   `json:"sandbox,omitempty"`
	Approvals   Approvals `json:"approvals,omitempty"`
	AddDirs     []string  `json:"add_dirs,omitempty"` // more folders that the agent may write
	Confined    bool      `json:"confined,omitempty"` // its runner confines the process and its commands, which cannot build sandboxes of their own
}

// Sandbox says what the agent's own commands may reach.
type Sandbox string

// Sandboxes, from the narrowest.
const (
	ReadOnly       Sandbox = "read-only"
	WorkspaceWrite Sandbox = "workspace-write"
	FullAccess     Sandbox = "danger-full-access"
)

// Approvals says when the agent asks a person.
type Approvals string

// Approvals. Untrusted asks for more than on-request.
const (
	ApproveNever     Approvals = "never"
	ApproveOnRequest Approvals = "on-request"
	ApproveUntrusted Approvals = "untrusted"
)

// RunnerProgram stands first in the command line of an agent that is spoken to over a bridge of the runner: whichever file the
// runner's program is.
const RunnerProgram = "xbot-runner"

// Driver speaks the protocol of one process for one turn.
type Driver interface {
	// Command is the command line that is started, without a shell.
	Command() []string
	// Start is what is written first.
	Start() []Write
	// Line takes one line that the process wrote, without its end.
	Line(line []byte) Step
	// Steer puts what a person said into the running turn. False says that the agent cannot take it now: it waits for the next turn.
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

// Event is what an agent says of its turn. It is one of Thread, Taken, Text, Thought, Work, Request, Usage and End.
type Event interface{ event() }

// Thread names the agent's own conversation, by which a later turn goes on.
type Thread struct{ ID string }

// Taken says that the agent has the text of the turn and acts on it. What it was not seen to take it may be given again.
type Taken struct{}

// Text is a piece of what the agent says. Done closes a message; only the last message of a turn is its answer.
type Text struct {
	Message string // names the message within the turn
	Delta   string
	Whole   string // with Done: the whole message
	Done    bool
}

// Thought is a piece of what the agent thinks.
type Thought struct{ Delta string }

// Work is something that the agent did or does by itself.
type Work struct {
	ID     string
	Kind   WorkKind
	Title  string   // a command, a tool, a search; one line
	Files  []string // of a FileChange, at most 50
	Done   bool
	Failed bool
	Output string // its end, at most 4 kB
}

// WorkKind says what an agent does.
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
	Title  string // the command, or what is changed
	Dir    string
	Reason string
}

// Question is one question to the person.
type Question struct {
	ID      string
	Text    string
	Options []string
	Many    bool // several options may be chosen
	Free    bool // another text may be given
}

// Answer is what a person decided. One of its parts is set, by the Request.
type Answer struct {
	Approved bool
	Always   bool                // for the rest of the conversation
	Replies  map[string][]string // by id of the question
	Declined bool                // the person answers nothing
}

// Usage is what the turn cost, in tokens, in whole so far.
type Usage struct{ Input, CachedInput, Output int64 }

// End closes the turn.
type End struct {
	Outcome Outcome
	Reply   string // the last message of the agent
	Error   string // of Failed: what the agent says, one paragraph
	LogIn   bool   // of Failed: nobody is logged in
	Gone    bool   // of Failed: the agent does not have the thread that was to go on
}

// Outcome says how a turn ended.
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
