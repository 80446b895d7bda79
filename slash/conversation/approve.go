package conversation

import (
	"context"
	"errors"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	callsrows "xbot/internal/turn/calls"
	"xbot/internal/turn/question"
	"xbot/internal/turn/slashcommand"
)

// Questions are the questions of turns to users.
type Questions interface {
	// AnswerOldest answers the open question of a conversation that has waited longest, and wakes the turn that waits for it.
	AnswerOldest(ctx context.Context, in slashcommand.Request, allow bool, note string) (chat.ToolCall, error)
	// AllowOldestChanged lets the call run with other arguments, which are a JSON object.
	AllowOldestChanged(ctx context.Context, in slashcommand.Request, arguments string) (chat.ToolCall, error)
	// AnswerAll gives all of them the same answer.
	AnswerAll(ctx context.Context, in slashcommand.Request, allow bool) ([]chat.ToolCall, error)
	// AllowTurn lets all calls of the running turn run that would be asked about, or takes that back.
	AllowTurn(ctx context.Context, in slashcommand.Request, allow bool) error
}

// Approve is /approve, for channels without buttons: the call that has waited longest may run, as it is or changed, or all that wait, or
// all of the turn.
type Approve struct{ Questions Questions }

var _ slashcommand.Runner = Approve{}

// Spec describes the command.
func (Approve) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "approve", Usage: "[NOTE | all | turn | {ARGUMENTS}]", Help: i18n.HelpApprove, Group: slashcommand.GroupConversation, Who: slashcommand.Owner, Explained: true}
}

// Run lets calls run.
func (a Approve) Run(ctx context.Context, in slashcommand.Request, note string) (string, error) {
	if changed := strings.TrimSpace(note); strings.HasPrefix(changed, "{") {
		call, err := a.Questions.AllowOldestChanged(ctx, in, changed)
		return decided(in.Lang, err, call)
	}
	return decide(ctx, a.Questions, in, true, note)
}

// Words behind the commands in place of a note, for more than one call.
const (
	wordAll  = "all"
	wordTurn = "turn"
)

func decide(ctx context.Context, questions Questions, in slashcommand.Request, allow bool, note string) (string, error) {
	switch strings.ToLower(strings.TrimSpace(note)) {
	case wordAll:
		calls, err := questions.AnswerAll(ctx, in, allow)
		return decided(in.Lang, err, calls...)
	case wordTurn:
		return decideTurn(in.Lang, allow, questions.AllowTurn(ctx, in, allow))
	}
	call, err := questions.AnswerOldest(ctx, in, allow, note)
	return decided(in.Lang, err, call)
}

func decideTurn(lang i18n.Lang, allow bool, err error) (string, error) {
	switch {
	case errors.Is(err, callsrows.ErrNothingRuns):
		return i18n.Say(lang, i18n.TurnAllowedNone), nil
	case err != nil:
		return "", err
	case allow:
		return i18n.Say(lang, i18n.TurnAllowed), nil
	}
	return i18n.Say(lang, i18n.TurnAllowedOff), nil
}

// maxDecided is how many calls an answer lists.
const maxDecided = 10

// decided lists the decisions about calls, a line each.
func decided(lang i18n.Lang, err error, calls ...chat.ToolCall) (string, error) {
	if errors.Is(err, callsrows.ErrNothingAsked) {
		return i18n.Say(lang, i18n.NothingAsked), nil
	}
	if err != nil {
		return "", err
	}
	var lines []string
	for _, call := range calls[:min(len(calls), maxDecided)] {
		lines = append(lines, question.Decided(lang, call, call.Approval != nil && call.Approval.State == chat.ApprovalAllowed))
	}
	if more := len(calls) - len(lines); more > 0 {
		lines = append(lines, i18n.Say(lang, i18n.AnsweredMore, more))
	}
	return strings.Join(lines, "\n"), nil
}
