package models

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/chat"
)

// Model is a model that conversations can choose.
type Model struct {
	ID           string      `json:"id" doc:"provider/model" example:"openai/gpt-5"`
	Alias        []string    `json:"alias" doc:"Other names of the command."`
	Default      bool        `json:"default" doc:"That of the server's settings."`
	Subscription string      `json:"subscription,omitempty" doc:"Name of the subscription that it belongs to; missing: it is of the settings or the policy."`
	Own          bool        `json:"own" doc:"It is of a subscription of your own."`
	MaxContext   int         `json:"max_context" doc:"Tokens that it takes in all."`
	MaxOutput    int         `json:"max_output" doc:"Tokens that it may write."`
	Vision       bool        `json:"vision" doc:"It reads pictures."`
	Price        *chat.Price `json:"price,omitempty" doc:"Missing: not known."`
	Available    *bool       `json:"available,omitempty" doc:"Whether it can be called; absent if only the worker, which holds the keys, can tell."`
}

// Catalogue lists models and think levels.
type Catalogue struct {
	Models []Model  `json:"models"`
	Think  []string `json:"think" doc:"The think levels, ascending."`
}

func (a *Endpoints) registerList(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "list-models", Method: http.MethodGet, Path: "/api/models", Summary: "List the models that you can choose", Security: endpoint.Secured,
	}, func(ctx context.Context, _ *struct{}) (*struct{ Body Catalogue }, error) {
		out := Catalogue{Models: []Model{}, Think: chat.ThinkLevels}
		listed, err := a.Models.Get(ctx, auth.User(ctx).ID)
		if err != nil {
			return nil, a.Problem(err)
		}
		for _, e := range listed.Entries {
			m := Model{
				ID: e.ID, Alias: append([]string{}, e.Alias...), Default: e.Default, Subscription: e.Subscription, Own: e.Own(),
				MaxContext: e.MaxContext, MaxOutput: e.MaxOutput, Vision: e.Sees, Price: e.Price,
			}
			if yes, known := a.Models.Available(e); known {
				m.Available = &yes
			}
			out.Models = append(out.Models, m)
		}
		return &struct{ Body Catalogue }{out}, nil
	})
}
