package people

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/secret"
	"xbot/internal/user/users"
)

// InvitesBody lists invitations.
type InvitesBody struct {
	Invites []users.Invite `json:"invites"`
}

// NewInvite is an invitation with its link, shown once.
type NewInvite struct {
	users.Invite

	Link string `json:"link" doc:"URL at which people create their account. Shown only once."`
}

func (a *Endpoints) registerInvites(h huma.API) {
	huma.Register(h, huma.Operation{OperationID: "list-invites", Method: http.MethodGet, Path: "/api/invites", Summary: "List open invitations; for administrators", Security: endpoint.Secured},
		func(ctx context.Context, _ *struct{}) (*struct{ Body InvitesBody }, error) {
			if err := a.AdminOnly(ctx); err != nil {
				return nil, err
			}
			all, err := a.Users.Invites(ctx)
			return &struct{ Body InvitesBody }{InvitesBody{all}}, a.Problem(err)
		})
	huma.Register(h, huma.Operation{
		OperationID: "create-invite", Method: http.MethodPost, Path: "/api/invites", Summary: "Create an invitation link; for administrators",
		Description: "Anyone with the link can create an account with a name and a password of their own.", DefaultStatus: http.StatusCreated, Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct {
		Body struct {
			Note string `json:"note,omitempty" maxLength:"128" doc:"Note on the intended users."`
			Role string `json:"role,omitempty" enum:"admin,member" default:"member"`
			Uses int    `json:"uses,omitempty" minimum:"1" maximum:"1000" default:"1" doc:"Maximum number of uses."`
			Days int    `json:"days,omitempty" minimum:"1" maximum:"90" default:"7" doc:"Validity in days."`
		}
	}) (*struct{ Body NewInvite }, error) {
		if err := a.AdminOnly(ctx); err != nil {
			return nil, err
		}
		token, hash := secret.NewToken()
		me := auth.User(ctx).ID
		made, err := a.Users.AddInvite(ctx, users.Invite{
			Note: in.Body.Note, Role: in.Body.Role, Uses: in.Body.Uses, MadeBy: auth.User(ctx).Name, ExpiresAt: time.Now().AddDate(0, 0, in.Body.Days),
		}, &me, hash)
		if err == nil {
			a.note(ctx, "invitation made", "invitation", made.ID, "role", made.Role, "uses", made.Uses)
		}
		return &struct{ Body NewInvite }{NewInvite{made, auth.JoinPath + token}}, a.Problem(err)
	})
	huma.Register(h, huma.Operation{OperationID: "withdraw-invite", Method: http.MethodDelete, Path: "/api/invites/{id}", Summary: "Revoke an invitation; for administrators", DefaultStatus: http.StatusNoContent, Security: endpoint.Secured},
		func(ctx context.Context, in *struct {
			ID int64 `path:"id"`
		}) (*struct{}, error) {
			if err := a.AdminOnly(ctx); err != nil {
				return nil, err
			}
			return nil, a.Problem(a.Users.WithdrawInvite(ctx, in.ID))
		})
}
