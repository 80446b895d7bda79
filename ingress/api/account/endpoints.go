// Package account has the endpoints of the signed-in user: sign-in, tokens, profile, preferences, links to platforms, usage; and of
// pairings.
package account

import (
	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/gateway"
	"xbot/ingress/usagereport"
	"xbot/internal/memory/memorystore"
	"xbot/internal/user/links"
	"xbot/internal/user/notices"
	"xbot/internal/user/preference"
	"xbot/internal/user/settings"
	"xbot/internal/user/users"
)

// Endpoints has the endpoints of this package and their dependencies.
type Endpoints struct {
	*endpoint.Base

	Memory      *memorystore.Store
	Users       *users.Store
	Links       *links.Store
	Settings    *settings.Store
	Notices     *notices.Store
	Gateway     *gateway.Gateway
	Usage       *usagereport.Usage
	Preferences preference.Service
}

// Register has the endpoints that need a user.
func (a *Endpoints) Register(h huma.API) {
	a.registerAccount(h)
	a.registerUsage(h)
	a.registerProfile(h)
	a.registerTitles(h)
	a.registerPreferences(h)
	a.registerPairings(h)
	a.registerLinks(h)
	a.registerTurnNotices(h)
}
