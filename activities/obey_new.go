package activities

import (
	"context"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/i18n"
)

// Resetter begins conversations anew.
type Resetter interface {
	ResetSession(ctx context.Context, turn chat.TurnID, reason, model, say string) error
}

// NewOrder is /new, /reset and /clear: the conversation begins anew, with the model that the command names, if it names
// one. The answer to a bare command greets the person and names the model; none is called for it.
func NewOrder(book Resetter, models Models) Order {
	return Order{Names: []string{"new", "reset", "clear"}, Obey: func(ctx context.Context, o chat.Order, args string) error {
		model, _, _ := strings.Cut(args, " ")
		answers := model
		if answers == "" {
			client, err := models.For(ctx, o.Session)
			if err != nil {
				return err
			}
			answers = client.Model()
		}
		return book.ResetSession(ctx, o.Turn, chat.ResetNew, model, i18n.Say(i18n.Lang(o.Lang), i18n.ResetGreet, answers))
	}}
}
