package people

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/user/users"
)

// UsersBody lists users.
type UsersBody struct {
	Users []users.Account `json:"users"`
}

// NewUser is a user who was just added, with the link by which they sign in.
type NewUser struct {
	ID   chat.UserID `json:"id"`
	Name string      `json:"name"`
	Role string      `json:"role" enum:"admin,member"`
	Link string      `json:"link" doc:"URL that signs the user in once, within 24 hours; they choose a password there."`
}

// SignInLink is an address that signs a user in.
type SignInLink struct {
	Link   string `json:"link" doc:"URL that works once, within 24 hours."`
	Tokens int    `json:"tokens" doc:"Number of the user's valid access tokens."`
}

// PersonID is the path parameter of a user.
type PersonID struct {
	ID chat.UserID `path:"id" doc:"Of the person."`
}

func (a *Endpoints) registerAccounts(h huma.API) {
	huma.Register(h, huma.Operation{OperationID: "list-users", Method: http.MethodGet, Path: "/api/users", Summary: "List the users of this installation; for administrators", Security: endpoint.Secured},
		func(ctx context.Context, _ *struct{}) (*struct{ Body UsersBody }, error) {
			if err := a.AdminOnly(ctx); err != nil {
				return nil, err
			}
			all, err := a.Users.Accounts(ctx)
			return &struct{ Body UsersBody }{UsersBody{all}}, a.Problem(err)
		})
	huma.Register(h, huma.Operation{
		OperationID: "create-user", Method: http.MethodPost, Path: "/api/users", Summary: "Create a user; for administrators", DefaultStatus: http.StatusCreated, Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct {
		Body struct {
			Name string `json:"name" minLength:"2" maxLength:"64" doc:"Unique sign-in name."`
			Role string `json:"role,omitempty" enum:"admin,member" default:"member"`
		}
	}) (*struct{ Body NewUser }, error) {
		if err := a.AdminOnly(ctx); err != nil {
			return nil, err
		}
		user, err := a.Users.CreateUser(ctx, in.Body.Name, in.Body.Role)
		if err != nil {
			return nil, a.Problem(err)
		}
		a.note(ctx, "person added", "user", user.Name, "role", in.Body.Role)
		link, err := a.Auth.NewLink(ctx, user.ID, "")
		return &struct{ Body NewUser }{NewUser{ID: user.ID, Name: user.Name, Role: in.Body.Role, Link: link}}, a.Problem(err)
	})
	huma.Register(h, huma.Operation{
		OperationID: "change-user", Method: http.MethodPatch, Path: "/api/users/{id}", Summary: "Change the role of a user, or disable them; for administrators",
		Description:   "Disabling a user signs them out everywhere, permanently revokes their tokens and runners, and stops everything that runs for them, including background tasks. The last administrator cannot be demoted.",
		DefaultStatus: http.StatusNoContent, Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct {
		PersonID

		Body struct {
			Role     string `json:"role,omitempty" enum:"admin,member"`
			Disabled *bool  `json:"disabled,omitempty"`
		}
	}) (*struct{}, error) {
		if err := a.AdminOnly(ctx); err != nil {
			return nil, err
		}
		return nil, a.Problem(a.change(ctx, in.ID, in.Body.Role, in.Body.Disabled))
	})
	a.registerSignInLinks(h)
}

func (a *Endpoints) registerSignInLinks(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "create-sign-in-link", Method: http.MethodPost, Path: "/api/users/{id}/sign-in-link", Summary: "Create a sign-in link; for administrators",
		DefaultStatus: http.StatusCreated, Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct {
		PersonID

		Body struct {
			ForgetPassword bool `json:"forget_password,omitempty" doc:"Remove their password, sign out their browsers and end unused sign-in links; the new link lets the user choose a password."`
			RevokeTokens   bool `json:"revoke_tokens,omitempty" doc:"With forget_password: also revoke their access tokens."`
		}
	}) (*struct{ Body SignInLink }, error) {
		if err := a.AdminOnly(ctx); err != nil {
			return nil, err
		}
		made, err := a.signInLink(ctx, in.ID, in.Body.ForgetPassword, in.Body.RevokeTokens)
		return &struct{ Body SignInLink }{made}, a.Problem(err)
	})
}

func (a *Endpoints) registerDeletion(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "delete-user", Method: http.MethodDelete, Path: "/api/users/{id}", Summary: "Delete a user and their data; for administrators",
		Description:   "Disables the user immediately, then deletes their conversations, memory, schedules, triggers, files and keys, and Temporal's records of their runs. The list of users shows the progress. The deletion survives restarts of the server and cannot be undone. The last administrator cannot be deleted.",
		DefaultStatus: http.StatusAccepted, Security: endpoint.Secured,
	}, func(ctx context.Context, in *PersonID) (*struct{}, error) {
		if err := a.AdminOnly(ctx); err != nil {
			return nil, err
		}
		me := auth.User(ctx).ID
		if in.ID == me {
			return nil, a.Problem(fault.Errorf(fault.Conflict, "nobody deletes themselves; another administrator can"))
		}
		if err := a.Users.Delete(ctx, in.ID, &me); err != nil {
			return nil, a.Problem(err)
		}
		a.note(ctx, "person is being deleted", "id", in.ID)
		return nil, nil
	})
}

func (a *Endpoints) change(ctx context.Context, id chat.UserID, role string, disabled *bool) error {
	me := auth.User(ctx).ID
	if id == me && disabled != nil && *disabled {
		return fault.Errorf(fault.Conflict, "nobody disables themselves; another administrator can")
	}
	if role != "" {
		if err := a.Users.SetRole(ctx, id, role); err != nil {
			return err
		}
		a.note(ctx, "role of a person set", "id", id, "role", role)
	}
	switch {
	case disabled == nil:
		return nil
	case *disabled:
		if err := a.Users.Disable(ctx, id, &me); err != nil {
			return err
		}
		a.note(ctx, "person disabled", "id", id)
		return nil
	}
	if err := a.Users.Enable(ctx, id); err != nil {
		return err
	}
	a.note(ctx, "person enabled", "id", id)
	return nil
}

func (a *Endpoints) signInLink(ctx context.Context, id chat.UserID, forget, revokeTokens bool) (made SignInLink, err error) {
	if err := a.Users.MayEnter(ctx, id); err != nil {
		return made, err
	}
	if revokeTokens && !forget {
		return made, fault.Errorf(fault.Invalid, "revoke_tokens goes with forget_password")
	}
	if forget {
		if err := a.Users.SetPassword(ctx, id, "", users.PasswordEffect{RevokeTokens: revokeTokens}); err != nil {
			return made, err
		}
	}
	tokens, err := a.Users.Tokens(ctx, id)
	if err != nil {
		return made, err
	}
	a.note(ctx, "sign-in link made", "id", id, "password_forgotten", forget, "tokens_revoked", revokeTokens)
	made.Tokens = len(tokens)
	made.Link, err = a.Auth.NewLink(ctx, id, "")
	return made, err
}
