package account

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/ingress/usagereport"
)

func (a *Endpoints) registerUsage(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "get-usage", Method: http.MethodGet, Path: "/api/usage", Summary: "Get my usage, by day, session and model",
		Description: "Tokens are those that the providers counted. Costs are given only for the model whose prices are set (LLM_PRICE_INPUT, LLM_PRICE_CACHED, LLM_PRICE_OUTPUT).",
		Security:    endpoint.Secured,
	}, func(ctx context.Context, in *struct {
		Days int `query:"days" minimum:"1" maximum:"366" default:"30" doc:"How many days, today (UTC) included."`
	}) (*struct{ Body usagereport.UsageReport }, error) {
		got, err := a.Usage.Of(ctx, auth.User(ctx).ID, in.Days)
		return &struct{ Body usagereport.UsageReport }{got}, a.Problem(err)
	})
}
