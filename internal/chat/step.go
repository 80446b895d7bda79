package chat

import (
	"encoding/json"
	"strings"
)

// Step names one LLM call of a turn.
type Step struct {
	Session SessionKey
	Turn    TurnID
	N       int // from 0
}

// Decision is what a step decided: calls to make, or none and the reason it finished.
type Decision struct {
	Finish string // what the model said, or one of the Finish constants
	Fault  string // a fault kind, set when Finish is FinishError
	// Compress is the trigger of a compression that has to come before this step; the step is open still.
	Compress string
	// Wait says why the provider is waited for, and Steer that messages wait that the step has to see; the step is open still.
	Wait  string
	Steer bool
	Calls []ToolCall
	Usage Usage
}

// Finish reasons beside the model's own.
const (
	FinishStopped = "stopped" // a person stopped it; what was written so far is kept
	FinishError   = "error"   // the model could not answer; the person was told
	FinishClosed  = "closed"  // the turn was closed before; nothing was written
	FinishLoop    = "loop"    // the model made the same call over and over; the person was told
)

// Answer is what a model said, ready to be committed.
type Answer struct {
	Text, Reasoning string
	Opaque          []byte     // what the provider wants back
	Calls           []ToolCall // with ids minted by us
	Shown           *string    // what people see, where that is not Text
	Silent          bool       // the model chose not to answer
	Finish          string
	Model           string
	Usage           Usage
	Prompt          string // system prompt and tools as sent; kept once by its hash
	Sent            Sent   // what else was sent
}

// Claim is what a turn took from the inbox.
type Claim struct {
	Inbox   InboxID
	Channel string
	User    string // name of the sender
	Text    string
	Control bool // the text is a command for the turn to carry out, and no message to the model
	Steer   bool // more messages wait that are meant to reach the turn while it runs
	InLine  bool // nothing was claimed, since no turn is free: the session waits for one
	// Ended says how the turn has ended already: the run repeats what it did before. It is empty while the turn runs.
	Ended TurnState
}

// Steered is what reached a turn while it ran.
type Steered struct {
	Messages int
	Skipped  int    // calls that had not begun and do not run any more
	Text     string // of the first message
}

// TurnCommand is a command that a turn has claimed, to be carried out while the conversation is at rest.
type TurnCommand struct {
	Session  SessionKey
	Turn     TurnID
	Inbox    InboxID
	User     UserID
	Message  MessageID // what the person wrote, in the transcript; for display only
	Text     string
	Lang     string // that the answer is to be in, as internal/i18n calls it
	Answered bool   // it was carried out before
}

// TurnOrigin is what a turn was started by.
type TurnOrigin struct {
	Inbox   InboxID
	User    UserID
	Text    string
	Lang    string // that the answer is to be in, as internal/i18n calls it
	Control bool   // the text is a command for the turn to carry out
}

// Call is a tool call with what its activity needs to know of its session.
type Call struct {
	ToolCall
	Session   SessionKey
	Turn      TurnID
	Step      int
	User      UserID
	Env       []string // of a command: what it is told of its conversation, NAME=value
	Cwd       string
	CwdRunner string // the runner that Cwd is a folder of; empty: not known
	Runner    string // where it acts: as the session asks, empty for its user's active one, until it begins; then the name
	StartedOn string // the job store its command may have been sent to before; empty if it never was
}

// Line is one transcript row as a prompt needs it: a message with its calls and their results.
type Line struct {
	Message Message
	Preface string // stands before the content of a user message
	Opaque  []byte
}

// Deeds are what a coding agent did for an answer by itself, without calls of ours. They stand in the place of what a provider wants back.
type Deeds struct {
	Agent string   `json:"coding_agent"`
	Did   []string `json:"did"` // lines such as "› go test"
}

// Deeds are those of the line; false: no coding agent wrote it, or it did nothing.
func (l Line) Deeds() (Deeds, bool) {
	var d Deeds
	return d, len(l.Opaque) > 0 && json.Unmarshal(l.Opaque, &d) == nil && d.Agent != "" && len(d.Did) > 0
}

// Said is what the line says to whoever answers after it: what stands in it, and below that what a coding agent did for it.
func (l Line) Said() string {
	d, ok := l.Deeds()
	if !ok {
		return l.Message.Content
	}
	return l.Message.Content + "\n\n[What " + d.Agent + " did for this answer]\n" + strings.Join(d.Did, "\n")
}

// FolderOn returns the working folder of a session on a runner: the workspace, which is empty, if the folder was chosen on
// another one.
func FolderOn(cwd, cwdRunner, runner string) string {
	if cwdRunner != "" && cwdRunner != runner {
		return ""
	}
	return cwd
}

// Refusals are what providers have refused of the requests of a conversation.
type Refusals struct {
	Tools    []RefusedTool    `json:"tools"`
	Requests []RefusedRequest `json:"requests"`
}

// RefusedTool is a tool whose definition the provider of a model has refused.
type RefusedTool struct {
	Model  string `json:"model"` // provider/model
	Tool   string `json:"tool"`
	Digest string `json:"digest"`           // of the definition that was refused
	Reason string `json:"reason,omitempty"` // the words of the provider; empty in a Window
}

// RefusedRequest is the last request that the provider of a model has refused as too long.
type RefusedRequest struct {
	Model  string `json:"model"`
	Window int    `json:"window"` // tokens that the model takes, as they are estimated; 0: the refusal was about that request alone
	Hash   string `json:"hash"`   // as Sent.Hash, hexadecimal
}

// Refuses reports whether the provider of a model has refused a tool with this definition.
func (r Refusals) Refuses(model, tool, digest string) bool {
	for _, known := range r.Tools {
		if known.Model == model && known.Tool == tool && known.Digest == digest {
			return true
		}
	}
	return false
}

// Request returns the last request that the provider of a model has refused as too long; zero: none.
func (r Refusals) Request(model string) RefusedRequest {
	for _, known := range r.Requests {
		if known.Model == model {
			return known
		}
	}
	return RefusedRequest{}
}
