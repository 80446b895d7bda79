package conversation

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/turn/slashcommand"
)

// Interrupted reports whether the newest turn of a conversation was stopped, failed or was lost.
type Interrupted interface {
	Unfinished(ctx context.Context, key chat.SessionKey) (bool, error)
}

// Continue is /continue: where the newest turn was stopped, failed or was lost, a message takes the place of the command that
// asks the model to continue. Otherwise the answer is that there is nothing to continue with.
type Continue struct{ Sessions Interrupted }

var (
	_ slashcommand.Runner  = Continue{}
	_ slashcommand.Resumer = Continue{}
)

// Spec describes the command.
func (Continue) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "continue", Help: i18n.HelpContinue, Group: slashcommand.GroupConversation}
}

// Message returns the text for the model when a user asks it to continue.
func (Continue) Message() string { return "Continue where you stopped." }

// Resume looks whether there is something to continue with.
func (c Continue) Resume(ctx context.Context, key chat.SessionKey) (bool, error) {
	return c.Sessions.Unfinished(ctx, key)
}

// Run answers that there is nothing to continue with.
func (Continue) Run(_ context.Context, in slashcommand.Request, _ string) (string, error) {
	return i18n.Say(in.Lang, i18n.ContinueNone), nil
}
