package chat

import (
	"slices"
	"time"
)

// MaxSubagentTask bounds what a subagent can be asked at once, in bytes.
const MaxSubagentTask = 50_000

// TaskMark precedes a task in the conversation of the subagent that carries it out.
const TaskMark = "[task]\n"

// SubagentRef names a subagent, with the inputs of its workflow's name.
type SubagentRef struct {
	Session  SessionKey `json:"session"` // its own conversation
	Parent   SessionKey `json:"parent"`  // the conversation that delegates to it
	Role     string     `json:"role"`
	Instance string     `json:"instance,omitempty"` // empty: it answers once
	Call     CallID     `json:"call"`               // that first asked for it
}

// Once reports whether the subagent gives only one answer.
func (r SubagentRef) Once() bool { return r.Instance == "" }

// Name returns the subagent's name within its parent: explorer, or explorer:a.
func (r SubagentRef) Name() string {
	if r.Once() {
		return r.Role
	}
	return r.Role + ":" + r.Instance
}

// Profile is the role of a subagent as of its creation.
type Profile struct {
	Prompt      string   `json:"prompt,omitempty"`
	Tools       []string `json:"tools,omitempty"` // patterns; none: the tools of its parent
	Memory      bool     `json:"memory,omitempty"`
	SendMessage bool     `json:"send_message,omitempty"`
	SpawnAgent  bool     `json:"spawn_agent,omitempty"`
	// Within are the tools of the subagents above it, a list of patterns each: it has none that one of them lacks.
	Within [][]string `json:"within,omitempty"`
	// Conversations allows reading the user's other conversations, as long as the policy permits it.
	Conversations bool `json:"conversations,omitempty"`
	// Depth is the number of delegations down to the subagent. It is not stored with the role.
	Depth int `json:"-"`
}

// Under returns the profile limited to the permissions of the subagent that delegates.
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

// SubagentTask is a task for a subagent. If New is nil, for an existing one: the instance of the role.
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

// NewSubagent is the definition of a new subagent.
type NewSubagent struct {
	Profile Profile
	Model   string // id or another name; empty: not set
	Think   string
}

// Assignment names the subagent that carries out a task.
type Assignment struct {
	Subagent   SubagentRef
	Background bool
}

// SubagentState is the state of a subagent.
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

// Subagent is a subagent as the API shows it.
type Subagent struct {
	Session    SessionKey    `json:"session" doc:"Its conversation."`
	Parent     SessionKey    `json:"parent" doc:"The parent conversation: that of the user, or of another subagent."`
	Role       string        `json:"role"`
	Instance   string        `json:"instance,omitempty" doc:"Empty: it answers once."`
	Depth      int           `json:"depth" doc:"1 for those of the conversation itself."`
	State      SubagentState `json:"state" enum:"queued,running,idle,unloaded,done,stopped,failed,lost"`
	Background bool          `json:"background,omitempty" doc:"Its parent does not wait for the newest answer."`
	Task       string        `json:"task" doc:"The first words of the last request."`
	Turn       TurnID        `json:"turn_id,omitempty" doc:"Its running turn."`
	Tool       string        `json:"tool,omitempty" doc:"The tool call that runs now."`
	Waiting    bool          `json:"waiting,omitempty" doc:"One of its calls requires approval."`
	Model      string        `json:"model,omitempty"`
	Steps      int           `json:"steps" doc:"Model calls of the subagent."`
	Tokens     int64         `json:"tokens" doc:"Tokens that it has read and written, as its provider counted."`
	CreatedAt  time.Time     `json:"created_at"`
	EndedAt    *time.Time    `json:"ended_at,omitempty" doc:"When it answered last."`
}

// Name returns the subagent's name within its parent.
func (s Subagent) Name() string { return SubagentRef{Role: s.Role, Instance: s.Instance}.Name() }
