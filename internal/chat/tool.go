package chat

import (
	"time"
)

// SkillTool is the tool that loads skills.
const SkillTool = "Skill"

// ConfigTool is the tool that changes settings. Its questions are for users who may change them by hand.
const ConfigTool = "config"

// ToolClass decides how a tool call is scheduled and what a crash may do to it.
type ToolClass string

// The classes. Read calls run in parallel and are retried; idempotent calls are retried under their id; exec calls
// attach to or start a command on a runner, keyed by their id; once calls get one attempt, and a crash gives the model
// "outcome unknown"; agent calls ask a subagent, under their id, and run in parallel.
const (
	ClassRead       ToolClass = "read"
	ClassIdempotent ToolClass = "idempotent"
	ClassExec       ToolClass = "exec"
	ClassOnce       ToolClass = "once"
	ClassAgent      ToolClass = "agent"
	ClassClient     ToolClass = "client" // the program that sent the message runs it, after the turn
)

// CallState is the state of a tool call.
type CallState string

// The states of a call.
const (
	CallOpen    CallState = "open"
	CallRunning CallState = "running"
	CallDone    CallState = "done"
)

// ToolCall is one call of a tool with, once it is done, its result.
type ToolCall struct {
	ID         CallID    `json:"id"`
	ProviderID string    `json:"-"`
	Name       string    `json:"name"`
	Class      ToolClass `json:"class" enum:"read,idempotent,exec,once,agent,client"`
	Arguments  string    `json:"arguments" doc:"JSON text as the model wrote it; may be malformed."`
	State      CallState `json:"state" enum:"open,running,done"`
	Summary    string    `json:"summary,omitempty" doc:"The argument a reader wants to see, one line: a command, a path, a pattern."`
	Result     string    `json:"result,omitempty" doc:"The result for the model."`
	IsError    bool      `json:"is_error,omitempty"`
	ResultView
	Rule       Rule `json:"-"`
	Ruling     `json:"-"`
	Hooked     `json:"-"`
	Asks       `json:"-"`
	Approval   *Approval  `json:"approval,omitempty" doc:"Set if the call requires approval; the call stays open until it is answered."`
	Offload    string     `json:"offload,omitempty" doc:"Set when the whole result was too large for the conversation: result is its summary, and the whole is read with this id."`
	Task       string     `json:"task,omitempty" doc:"Id of the background task that the call's command became, for example bg2."`
	StartedAt  *time.Time `json:"started_at,omitempty"`
	FinishedAt *time.Time `json:"finished_at,omitempty"`
}

// Ruling is how the rules of the user apply to a call.
type Ruling struct {
	Judged bool       // a rule for some commands allowed it: permission.Judged of the command runs
	Always []ToolRule // the rules set by an answer with always; part of Approval once a user was asked
	// Digest identifies the tool and arguments that were checked. A call with another digest does not run. Empty: the call is older than the
	// field.
	Digest string
}

// Ruled returns the call with the rule for one with questions or a plan: it is asked, unless its tool is denied. No rule allows leaving out a
// question, and none approves a plan.
func (c ToolCall) Ruled() ToolCall {
	if c.Inquires() && c.Rule != RuleDeny && c.Rule != RulePlan {
		c.Rule = RuleAsk
	}
	if c.Plan != nil {
		c.Always = nil
	}
	return c
}

// Asks is a call's own questions to a user; part of Approval once it was asked.
type Asks struct {
	Questions []Inquiry
	Plan      *Plan // for their approval
}

// Inquires reports whether the call has its own questions to a user, other than whether it may run.
func (c ToolCall) Inquires() bool { return len(c.Questions) > 0 || c.Plan != nil }

// ResultView is the displayed part of a result besides its text.
type ResultView struct {
	Pictures []PictureRef `json:"pictures,omitempty" doc:"Pictures that the result shows."`
	Diff     string       `json:"diff,omitempty" doc:"What the call changed in a file, as a unified diff; may be cut."`
	Sources  []WebSource  `json:"sources,omitempty" doc:"Pages of the web that the result comes from, in its order; at most 20."`
}

// WebSource is a web page that a result comes from.
type WebSource struct {
	URL   string `json:"url" doc:"An http or https address."`
	Title string `json:"title,omitempty" doc:"Title of the page, one line; may be truncated."`
}

// ToolResult is the result of a tool. A tool that ran and failed is a result with IsError, not a Go error.
type ToolResult struct {
	Content string `json:"content"`
	IsError bool   `json:"is_error,omitempty"`

	// Background is set when the command of the call continues: the result and the task are recorded together, and the id of the task is
	// added to the content.
	Background *Background `json:"-"`
	// Offload is set when the content is only a summary: the full content is stored separately.
	Offload *Offload `json:"-"`
	// File is set by a tool that read a whole file, so that a later change of it can be detected.
	File *FileState `json:"-"`
	// Handed is set when the call delegated to a subagent: unless that is in the background its answer is the result, and this is none.
	Handed *Assignment `json:"-"`
	// Group is set when a group chat was created: its workflow is to be started.
	Group GroupID `json:"-"`
	// Took is the run time of the command as reported by the runner; 0: that of the call. The waiting worker may have been away.
	Took time.Duration `json:"-"`
	// Pictures are the pictures of the result; a model without vision reads the content alone.
	Pictures []Picture `json:"-"`
	// Asks is set when the call has to ask a user something first: it is repeated with the answers, and this is no result.
	Asks []Inquiry `json:"-"`
	// Diff is the call's change of a file, as a unified diff, for display.
	Diff string `json:"-"`
	// Sources are the web pages that the result comes from, for display.
	Sources []WebSource `json:"-"`
	// Told are the tasks whose end the content reports: they need no announcement.
	Told []CallID `json:"-"`
}

// Hooked is the hook state of a call.
type Hooked struct {
	Hook      HookState
	HookAfter bool // they receive its result
}

// HookState is the result of the hooks before a call. Empty: no hook applies.
type HookState string

// The states.
const (
	HookDue      HookState = "due"      // they have to run first
	HookPassed   HookState = "passed"   // none of them forbids it
	HookDeferred HookState = "deferred" // an administrator has to allow it
	HookDenied   HookState = "denied"
)

// ToolUse is a conversation's use of the tools that are not always shown.
type ToolUse struct {
	Recent []string // the last used, newest first
	Used   []string // all of them
	Parts  []string // keys of the non-empty parts of the system prompt
}

// Sample is the answer of a model to a request of an MCP server during a call.
type Sample struct {
	Request string // identifies the request within the call
	Model   string
	Text    string
	Finish  string
}
