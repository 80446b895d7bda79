package conversation

import (
	"context"
	"errors"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/question"
	"xbot/internal/slash"
	"xbot/internal/store"
)

// Questions are those that turns put to people.
type Questions interface {
	// AnswerOldest answers the open question of a conversation that has waited longest, and wakes the turn that waits for it.
	AnswerOldest(ctx context.Context, in slash.Request, allow bool, note string) (chat.ToolCall, error)
}

// Approve is /approve, for channels without buttons: the call that has waited longest may run.
type Approve struct{ Questions Questions }

var _ slash.Runner = Approve{}

// Spec is what the command is called.
func (Approve) Spec() slash.Spec {
	return slash.Spec{Name: "approve", Usage: "[NOTE]", Help: i18n.HelpApprove, Group: slash.GroupConversation, Who: slash.Owner}
}

// Run lets the call run.
func (a Approve) Run(ctx context.Context, in slash.Request, note string) (string, error) {
	return decide(ctx, a.Questions, in, true, note)
}

func decide(ctx context.Context, questions Questions, in slash.Request, allow bool, note string) (string, error) {
	call, err := questions.AnswerOldest(ctx, in, allow, note)
	if errors.Is(err, store.ErrNothingAsked) {
		return i18n.Say(in.Lang, i18n.NothingAsked), nil
	}
	if err != nil {
		return "", err
	}
	return question.Decided(in.Lang, call, call.Approval != nil && call.Approval.State == chat.ApprovalAllowed), nil
}
