package chat

import (
	"time"
)

// Rule says what happens when a tool is to be run for a user.
type Rule string

// The rules.
const (
	RuleAllow Rule = "allow"
	RuleAsk   Rule = "ask"  // the turn waits for a person
	RuleDeny  Rule = "deny" // the model is told so
)

// ParseRule reads a rule; ok is false when there is none of that name.
func ParseRule(text string) (rule Rule, ok bool) {
	switch rule = Rule(text); rule {
	case RuleAllow, RuleAsk, RuleDeny:
		return rule, true
	}
	return "", false
}

// ApprovalState is how far the question whether a call may run has come.
type ApprovalState string

// The states. Void means that the turn ended before anybody answered.
const (
	ApprovalOpen    ApprovalState = "open"
	ApprovalAllowed ApprovalState = "allowed"
	ApprovalDenied  ApprovalState = "denied"
	ApprovalVoid    ApprovalState = "void"
)

// AnsweredByNobody is the name of the answerer if nobody answered in time.
const AnsweredByNobody = "xbot"

// MaxNote bounds what a person may say with an answer, in bytes.
const MaxNote = 4000

// Approval is the question to a person whether a call may run, and its answer. A call of AskUser has questions of its own:
// it is allowed by answering all of them.
type Approval struct {
	State      ApprovalState `json:"state" enum:"open,allowed,denied,void"`
	Reason     string        `json:"reason,omitempty" doc:"Why the model wants it, in its own words."`
	Note       string        `json:"note,omitempty" doc:"What the person said with the answer."`
	AskedAt    time.Time     `json:"asked_at"`
	AnsweredAt *time.Time    `json:"answered_at,omitempty"`
	AnsweredBy string        `json:"answered_by,omitempty" doc:"Name of the user, or xbot when nobody answered in time."`

	Deferred bool `json:"deferred,omitempty" doc:"A hook wants an administrator to decide; nobody else can answer."`

	Questions []Inquiry `json:"questions,omitempty" doc:"What the model asks the person; the call is allowed by answers to all of them."`
	Answers   Answers   `json:"answers,omitempty" doc:"What was answered, by the name of the question."`
}

// What the buttons and the field of a question on a platform are called.
const (
	PressAllow  = "allow"
	PressAlways = "always"
	PressDeny   = "deny"
	PressSend   = "send" // answers to questions; they are declined by PressDeny
	PressNote   = "note"
)

// Inquiry is one question of the model to a person, by the tool AskUser. It is answered with labels of its options, with
// words of the person's own where Other is set, or both where Multi is set.
type Inquiry struct {
	Name    string          `json:"name" doc:"Names the answer: q1, q2 ... in their order."`
	Text    string          `json:"text"`
	Options []InquiryOption `json:"options,omitempty" doc:"What can be chosen; none: the answer is free text."`
	Multi   bool            `json:"multi,omitempty" doc:"More than one answer may be given."`
	Other   bool            `json:"other,omitempty" doc:"A free text is an answer, too; always if there are no options."`
}

// InquiryOption is something that can be chosen.
type InquiryOption struct {
	Label string `json:"label" doc:"What is sent as the answer; no two of a question are the same."`
	About string `json:"about,omitempty" doc:"What it means, one line."`
}

// Answers are what a person said to the questions of a call: by the name of a question, at least one answer each.
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
