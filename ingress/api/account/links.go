package account

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/user/links"
)

// LinkBody is a code with which a user proves their identity on another channel.
type LinkBody struct {
	Code    string `json:"code" doc:"One-time code, valid for ten minutes; only its hash is stored. The account that sends /link with the code is linked to yours."`
	Seconds int    `json:"expires_in" doc:"Seconds."`
}

// IdentitiesBody lists the identities of a user.
type IdentitiesBody struct {
	Identities []links.Identity `json:"identities"`
}

// UnlinkedBody is the result of unlinking an identity.
type UnlinkedBody struct {
	Account string `json:"account" doc:"New account of the identity; empty: none until it is used again."`
	Moved   int    `json:"moved" doc:"Conversations that moved with it."`
}

func (a *Endpoints) registerLinks(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "create-link-code", Method: http.MethodPost, Path: "/api/link", Summary: "Create a code that links another channel identity to my account",
		DefaultStatus: http.StatusCreated, Security: endpoint.Secured,
	}, func(ctx context.Context, _ *struct{}) (*struct{ Body LinkBody }, error) {
		code, err := a.Gateway.NewLink(ctx, auth.User(ctx).ID, "")
		return &struct{ Body LinkBody }{LinkBody{Code: code, Seconds: int(links.LinkLife.Seconds())}}, a.Problem(err)
	})
	huma.Register(h, huma.Operation{OperationID: "list-identities", Method: http.MethodGet, Path: "/api/me/identities", Summary: "List my identities on other channels", Security: endpoint.Secured},
		func(ctx context.Context, _ *struct{}) (*struct{ Body IdentitiesBody }, error) {
			all, err := a.Links.Identities(ctx, auth.User(ctx).ID)
			return &struct{ Body IdentitiesBody }{IdentitiesBody{all}}, a.Problem(err)
		})
	huma.Register(h, huma.Operation{
		OperationID: "unlink-identity", Method: http.MethodDelete, Path: "/api/me/identities", Summary: "Unlink one of my identities from my account",
		Description: "The identity becomes an account of its own with its direct conversations; memory and files stay with my account. 400: it is the only identity of the account, or a setting assigns it. 404: it is not one of my identities.",
		Security:    endpoint.Secured,
	}, func(ctx context.Context, in *struct {
		Channel string `query:"channel" required:"true" maxLength:"64"`
		Account string `query:"account" maxLength:"500"`
		Peer    string `query:"peer" required:"true" maxLength:"500"`
	}) (*struct{ Body UnlinkedBody }, error) {
		got, err := a.Links.Unlink(ctx, links.Link{User: auth.User(ctx).ID, Channel: in.Channel, Account: in.Account, Peer: in.Peer})
		return &struct{ Body UnlinkedBody }{UnlinkedBody{Account: got.Account, Moved: got.Moved}}, a.Problem(err)
	})
}
