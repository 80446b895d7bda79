package activities

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/command"
	"xbot/internal/fault"
	"xbot/internal/phrase"
)

// ObeyInput names the turn that has claimed a command which changes its session.
type ObeyInput struct {
	Session chat.SessionKey `json:"session"`
	Turn    chat.TurnID     `json:"turn"`
}

// OrderBook keeps the commands that turns have claimed. Each is carried out and answered in one transaction, once.
type OrderBook interface {
	Order(ctx context.Context, turn chat.TurnID) (chat.Order, error)
	Rewind(ctx context.Context, turn chat.TurnID, back int, to chat.MessageID) error
	AnswerOrder(ctx context.Context, turn chat.TurnID, text string) error
}

// Orders carries out commands that have waited for their place in the queue and need no model.
type Orders struct {
	Book OrderBook
}

// Obey carries out the command of a turn and answers the person. Done twice, it changes nothing the second time.
func (o *Orders) Obey(ctx context.Context, in ObeyInput) error {
	order, err := o.Book.Order(ctx, in.Turn)
	if fault.Is(err, fault.NotFound) {
		return nil // the session was deleted
	}
	if err == nil && !order.Answered {
		err = o.obey(ctx, order)
	}
	return failure(ctx, err)
}

func (o *Orders) obey(ctx context.Context, order chat.Order) error {
	lang := phrase.Of(order.Text)
	parsed, _ := command.Parse(order.Text) // only what parses is accepted as a command
	if parsed.Name != "rewind" {
		return o.Book.AnswerOrder(ctx, order.Turn, phrase.Say(lang, phrase.OrderUnknown, parsed.Name))
	}
	back, to, ok := command.Back(parsed.Args)
	if !ok {
		return o.Book.AnswerOrder(ctx, order.Turn, phrase.Say(lang, phrase.RewindUsage))
	}
	if to == 0 {
		back = max(back, 1)
	}
	return o.Book.Rewind(ctx, order.Turn, back, chat.MessageID(to))
}
