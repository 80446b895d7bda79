package account

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/store"
)

// LinkBody is a code by which a person shows on another channel who they are.
type LinkBody struct {
	Code    string `json:"code" doc:"It works once, within ten minutes; only its hash is stored. The account that sends /link and the code becomes yours."`
	Seconds int    `json:"expires_in" doc:"Seconds."`
}

// IdentitiesBody lists what a user is known as.
type IdentitiesBody struct {
	Identities []store.Identity `json:"identities"`
}

func (a *Endpoints) registerLinks(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "create-link-code", Method: http.MethodPost, Path: "/api/link", Summary: "Create a code that links another channel to my account",
		DefaultStatus: http.StatusCreated, Security: endpoint.Secured,
	}, func(ctx context.Context, _ *struct{}) (*struct{ Body LinkBody }, error) {
		code, err := a.Gateway.NewLink(ctx, auth.User(ctx).ID, "")
		return &struct{ Body LinkBody }{LinkBody{Code: code, Seconds: int(store.LinkLife.Seconds())}}, a.Problem(err)
	})
	huma.Register(h, huma.Operation{OperationID: "list-identities", Method: http.MethodGet, Path: "/api/me/identities", Summary: "My identities on other channels", Security: endpoint.Secured},
		func(ctx context.Context, _ *struct{}) (*struct{ Body IdentitiesBody }, error) {
			all, err := a.Store.Identities(ctx, auth.User(ctx).ID)
			return &struct{ Body IdentitiesBody }{IdentitiesBody{all}}, a.Problem(err)
		})
}
