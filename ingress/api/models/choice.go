package models

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/extension/role"
	"xbot/internal/fault"
	"xbot/internal/user/settings"
)

// Choice is the models that a user chose for all their conversations.
type Choice struct {
	Usual string            `json:"usual" doc:"Your default model, if neither a conversation nor a runner sets one."`
	Model string            `json:"model" doc:"Your choice; empty: the installation's."`
	Tiers map[string]string `json:"tiers" doc:"The models of the tiers vanguard, balance and swift, which subagents use; empty: the installation's."`
}

// ChoiceChange is a change of a user's choice; omitted fields stay.
type ChoiceChange struct {
	Model    *string `json:"model,omitempty" maxLength:"200" doc:"Empty: the installation's."`
	Vanguard *string `json:"vanguard,omitempty" maxLength:"200"`
	Balance  *string `json:"balance,omitempty" maxLength:"200"`
	Swift    *string `json:"swift,omitempty" maxLength:"200"`
}

func (a *Endpoints) registerChoice(h huma.API) {
	huma.Register(h, huma.Operation{OperationID: "get-model-choice", Method: http.MethodGet, Path: "/api/models/choice", Summary: "Get the models chosen for all your conversations", Security: endpoint.Secured},
		func(ctx context.Context, _ *struct{}) (*struct{ Body Choice }, error) {
			out, err := a.choice(ctx)
			return &struct{ Body Choice }{out}, a.Problem(err)
		})
	huma.Register(h, huma.Operation{
		OperationID: "set-model-choice", Method: http.MethodPatch, Path: "/api/models/choice", Summary: "Set the models of all your conversations",
		Description: "Takes effect with the next step. 400: the model does not exist.", Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct{ Body ChoiceChange }) (*struct{ Body Choice }, error) {
		if err := a.choose(ctx, in.Body); err != nil {
			return nil, a.Problem(err)
		}
		out, err := a.choice(ctx)
		return &struct{ Body Choice }{out}, a.Problem(err)
	})
}

func (a *Endpoints) choice(ctx context.Context) (out Choice, err error) {
	user := auth.User(ctx).ID
	if out.Usual, err = a.Usual.Of(ctx, user); err != nil {
		return out, err
	}
	if out.Model, err = a.Settings.UsualModel(ctx, user); err != nil {
		return out, err
	}
	chosen, err := a.Settings.TierModels(ctx, user)
	out.Tiers = map[string]string{}
	for _, tier := range role.Tiers() {
		out.Tiers[tier] = chosen[tier]
	}
	return out, err
}

// choose keeps a choice. All of it is checked before anything changes.
func (a *Endpoints) choose(ctx context.Context, in ChoiceChange) error {
	user := auth.User(ctx).ID
	known, err := a.Models.Get(ctx, user)
	if err != nil {
		return err
	}
	said := map[string]*string{"": in.Model, role.Vanguard: in.Vanguard, role.Balance: in.Balance, role.Swift: in.Swift}
	for _, word := range said {
		if word == nil || *word == "" {
			continue
		}
		id, ok := known.Resolve(*word)
		if !ok {
			return fault.Errorf(fault.Invalid, "there is no model %.100q, or there are several: /models lists them", *word)
		}
		*word = id
	}
	for tier, id := range said {
		switch {
		case id == nil:
		case tier == "":
			err = a.Settings.SetUserSetting(ctx, user, settings.Model, *id)
		default:
			err = a.Settings.SetTierModel(ctx, user, tier, *id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
