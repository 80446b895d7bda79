package chat

import (
	"slices"
	"time"
)

// MaxSubagentTask bounds what a subagent can be asked at once, in bytes.
const MaxSubagentTask = 50_000

// TaskMark precedes a task in the conversation of the subagent that carries it out.
const TaskMark = "[task]\n"

// SubagentRef names a subagent, with what its workflow is called after.
type SubagentRef struct {
	Session  SessionKey `json:"session"` // its own conversation
	Parent   SessionKey `json:"parent"`  // the conversation that hands it work
	Role     string     `json:"role"`
	Instance string     `json:"instance,omitempty"` // empty: it answers once
	Call     CallID     `json:"call"`               // that asked for it first
}

// Once reports whether the subagent is there for one answer.
func (r SubagentRef) Once() bool { return r.Instance == "" }

// Name is what the subagent is called within its parent: explorer, or explorer:a.
func (r SubagentRef) Name() string {
	if r.Once() {
		return r.Role
	}
	return r.Role + ":" + r.Instance
}

// Profile is what the role of a subagent was when it was made.
type Profile struct {
	Prompt      string   `json:"prompt,omitempty"`
	Tools       []string `json:"tools,omitempty"` // patterns; none: the tools of its parent
	Memory      bool     `json:"memory,omitempty"`
	SendMessage bool     `json:"send_message,omitempty"`
	SpawnAgent  bool     `json:"spawn_agent,omitempty"`
	// Within are the tools of the subagents above it, a list of patterns each: it has none that one of them lacks.
	Within [][]string `json:"within,omitempty"`
	// Conversations is that it reads the person's other conversations, as long as the policy says so.
	Conversations bool `json:"conversations,omitempty"`
	// Depth is how often the work was handed on until it came to the subagent. It is no part of what is stored of the role.
	Depth int `json:"-"`
}

// Under returns the profile as it is where a subagent hands the work on, which can give no more than it has itself.
func (p Profile) Under(parent Profile) Profile {
	p.Memory = p.Memory && parent.Memory
	p.SendMessage = p.SendMessage && parent.SendMessage
	p.Conversations = p.Conversations && parent.Conversations
	p.Within = slices.Clone(parent.Within)
	if len(parent.Tools) > 0 {
		p.Within = append(p.Within, parent.Tools)
	}
	return p
}

// SubagentTask is what a call asks of a subagent. Where New is nil, of one that is there: the instance of the role.
type SubagentTask struct {
	Call       CallID
	Session    SessionKey // of the call
	Turn       TurnID     // of the call
	Role       string
	Instance   string
	Text       string
	Background bool // the call does not wait for the answer
	New        *NewSubagent
}

// NewSubagent is what a subagent is made of.
type NewSubagent struct {
	Profile Profile
	Model   string // id or another name; empty: nobody said
	Think   string
}

// Assignment names the subagent that carries out a task.
type Assignment struct {
	Subagent   SubagentRef
	Background bool
}

// SubagentState is what a subagent does.
type SubagentState string

// The states. The last four are those of a subagent that has answered once.
const (
	SubagentQueued   SubagentState = "queued"   // its task is about to begin
	SubagentRunning  SubagentState = "running"  // it works
	SubagentIdle     SubagentState = "idle"     // it waits for more
	SubagentUnloaded SubagentState = "unloaded" // it has no workflow; the next task loads it again
	SubagentDone     SubagentState = "done"
	SubagentStopped  SubagentState = "stopped"
	SubagentFailed   SubagentState = "failed"
	SubagentLost     SubagentState = "lost"
)

// Subagent is one as the API shows it.
type Subagent struct {
	Session    SessionKey    `json:"session" doc:"Its conversation."`
	Parent     SessionKey    `json:"parent" doc:"The conversation that hands it work: the one that was asked for, or that of another subagent."`
	Role       string        `json:"role"`
	Instance   string        `json:"instance,omitempty" doc:"Empty: it answers once."`
	Depth      int           `json:"depth" doc:"1 for those of the conversation itself."`
	State      SubagentState `json:"state" enum:"queued,running,idle,unloaded,done,stopped,failed,lost"`
	Background bool          `json:"background,omitempty" doc:"Its parent does not wait for the newest answer."`
	Task       string        `json:"task" doc:"The first words of what it was asked last."`
	Turn       TurnID        `json:"turn_id,omitempty" doc:"Its running turn."`
	Tool       string        `json:"tool,omitempty" doc:"The tool call that runs now."`
	Waiting    bool          `json:"waiting,omitempty" doc:"A call of it waits for a person's permission."`
	Model      string        `json:"model,omitempty"`
	Steps      int           `json:"steps" doc:"Model calls of the subagent."`
	Tokens     int64         `json:"tokens" doc:"Tokens that it has read and written, as its provider counted."`
	CreatedAt  time.Time     `json:"created_at"`
	EndedAt    *time.Time    `json:"ended_at,omitempty" doc:"When it answered last."`
}

// Name is what the subagent is called within its parent.
func (s Subagent) Name() string { return SubagentRef{Role: s.Role, Instance: s.Instance}.Name() }
