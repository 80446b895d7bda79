package chat

import (
	"encoding/json"
	"strings"
	"time"
)

// Step names one LLM call of a turn.
type Step struct {
	Session SessionKey
	Turn    TurnID
	N       int // from 0
}

// Decision is the result of a step: calls to make, or none and the finish reason.
type Decision struct {
	Finish string // from the model, or one of the Finish constants
	Fault  string // a fault kind, set when Finish is FinishError
	// Compress is the trigger of a compression that has to come before this step; the step is still open.
	Compress string
	// Wait is why the turn waits for the provider, and Steer that messages wait for the step; the step is still open.
	Wait  string
	Steer bool
	Calls []ToolCall
	Usage Usage
}

// Finish reasons in addition to the model's own.
const (
	FinishStopped = "stopped" // a user stopped it; the text so far is stored
	FinishError   = "error"   // the model could not answer; the user was notified
	FinishClosed  = "closed"  // the turn was closed before; nothing was written
	FinishLoop    = "loop"    // the model repeated the same call; the user was notified
)

// Answer is the output of a model, ready to be committed.
type Answer struct {
	Text, Reasoning string
	Opaque          []byte     // data that the provider needs back
	Calls           []ToolCall // with ids minted by us
	Shown           *string    // the displayed text, if it is not Text
	Silent          bool       // the model chose not to answer
	Finish          string
	Model           string
	Usage           Usage
	Prompt          string // system prompt and tools as sent; stored once by its hash
	Sent            Sent   // the rest of the request
	Call            ModelCall
}

// ModelCall is how the call of a model in a step went, for traces.
type ModelCall struct {
	Model         string        // provider/model; empty: none was called
	ResponseModel string        // as the provider reported it; empty if it did not
	AskedAt       time.Time     // when the last attempt sent its request; zero: none did
	FirstToken    time.Duration // from AskedAt to the first piece of the answer; 0: there was none
	Attempts      int           // attempts of the step so far, with retries and resumptions after a kill
}

// Claim is a turn's claim from the inbox.
type Claim struct {
	Inbox   InboxID
	Channel string
	User    string // name of the sender
	Text    string
	Control bool // the text is a command for the turn to execute, and no message to the model
	Steer   bool // more messages are waiting to steer the turn
	InLine  bool // nothing was claimed, since no slot is free: the session waits for one
	// Ended is how the turn has ended already: the run repeats its earlier result. It is empty while the turn runs.
	Ended TurnState
}

// Steered is the messages that reached a turn while it ran.
type Steered struct {
	Messages int
	Skipped  int    // calls that had not begun and do not run any more
	Text     string // of the first message
}

// TurnCommand is a command that a turn has claimed, executed while no other turn runs in the conversation.
type TurnCommand struct {
	Session  SessionKey
	Turn     TurnID
	Inbox    InboxID
	User     UserID
	Message  MessageID // the user's text, in the transcript; for display only
	Text     string
	Lang     string // of the answer, an internal/i18n name
	Answered bool   // it was executed before
}

// TurnOrigin is the message that started a turn.
type TurnOrigin struct {
	Inbox   InboxID
	User    UserID
	Text    string
	Lang    string // of the answer, an internal/i18n name
	Control bool   // the text is a command for the turn to execute
}

// Call is a tool call with the session data that its activity needs.
type Call struct {
	ToolCall
	Session   SessionKey
	Turn      TurnID
	Step      int
	User      UserID
	Env       []string // of a command: variables of its conversation, NAME=value
	Cwd       string
	CwdRunner string // the runner that Cwd is a folder of; empty: not known
	Runner    string // until it begins the session's choice, empty for its user's active one; then the name
	StartedOn string // the job store its command may have been sent to before; empty if it never was
}

// Line is one transcript row for a prompt: a message with its calls and their results.
type Line struct {
	Message Message
	Preface string // precedes the content of a user message
	Opaque  []byte
}

// Deeds is a coding agent's actions for an answer, without calls of xbot's tools. They take the place of the provider's opaque data.
type Deeds struct {
	Agent string   `json:"coding_agent"`
	Did   []string `json:"did"` // lines such as "› go test"
}

// Deeds returns the actions of the line. It returns false if no coding agent wrote it, or it did nothing.
func (l Line) Deeds() (Deeds, bool) {
	var d Deeds
	return d, len(l.Opaque) > 0 && json.Unmarshal(l.Opaque, &d) == nil && d.Agent != "" && len(d.Did) > 0
}

// ContentForModel returns the line's content for the next model: its text, followed by the actions of a coding agent.
func (l Line) ContentForModel() string {
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

// Refusals is the requests of a conversation that providers refused.
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
