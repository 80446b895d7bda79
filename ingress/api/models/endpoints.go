// Package models has the endpoints of the models that answer: which there are, which a user chose, the subscriptions that they come from,
// and the keys of the services that tools use.
package models

import (
	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/internal/extension/toolkey"
	"xbot/internal/llm/catalogue"
	"xbot/internal/llm/subscription"
	"xbot/internal/user/settings"
)

// Endpoints has the endpoints of this package and their dependencies.
type Endpoints struct {
	*endpoint.Base

	Settings      *settings.Store
	Models        *catalogue.Live
	Subscriptions *subscription.Store
	Keys          *toolkey.Store
}

// Register has the endpoints that need a user.
func (a *Endpoints) Register(h huma.API) {
	a.registerList(h)
	a.registerChoice(h)
	a.registerSubscriptions(h)
	a.registerKeys(h)
}
