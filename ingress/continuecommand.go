package ingress

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/command"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/store"
)

// continueText is what the model reads when a person asks it to go on.
const continueText = "Continue where you stopped."

// Continuable knows whether a turn of a conversation ended early.
type Continuable interface {
	AcceptedBefore(ctx context.Context, in store.Inbound) (known store.Accepted, found bool, err error)
	Unfinished(ctx context.Context, key chat.SessionKey) (bool, error)
}

// ContinueCommand returns /continue: where the newest turn was stopped, failed or was lost, a message takes the place of the
// command that asks the model to go on. Otherwise the answer says that there is nothing to go on with.
func ContinueCommand(book Continuable) Command {
	return Command{
		Name: "continue", Help: i18n.HelpContinue, Group: GroupConversation,
		Instead: func(ctx context.Context, in Inbound) (Inbound, bool, error) {
			in.Text, in.Options.Continue, in.Expired = continueText, true, nil
			_, found, err := book.AcceptedBefore(ctx, in.Inbound)
			switch {
			case fault.Is(err, fault.Conflict): // it was answered before: nothing had stopped then
				return in, false, nil
			case found || err != nil:
				return in, found, err
			}
			unfinished, err := book.Unfinished(ctx, in.Session)
			return in, unfinished, err
		},
		Run: func(_ context.Context, in Inbound, _ string) (string, error) {
			return i18n.Say(in.Lang, i18n.ContinueNone), nil
		},
	}
}

// instead returns the message that takes the place of the command that a text is; ok is false where it is none such.
func (c *Commands) instead(ctx context.Context, in Inbound) (as Inbound, ok bool, err error) {
	parsed, slashed := command.Parse(in.Text)
	known, found := c.named(parsed.Name)
	if !slashed || !found || known.Instead == nil || parsed.Args != "" {
		return in, false, nil
	}
	return known.Instead(ctx, in)
}
