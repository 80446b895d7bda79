// Package people has the endpoints of administrators for the people of the installation: accounts and invitations.
package people

import (
	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
)

// Endpoints are those of this package, with what they need.
type Endpoints struct {
	*endpoint.Base
}

// Register has the endpoints that need a user.
func (a *Endpoints) Register(h huma.API) {
	a.registerAccounts(h)
	a.registerInvites(h)
}
