package choice

import (
	"cmp"
	"context"

	"xbot/internal/chat"
	"xbot/internal/llm/catalogue"
)

// Settings returns what users chose.
type Settings interface {
	// UsualModel returns the model that a user chose for all their conversations; empty: none.
	UsualModel(ctx context.Context, user chat.UserID) (string, error)
}

// Usual finds the model that answers a user if neither a conversation nor a runner selects one.
type Usual struct {
	Models   *catalogue.Live
	Settings Settings
}

// Of returns its id, provider/model. One that was chosen and no longer exists is named as it was written; user 0: an unknown user.
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
