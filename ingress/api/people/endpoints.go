// Package people has the endpoints of administrators for the users of the installation: accounts and invitations.
package people

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/user/users"
)

// Endpoints has the endpoints of this package and their dependencies.
type Endpoints struct {
	*endpoint.Base

	Users *users.Store
}

// Register has the endpoints that need a user.
func (a *Endpoints) Register(h huma.API) {
	a.registerAccounts(h)
	a.registerDeletion(h)
	a.registerInvites(h)
}

// note logs an action of an administrator on users.
func (a *Endpoints) note(ctx context.Context, what string, about ...any) {
	a.Log.Info(what, append(about, "by", auth.User(ctx).Name)...)
}
