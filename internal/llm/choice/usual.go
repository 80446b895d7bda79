package choice

import (
	"cmp"
	"context"

	"xbot/internal/chat"
	"xbot/internal/llm/catalogue"
)

// Settings know what people chose.
type Settings interface {
	// UsualModel returns the model that a person chose for all their conversations; empty: none.
	UsualModel(ctx context.Context, user chat.UserID) (string, error)
}

// Usual tells which model answers a person where neither a conversation nor a runner says otherwise.
type Usual struct {
	Models   *catalogue.Live
	Settings Settings
}

// Of returns its id, provider/model. One that was chosen and is not there any more is named as it was written; 0: somebody of whom nothing is known.
func (u Usual) Of(ctx context.Context, user chat.UserID) (string, error) {
	p, err := u.Models.Policies.Get(ctx)
	if err != nil {
		return "", err
	}
	chosen := ""
	if user != 0 {
		if chosen, err = u.Settings.UsualModel(ctx, user); err != nil {
			return "", err
		}
	}
	models, err := u.Models.Get(ctx, user)
	if err != nil {
		return "", err
	}
	named := cmp.Or(chosen, p.DefaultModel)
	if e, ok := models.Find(named); ok {
		return e.ID, nil
	}
	return cmp.Or(named, models.Usual().ID), nil
}
