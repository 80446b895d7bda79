package settings

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/user/links"
)

func (a *Endpoints) registerIdentityLinks(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "list-identity-links", Method: http.MethodGet, Path: "/api/policy/links", Summary: "List the names of identityLinks that have an account",
		Description: "Includes names that the policy no longer lists: their accounts keep the name. For administrators.", Security: endpoint.Secured,
	}, func(ctx context.Context, _ *struct{}) (*struct {
		Body struct {
			Links []links.IdentityLink `json:"links"`
		}
	}, error) {
		if err := a.AdminOnly(ctx); err != nil {
			return nil, err
		}
		out := &struct {
			Body struct {
				Links []links.IdentityLink `json:"links"`
			}
		}{}
		var err error
		out.Body.Links, err = a.Links.IdentityLinks(ctx)
		return out, a.Problem(err)
	})
	huma.Register(h, huma.Operation{
		OperationID: "remove-identity-link", Method: http.MethodDelete, Path: "/api/policy/links", Summary: "Unassign an account from a name of identityLinks",
		Description: "The account keeps its conversations. IDs that the policy lists under the name start another account with their next message. For administrators.",
		Security:    endpoint.Secured, DefaultStatus: http.StatusNoContent,
	}, func(ctx context.Context, in *struct {
		Name string `query:"name" required:"true" maxLength:"200"`
	}) (*struct{}, error) {
		if err := a.AdminOnly(ctx); err != nil {
			return nil, err
		}
		if err := a.Links.RemoveIdentityLink(ctx, in.Name); err != nil {
			return nil, a.Problem(err)
		}
		a.Log.Info("identity link removed", "name", in.Name, "user", auth.User(ctx).Name)
		return nil, nil
	})
}
