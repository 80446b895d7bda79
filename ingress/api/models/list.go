package settings

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/internal/chat"
)

// Model is a model that conversations can choose.
type Model struct {
	ID         string   `json:"id" doc:"provider/model" example:"openai/gpt-5"`
	Alias      []string `json:"alias" doc:"Other names of the command."`
	Default    bool     `json:"default" doc:"That of the server's settings, which answers where nobody chose."`
	MaxContext int      `json:"max_context" doc:"Tokens that it takes in all."`
	MaxOutput  int      `json:"max_output" doc:"Tokens that it may write."`
	Available  *bool    `json:"available,omitempty" doc:"Whether it can be called; missing where only the worker, which holds the keys, can tell."`
}

// ModelsBody lists models and how much they can be told to think.
type ModelsBody struct {
	Models []Model  `json:"models"`
	Think  []string `json:"think" doc:"The think levels, ascending."`
}

func (a *Endpoints) registerModels(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "list-models", Method: http.MethodGet, Path: "/api/models", Summary: "The models that conversations can choose", Security: endpoint.Secured,
	}, func(ctx context.Context, _ *struct{}) (*struct{ Body ModelsBody }, error) {
		out := ModelsBody{Models: []Model{}, Think: chat.ThinkLevels}
		listed, err := a.Models.Get(ctx)
		if err != nil {
			return nil, a.Problem(err)
		}
		for _, e := range listed.Entries {
			m := Model{ID: e.ID, Alias: append([]string{}, e.Alias...), Default: e.Default, MaxContext: e.MaxContext, MaxOutput: e.MaxOutput}
			if yes, known := a.Models.Available(e); known {
				m.Available = &yes
			}
			out.Models = append(out.Models, m)
		}
		return &struct{ Body ModelsBody }{out}, nil
	})
}
