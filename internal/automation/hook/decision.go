package hook

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"xbot/internal/fault"
)

// Decision is the decision of a handler on an event. No decision loosens the permission rules of tools: allow means
// that the handler has no objection.
type Decision string

// The decisions, the weakest first.
const (
	Allow Decision = "allow"
	Ask   Decision = "ask"   // a user has to approve it
	Defer Decision = "defer" // an administrator has to approve it, and the user is not asked
	Deny  Decision = "deny"
)

var weights = map[Decision]int{Allow: 0, Ask: 1, Defer: 2, Deny: 3}

// Limits of an answer of a handler.
const (
	MaxAnswer  = 256 << 10 // bytes of a whole answer
	MaxContext = 10_000    // characters of context
	MaxReason  = 2_000     // characters of a reason
	MaxInput   = 100_000   // bytes of updatedInput
)

// Answer is the answer of one handler.
type Answer struct {
	Decision Decision        `json:"decision,omitempty"`
	Reason   string          `json:"reason,omitempty"`  // for the user and the model
	Context  string          `json:"context,omitempty"` // for the model
	Updated  json.RawMessage `json:"updatedInput,omitempty"`

	from string // the name of the handler
}

// Outcome is the merged answer of all handlers to an event.
type Outcome struct {
	Decision Decision
	Reason   string
	Context  string   // for the model
	Notes    []string // failures of handlers, for an operator

	Updated   json.RawMessage // new arguments of a call; nil: unchanged
	UpdatedBy string          // the name of the handler that changed them
}

// ParseAnswer parses the output of a handler: an object with decision, reason, context and updatedInput, other members
// being ignored; or a plain text, which is context. Text that begins like an object and is none is Invalid, so that a decision
// is not mistaken for a text.
func ParseAnswer(out []byte) (Answer, error) {
	out = bytes.TrimSpace(bytes.TrimPrefix(out, []byte("\ufeff")))
	if len(out) > MaxAnswer {
		return Answer{}, fault.Errorf(fault.TooLarge, "it answered more than %d bytes", MaxAnswer)
	}
	if len(out) == 0 || out[0] != '{' {
		return Answer{Context: cut(string(out), MaxContext)}, nil
	}
	var a Answer
	if err := json.Unmarshal(out, &a); err != nil {
		return Answer{}, fault.Errorf(fault.Invalid, "it answered with what is no JSON object of decision, reason, context and updatedInput: %w", err)
	}
	if _, ok := weights[a.Decision]; !ok && a.Decision != "" {
		return Answer{}, fault.Errorf(fault.Invalid, "it decided %q, which is none of allow, ask, defer and deny", cut(string(a.Decision), 40))
	}
	if bytes.Equal(a.Updated, []byte("null")) {
		a.Updated = nil
	}
	if a.Updated != nil && (a.Updated[0] != '{' || len(a.Updated) > MaxInput) {
		return Answer{}, fault.Errorf(fault.Invalid, "its updatedInput is no object of at most %d bytes", MaxInput)
	}
	a.Reason, a.Context = cut(a.Reason, MaxReason), cut(a.Context, MaxContext)
	return a, nil
}

// Combine makes one outcome of the answers to an event, in the order of their handlers: the strongest decision
// with the reasons of those who took it, all context, and the last updatedInput. Where the event takes no decision, the reason of a
// denial is context.
func Combine(e Event, answers []Answer) Outcome {
	out := Outcome{Decision: Allow}
	var reasons, context []string
	for _, a := range answers {
		if traits[e].rules && a.Updated != nil {
			out.Updated, out.UpdatedBy = a.Updated, a.from
		}
		if a.Context != "" {
			context = append(context, a.Context)
		}
		decision := a.Decision
		if decision == "" {
			decision = Allow
		}
		if decision != Deny && !traits[e].rules {
			continue
		}
		if !traits[e].denies {
			if a.Reason != "" {
				context = append(context, a.Reason)
			}
			continue
		}
		if weights[decision] > weights[out.Decision] {
			out.Decision, reasons = decision, nil
		}
		if decision == out.Decision && a.Reason != "" && decision != Allow {
			reasons = append(reasons, a.Reason)
		}
	}
	out.Reason = cut(strings.Join(reasons, "\n"), MaxReason)
	out.Context = cut(strings.Join(context, "\n\n"), MaxContext)
	return out
}

// cut shortens a text to so many characters, and makes it valid UTF-8 without NUL.
func cut(text string, most int) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}
