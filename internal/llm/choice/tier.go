package choice

import (
	"cmp"
	"context"
	"slices"

	"xbot/internal/chat"
	"xbot/internal/extension/role"
	"xbot/internal/llm"
	"xbot/internal/turn/policy"
)

// TierStore returns the models that users chose for tiers.
type TierStore interface {
	TierModels(ctx context.Context, user chat.UserID) (map[string]string, error)
}

// Tier returns the model of a tier: the one that the user chose for it, else the policy's, else that of the next tier; empty: none.
func Tier(ctx context.Context, store TierStore, user chat.UserID, rules *policy.Policy, name string) (string, error) {
	chosen, err := store.TierModels(ctx, user)
	if err != nil {
		return "", err
	}
	tiers := role.Tiers()
	for _, next := range tiers[max(0, slices.Index(tiers, name)):] {
		if model := cmp.Or(chosen[next], rules.Tier(next)); model != "" {
			return model, nil
		}
	}
	return "", nil
}

// Swift finds the fastest model of the user of a session, else the one that answers there.
type Swift struct {
	*Choice
	Tiers TierStore
}

// For returns the client for small tasks in a session. Errors are those of the database.
func (s Swift) For(ctx context.Context, key chat.SessionKey) (llm.Client, error) {
	w, err := Wanted(ctx, s.Store, key)
	if err != nil {
		return nil, err
	}
	rules, err := s.Models.Policies.Get(ctx)
	if err != nil {
		return nil, err
	}
	id, err := Tier(ctx, s.Tiers, w.User, rules, role.Swift)
	if err != nil {
		return nil, err
	}
	models, err := s.Models.At(ctx, w.User, w.Subscriptions)
	if err != nil {
		return nil, err
	}
	if e, ok := models.Find(id); ok {
		return s.Models.Client(e), nil
	}
	return s.Choice.For(ctx, key)
}
