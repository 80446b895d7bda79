package account

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/user/users"
)

// PairingsBody lists pending pairings.
type PairingsBody struct {
	Pairings []users.Pairing `json:"pairings"`
}

// GrantsBody lists approved pairings.
type GrantsBody struct {
	Grants []users.Grant `json:"grants"`
}

func (a *Endpoints) registerPairings(h huma.API) {
	huma.Register(h, huma.Operation{OperationID: "list-pairings", Method: http.MethodGet, Path: "/api/pairings", Summary: "List pending pairings; for administrators", Security: endpoint.Secured},
		func(ctx context.Context, _ *struct{}) (*struct{ Body PairingsBody }, error) {
			if err := a.AdminOnly(ctx); err != nil {
				return nil, err
			}
			all, err := a.Users.Pairings(ctx)
			return &struct{ Body PairingsBody }{PairingsBody{all}}, a.Problem(err)
		})
	huma.Register(h, huma.Operation{
		OperationID: "end-pairing", Method: http.MethodPost, Path: "/api/pairings/{code}", Summary: "Approve or reject a user by their pairing code; for administrators",
		Description: "An approval covers direct messages, not groups. The user is notified with their next message.", Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct {
		Code string `path:"code" maxLength:"64" doc:"8 characters, in upper or lower case."`
		Body struct {
			Approve bool `json:"approve"`
		}
	}) (*struct{ Body users.Pairing }, error) {
		if err := a.AdminOnly(ctx); err != nil {
			return nil, err
		}
		p, err := a.Users.EndPairing(ctx, in.Code, in.Body.Approve, auth.User(ctx).ID)
		return &struct{ Body users.Pairing }{p}, a.Problem(err)
	})
	huma.Register(h, huma.Operation{OperationID: "list-grants", Method: http.MethodGet, Path: "/api/access-grants", Summary: "List users approved in addition to the allow lists; for administrators", Security: endpoint.Secured},
		func(ctx context.Context, _ *struct{}) (*struct{ Body GrantsBody }, error) {
			if err := a.AdminOnly(ctx); err != nil {
				return nil, err
			}
			all, err := a.Users.Grants(ctx)
			return &struct{ Body GrantsBody }{GrantsBody{all}}, a.Problem(err)
		})
	huma.Register(h, huma.Operation{
		OperationID: "delete-grant", Method: http.MethodDelete, Path: "/api/access-grants", Summary: "Revoke a user's access; for administrators",
		DefaultStatus: http.StatusNoContent, Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct {
		Channel string `query:"channel" required:"true"`
		Account string `query:"account"`
		Peer    string `query:"peer" required:"true" doc:"Their id on the channel."`
	}) (*struct{}, error) {
		if err := a.AdminOnly(ctx); err != nil {
			return nil, err
		}
		return nil, a.Problem(a.Users.DeleteGrant(ctx, in.Channel, in.Account, in.Peer))
	})
}
