package chat

import (
	"cmp"
	"strconv"
	"strings"
	"time"
)

// Rule is the permission decision for a tool call of a user.
type Rule string

// The rules.
const (
	RuleAllow Rule = "allow"
	RuleAsk   Rule = "ask"  // the turn waits for a user
	RuleDeny  Rule = "deny" // the model gets the refusal as the result
	RulePlan  Rule = "plan" // refused, since the turn wants an approved plan first; cannot be set
)

// ParseRule parses a rule; ok is false if the name is unknown.
func ParseRule(text string) (rule Rule, ok bool) {
	switch rule = Rule(text); rule {
	case RuleAllow, RuleAsk, RuleDeny:
		return rule, true
	}
	return "", false
}

// ToolRule is a user's rule for the calls of one tool: for all of them, or for those that its pattern matches.
type ToolRule struct {
	Tool    string `json:"tool"`
	Pattern string `json:"pattern,omitempty" doc:"What the calls have in common: the beginning of a command (git status), a path (docs/**) or a host (*.example.com). Empty: every call of the tool."`
	Rule    Rule   `json:"rule" enum:"allow,ask,deny"`
	// Pin identifies the tool of an MCP server as it was when allowed. The rule asks again once the tool has changed.
	Pin     string `json:"pin,omitempty" doc:"For rules that allow an MCP tool: identifies the tool as it was allowed. The rule asks again when the tool has changed."`
	Changed string `json:"changed,omitempty" doc:"In a question: parts of the tool that changed since a rule allowed it, separated by blanks: address, description, arguments, annotations."`
}

// MaxToolRules bounds the rules of a user: all of them are read with each step that calls tools.
const MaxToolRules = 500

// InWords lists rules for display: their patterns, or the tools whose every call matches.
func InWords(rules []ToolRule) string {
	var out []string
	for _, r := range rules {
		out = append(out, cmp.Or(r.Pattern, r.Tool))
	}
	return strings.Join(out, ", ")
}

// PatternKind is what the patterns for a tool are compared with; empty: there are none, a rule is for every call.
type PatternKind string

// The kinds.
const (
	PatternCommand PatternKind = "command"
	PatternPath    PatternKind = "path"
	PatternHost    PatternKind = "host"
)

// Preset is the permission mode of tools where no rule of the user applies. Empty: that of the next level; the conversation, then the user,
// then the installation.
type Preset string

// The presets. They apply only to calls that change something outside of the conversation (tool.Spec).
const (
	PresetReadOnly Preset = "read_only" // they are denied, even if a rule allows them
	PresetAsk      Preset = "ask"       // a user is asked
	PresetAuto     Preset = "auto"      // they run, within the sandbox
)

// Presets lists all presets, the strictest first.
var Presets = []Preset{PresetReadOnly, PresetAsk, PresetAuto}

// UserPermissions is the tool permissions of a conversation.
type UserPermissions struct {
	Admin bool       `json:"admin"` // whether the user is an administrator
	Here  Preset     `json:"here"`  // chosen for the conversation; for a subagent, for that of the user above
	Own   Preset     `json:"own"`   // chosen for all conversations of the user
	Rules []ToolRule `json:"rules"`
	At    Location   `json:"at"`  // where the conversation above all takes place
	Cwd   string     `json:"cwd"` // where paths of calls begin; empty: the workspace

	// Outside: a consumer writes to a service; it is never asked, and has no stored rules.
	Outside  bool `json:"outside"`
	Planning bool `json:"planning"` // the running turn wants an approved plan first
}

// ApprovalState is the state of an approval.
type ApprovalState string

// The states. Void means that the turn ended before the answer.
const (
	ApprovalOpen    ApprovalState = "open"
	ApprovalAllowed ApprovalState = "allowed"
	ApprovalDenied  ApprovalState = "denied"
	ApprovalVoid    ApprovalState = "void"
)

// AnsweredByNobody is the name of the answerer if no answer came in time.
const AnsweredByNobody = "xbot"

// AgentAnswerer is the prefix of the answerer's name for a question closed because the coding agent that asked it has ended. The name of the
// agent follows. Names of users have no colon.
const AgentAnswerer = "agent:"

// AgentEnded reports whether the question was closed because the coding agent that asked it has ended.
func (a Approval) AgentEnded() bool {
	return a.State == ApprovalDenied && strings.HasPrefix(a.AnsweredBy, AgentAnswerer)
}

// MaxNote bounds the note that a user may add to an answer, in bytes.
const MaxNote = 4000

// Approval is the question to a user whether a call may run, and its answer. A call of AskUser has its questions instead: answering all of
// them allows it.
type Approval struct {
	State      ApprovalState `json:"state" enum:"open,allowed,denied,void"`
	Reason     string        `json:"reason,omitempty" doc:"The model's reason for the call."`
	Preview    string        `json:"preview,omitempty" doc:"What the call would change in a file, as a unified diff, as it was when the question was asked; may be cut."`
	Note       string        `json:"note,omitempty" doc:"The user's note with the answer."`
	AskedAt    time.Time     `json:"asked_at"`
	AnsweredAt *time.Time    `json:"answered_at,omitempty"`
	AnsweredBy string        `json:"answered_by,omitempty" doc:"Name of the user; xbot if the call expired; agent: with the name of a coding agent that ended while it waited."`

	Asked string `json:"asked,omitempty" doc:"The original arguments, if the user changed them with the approval. The call has the arguments that run."`

	Always []ToolRule `json:"always,omitempty" doc:"The rules that an answer with always sets. None: no rule fits this call, and always is refused."`

	Deferred bool `json:"deferred,omitempty" doc:"A hook requires the decision of an administrator."`

	Plan *Plan `json:"plan,omitempty" doc:"The plan proposed by the call: allowing the call approves the plan, denying it rejects the plan. After approval, the plan as edited by the user."`

	Questions []Inquiry `json:"questions,omitempty" doc:"Questions of the model; answers to all of them allow the call."`
	Answers   Answers   `json:"answers,omitempty" doc:"What was answered, by the name of the question."`
}

