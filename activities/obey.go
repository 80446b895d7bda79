package activities

import (
	"context"
	"slices"

	"xbot/internal/chat"
	"xbot/internal/command"
	"xbot/internal/fault"
	"xbot/internal/i18n"
)

// ObeyInput names the turn that has claimed a command which changes its session.
type ObeyInput struct {
	Session chat.SessionKey `json:"session"`
	Turn    chat.TurnID     `json:"turn"`
}

// OrderBook keeps the commands that turns have claimed. Each is carried out and answered in one transaction, once.
type OrderBook interface {
	Order(ctx context.Context, turn chat.TurnID) (chat.Order, error)
	AnswerOrder(ctx context.Context, turn chat.TurnID, text string) error
}

// Order is a command that waits for its place in the queue.
type Order struct {
	Names []string // lower case, without the slash; aliases too
	// Obey carries the command of the turn o.Turn out and answers it in the language i18n.Lang(o.Lang). What it changes
	// and the answer are committed together, once: done twice, it changes nothing the second time. An error that the
	// person can do something about (all kinds but unavailable and internal) becomes the answer; another one is tried again.
	Obey func(ctx context.Context, o chat.Order, args string) error
}

// Orders carries out commands that have waited for their place in the queue and need no model. Each has a file of its own,
// obey_<name>.go, with the port that it needs.
type Orders struct {
	Book  OrderBook
	Known []Order
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
	return Failure(ctx, err)
}

func (o *Orders) obey(ctx context.Context, order chat.Order) error {
	parsed, _ := command.Parse(order.Text) // only what parses is accepted as a command
	i := slices.IndexFunc(o.Known, func(known Order) bool { return slices.Contains(known.Names, parsed.Name) })
	if i < 0 {
		return o.Book.AnswerOrder(ctx, order.Turn, i18n.Say(i18n.Lang(order.Lang), i18n.OrderUnknown, parsed.Name))
	}
	err := o.Known[i].Obey(ctx, order, parsed.Args)
	switch fault.KindOf(err) {
	case "", fault.Unavailable, fault.Internal:
		return err
	}
	return o.Book.AnswerOrder(ctx, order.Turn, i18n.Explain(i18n.Lang(order.Lang), err))
}
