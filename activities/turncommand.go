package activities

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/service"
	"xbot/internal/turn/command"
	"xbot/internal/turn/slashcommand"
)

// TurnCommandInput names the turn that has claimed a command.
type TurnCommandInput struct {
	Session chat.SessionKey `json:"session"`
	Turn    chat.TurnID     `json:"turn"`
}

// TurnCommandStore keeps the commands that turns have claimed. Each is carried out and answered in one transaction, once.
type TurnCommandStore interface {
	TurnCommand(ctx context.Context, turn chat.TurnID) (chat.TurnCommand, error)
	AnswerTurnCommand(ctx context.Context, turn chat.TurnID, text string) error
}

// TurnCommands carries out slash commands that have waited for their place in the queue.
type TurnCommands struct {
	Store    TurnCommandStore
	Registry *slashcommand.Registry
}

// Run carries out the command of a turn and answers the user. Done twice, it changes nothing the second time.
func (c *TurnCommands) Run(ctx context.Context, in TurnCommandInput) error {
	order, err := c.Store.TurnCommand(ctx, in.Turn)
	if fault.Is(err, fault.NotFound) {
		return nil // the session was deleted
	}
	if err == nil && !order.Answered {
		err = c.run(ctx, order)
	}
	return Failure(ctx, err)
}

func (c *TurnCommands) run(ctx context.Context, order chat.TurnCommand) error {
	parsed, _ := command.Parse(order.Text) // only what parses is accepted as a command
	lang := i18n.Lang(order.Lang)
	known, _ := c.Registry.Find(parsed.Name)
	runner, ok := known.(slashcommand.TurnRunner)
	if !ok || service.Serves(order.Session) { // a consumer's message is never a command
		return c.Store.AnswerTurnCommand(ctx, order.Turn, i18n.Say(lang, i18n.OrderUnknown, parsed.Name))
	}
	err := runner.RunInTurn(ctx, order, parsed.Args)
	switch fault.KindOf(err) {
	case "", fault.Unavailable, fault.Internal:
		return err
	}
	return c.Store.AnswerTurnCommand(ctx, order.Turn, i18n.Explain(lang, err))
}
