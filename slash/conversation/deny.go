package conversation

import (
	"context"

	"xbot/internal/i18n"
	"xbot/internal/turn/slashcommand"
)

// Deny is /deny, for channels without buttons: the call that has waited longest may not run, or none that wait.
type Deny struct{ Questions Questions }

var _ slashcommand.Runner = Deny{}

// Spec describes the command.
func (Deny) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "deny", Usage: "[NOTE | all | turn]", Help: i18n.HelpDeny, Group: slashcommand.GroupConversation, Who: slashcommand.Owner, Explained: true}
}

// Run denies the call.
func (d Deny) Run(ctx context.Context, in slashcommand.Request, note string) (string, error) {
	return decide(ctx, d.Questions, in, false, note)
}
