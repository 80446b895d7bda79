package activities

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/command"
	"xbot/internal/fault"
	"xbot/internal/i18n"
)

// Rewinder takes messages out of conversations.
type Rewinder interface {
	Rewind(ctx context.Context, turn chat.TurnID, back int, to chat.MessageID) error
}

// RewindOrder is /rewind.
func RewindOrder(book Rewinder) Order {
	return Order{Names: []string{"rewind"}, Obey: func(ctx context.Context, o chat.Order, args string) error {
		back, to, ok := command.Back(args)
		if !ok {
			return i18n.Fault(fault.Invalid, i18n.RewindUsage)
		}
		if to == 0 {
			back = max(back, 1)
		}
		return book.Rewind(ctx, o.Turn, back, chat.MessageID(to))
	}}
}