// Request is shown to the user who is asked whether a call may run.
type Request struct {
	Reason  string // from the model; empty: the last paragraph that it wrote before its calls
	Preview string // what the call would change, as a unified diff; empty: not known
	// Changed names the parts of the tool that changed since a rule allowed it, as in ToolRule.
	Changed string
}

// MaxArguments bounds the arguments that a user gives a call, in bytes.
const MaxArguments = 200_000

// Change is a user's edit of a call that waits for approval.
type Change struct {
	Arguments string // a JSON object
	Summary   string // of them
	Plan      *Plan  // of a call that proposes one: the plan as edited by the user
	Digest    string // of the changed call that was checked
}

// Allowance is a user's approval of every call of a turn that would be asked about, until the turn ends.
type Allowance struct {
	By    string    `json:"by" doc:"Name of the user."`
	Since time.Time `json:"since"`
	Calls int       `json:"calls" doc:"Number of calls of the turn allowed so far."`
}

// AllowedWarning is the number of calls allowed by an Allowance after which users are notified, each time.
const AllowedWarning = 50

// Names of the buttons and the field of a question on a platform.
const (
	PressAllow  = "allow"
	PressAlways = "always"
	PressDeny   = "deny"
	PressSend   = "send" // answers to questions; they are declined by PressDeny
	PressNote   = "note"
)

// Inquiry is one question of the model to a user, by AskUser or a card. The answer is labels of its options, free text where Other is set, or
// both where Multi is set.
type Inquiry struct {
	Name    string          `json:"name" doc:"Names the answer: q1, q2 ... in their order."`
	Text    string          `json:"text"`
	Options []InquiryOption `json:"options,omitempty" doc:"The options; none: the answer is free text."`
	Multi   bool            `json:"multi,omitempty" doc:"More than one answer may be given."`
	Other   bool            `json:"other,omitempty" doc:"Free text is accepted as an answer, too; always if there are no options."`
	Connect *AccountAsk     `json:"connect,omitempty" doc:"Set if the question is answered only by connecting an account (POST /api/oauth/accounts/{provider}/connect). It can be declined."`

	Optional bool   `json:"optional,omitempty" doc:"It may be left without an answer."`
	Default  string `json:"default,omitempty" doc:"The option that is the answer where none is given."`
	Above    string `json:"above,omitempty" doc:"Text above the question in Markdown: the content of the model's card."`
	URL      string `json:"url,omitempty" doc:"On the first question: an address that the person may open before they answer. Clients open it only when the person does."`
	Card     string `json:"card,omitempty" doc:"On the first question: the card of the model that asks them all, as JSON, for platforms that show it."`
}

// InquiryOption is one option of a question.
type InquiryOption struct {
	Label string `json:"label" doc:"The value of the answer, unique within the question."`
	About string `json:"about,omitempty" doc:"Explanation of the option, one line."`
}

// Answers maps the name of each question of a call to the user's answers, at least one each.
type Answers map[string][]string

// Bounds of the questions of one call.
const (
	MaxInquiries   = 4
	MaxOptions     = 8
	MaxInquiryText = 1000 // characters of a question
	MaxOptionLabel = 100  // characters
	MaxOptionAbout = 300  // characters
	// MaxAnswers bounds all answers to the questions of a call together, in bytes.
	MaxAnswers = 20_000
)

// PlanTool is the tool that proposes a plan. Only turns in plan mode have it.
const PlanTool = "propose_plan"

// PlanState is whether a turn has to propose a plan before it acts (plan mode). Empty: it does not.
type PlanState string

// The states.
const (
	PlanWanted   PlanState = "wanted"   // only read calls run until a user approves a plan
	PlanApproved PlanState = "approved" // a user approved the plan
	PlanLifted   PlanState = "lifted"   // a user switched the mode off
)

// Plan is a plan proposed by a model, for a user to approve, edit or send back.
type Plan struct {
	Title     string   `json:"title,omitempty" doc:"Title of the plan, one line."`
	Steps     []string `json:"steps" doc:"The steps in order, one line each."`
	Questions []string `json:"questions,omitempty" doc:"Open questions of the model; one line each."`
}

// Bounds of a plan, from the model and from the user who edits it.
const (
	MaxPlanTitle     = 120 // characters
	MaxPlanSteps     = 50
	MaxPlanStep      = 500 // characters; as much as an entry of a to-do list
	MaxPlanQuestions = 8
	MaxPlanQuestion  = 500 // characters
)

// Todos returns the steps as a to-do list with no entry done. The ids are the positions, from 1.
func (p Plan) Todos() []Todo {
	out := make([]Todo, len(p.Steps))
	for i, step := range p.Steps {
		out[i] = Todo{ID: strconv.Itoa(i + 1), Text: step}
	}
	return out
}
