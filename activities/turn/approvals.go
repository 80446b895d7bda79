package turn

import (
	"context"
	"strings"
	"time"

	"xbot/activities"
	"xbot/activities/hooks"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/service"
	"xbot/internal/tool"
)

// Questions keeps the questions whether calls may run.
type Questions interface {
	Call(ctx context.Context, id chat.CallID) (chat.Call, error)
	Ask(ctx context.Context, id chat.CallID, q chat.Request) (chat.Call, error)
	Expire(ctx context.Context, id chat.CallID) error
}

// Previewer shows the changes that calls would make.
type Previewer interface {
	Previews(name string) bool
	Preview(ctx context.Context, name string, call tool.Call) (string, error)
}

// Runners ends calls that cannot run because their user has no runner.
type Runners interface {
	// WithoutRunner records the result of a call that cannot run because there is no runner, and reports whether it is one.
	WithoutRunner(ctx context.Context, call chat.Call) (bool, error)
}

// Approvals asks users for permission. Its activities run as local activities; waiting is the workflow's part.
type Approvals struct {
	Questions Questions
	Runners   Runners
	Previewer Previewer                  // nil: users see the arguments of a call alone
	Sandboxes activities.RunnerSandboxes // where Previewer looks
	Wait      time.Duration              // how long a question stays open; then the call is denied
	Now       func() time.Time           // the clock that a question is timed by; nil: that of the machine
}

// AskInput names a call that needs permission.
type AskInput struct {
	Call chat.CallID `json:"call"`
}

// AskOutput reports whether the workflow waits for an answer, and for how long.
type AskOutput struct {
	Open bool          `json:"open,omitempty"`
	Wait time.Duration `json:"wait,omitempty"` // nanoseconds
}

// Ask opens the approval of a call. Repeated, it returns the remaining time of the approval, or that it was answered. A call that needs a runner and
// has none fails without an approval.
func (a *Approvals) Ask(ctx context.Context, in AskInput) (AskOutput, error) {
	call, err := a.Questions.Call(ctx, in.Call)
	if err != nil {
		return AskOutput{}, activities.Failure(ctx, err)
	}
	if service.Serves(call.Session) { // consumers are not asked: the call is refused
		return AskOutput{}, nil
	}
	if call.Approval == nil {
		if ended, err := a.Runners.WithoutRunner(ctx, call); err != nil || ended {
			return AskOutput{}, activities.Failure(ctx, err)
		}
	}
	call, err = a.Questions.Ask(ctx, in.Call, chat.Request{Reason: tool.Reason(call.Arguments), Preview: a.preview(ctx, call), Changed: changedSince(call)})
	if err != nil {
		return AskOutput{}, activities.Failure(ctx, err)
	}
	if call.Approval == nil || call.Approval.State != chat.ApprovalOpen {
		return AskOutput{}, nil
	}
	left := call.Approval.AskedAt.Add(a.Wait).Sub(a.now())
	return AskOutput{Open: true, Wait: max(left, time.Second).Round(time.Second)}, nil
}

// changedSince names the parts of the tool that have changed since a rule allowed it.
func changedSince(call chat.Call) string {
	for _, r := range call.Always {
		if r.Changed != "" {
			return r.Changed
		}
	}
	return ""
}

// lookTime bounds the look at what a call would change: the question does not wait for a runner that is away.
const lookTime = 2 * time.Second

// preview returns what the call would change, for the user who is asked. It only helps to decide: without a runner, or where the call would
// fail, there is none.
func (a *Approvals) preview(ctx context.Context, call chat.Call) string {
	if a.Previewer == nil || call.Approval != nil || call.Rule != chat.RuleAsk || !a.Previewer.Previews(call.Name) {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	box, err := a.Sandboxes.Box(ctx, call.User, call.Runner)
	if err != nil {
		return ""
	}
	text, err := a.Previewer.Preview(ctx, call.Name, tool.Call{
		ID: call.ID, Session: call.Session, User: call.User, Arguments: call.Arguments, Box: box, Cwd: chat.FolderOn(call.Cwd, call.CwdRunner, box.Name()),
	})
	if err != nil {
		return ""
	}
	return activities.Clean(text)
}

func (a *Approvals) now() time.Time {
	if a.Now == nil {
		return time.Now()
	}
	return a.Now()
}

// ExpireInput names a call that was not answered in time.
type ExpireInput struct {
	Call chat.CallID `json:"call"`
}

// Expire denies a call in the name of xbot. It keeps an earlier answer.
func (a *Approvals) Expire(ctx context.Context, in ExpireInput) error {
	return activities.Failure(ctx, a.Questions.Expire(ctx, in.Call))
}

// refusal returns the result of a call that may not run, even if the workflow tries it; ok is false when it may.
func refusal(call chat.Call) (result chat.ToolResult, ok bool) {
	say := func(id i18n.ID, args ...any) (chat.ToolResult, bool) {
		return chat.ToolResult{Content: i18n.Say(i18n.English, id, args...), IsError: true}, true
	}
	if result, ok := hooks.Refusal(call); ok {
		return result, true
	}
	a := call.Approval
	switch denied := a != nil && a.State == chat.ApprovalDenied; {
	case denied && call.Plan != nil:
		return sentBack(*a), true
	case denied && len(call.Questions) > 0:
		return unanswered(*a), true
	}
	switch {
	case call.Rule == chat.RulePlan:
		return say(i18n.CallPlanFirst, call.Name)
	case call.Rule == chat.RuleDeny:
		return say(i18n.CallForbidden, call.Name)
	case call.Rule != chat.RuleAsk || a != nil && a.State == chat.ApprovalAllowed:
		return chat.ToolResult{}, false
	case a != nil && a.State == chat.ApprovalDenied:
		who, note := "the user", ""
		if a.AnsweredBy == chat.AnsweredByNobody {
			who = chat.AnsweredByNobody
		}
		if a.Note != "" {
			note = ": " + strings.TrimRight(a.Note, ".。 \n")
		}
		return say(i18n.CallDenied, who, note)
	}
	return say(i18n.CallUnasked)
}

// unanswered returns the result of questions that got no answer. It is no error: the model continues without.
func unanswered(a chat.Approval) chat.ToolResult {
	if a.AnsweredBy == chat.AnsweredByNobody {
		return chat.ToolResult{Content: i18n.Say(i18n.English, i18n.InquiryLate)}
	}
	if a.AgentEnded() {
		return chat.ToolResult{Content: i18n.Outcome(i18n.English, a)}
	}
	note := ""
	if a.Note != "" {
		note = ": " + strings.TrimRight(a.Note, ".\u3002 \n")
	}
	return chat.ToolResult{Content: i18n.Say(i18n.English, i18n.InquiryDeclined, note)}
}

// sentBack returns the result of a plan that a user did not approve. It is no error: the model makes another one.
func sentBack(a chat.Approval) chat.ToolResult {
	if a.AnsweredBy == chat.AnsweredByNobody {
		return chat.ToolResult{Content: i18n.Say(i18n.English, i18n.PlanLate)}
	}
	if a.Note == "" {
		return chat.ToolResult{Content: i18n.Say(i18n.English, i18n.PlanRejected)}
	}
	return chat.ToolResult{Content: i18n.Say(i18n.English, i18n.PlanRevise, a.Note)}
}
