package activities

import (
	"context"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/i18n"
)

// ModelDesk tells which models there are.
type ModelDesk interface {
	// Resolve returns the id of the model that a word means; an error of kind Invalid says what it may mean.
	Resolve(ctx context.Context, word string) (id string, err error)
	List(ctx context.Context, key chat.SessionKey, lang i18n.Lang) (string, error)
	Status(ctx context.Context, key chat.SessionKey, lang i18n.Lang) (string, error)
}

// ModelBook keeps which model a conversation has chosen.
type ModelBook interface {
	ChooseModel(ctx context.Context, turn chat.TurnID, model, say string) error
	AnswerOrder(ctx context.Context, turn chat.TurnID, text string) error
}

// ModelOrder is /model: the model of this conversation from the next turn on.
func ModelOrder(book ModelBook, desk ModelDesk) Order {
	return Order{Names: []string{"model"}, Obey: func(ctx context.Context, o chat.Order, args string) error {
		lang := i18n.Lang(o.Lang)
		var said string
		var err error
		switch word := strings.ToLower(args); word {
		case "", "status":
			said, err = desk.Status(ctx, o.Session, lang)
		case "list":
			said, err = desk.List(ctx, o.Session, lang)
		case "default":
			return book.ChooseModel(ctx, o.Turn, "", i18n.Say(lang, i18n.ModelDefault))
		default:
			return chooseModel(ctx, book, desk, o, args)
		}
		if err != nil {
			return err
		}
		return book.AnswerOrder(ctx, o.Turn, said)
	}}
}

func chooseModel(ctx context.Context, book ModelBook, desk ModelDesk, o chat.Order, word string) error {
	id, err := desk.Resolve(ctx, word)
	if err != nil {
		return err
	}
	return book.ChooseModel(ctx, o.Turn, id, i18n.Say(i18n.Lang(o.Lang), i18n.ModelChosen, id))
}
