// Package settings has the endpoints of settings: the policy, permissions, agents, limits, channels, traces.
package settings

import (
	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/internal/llm/leases"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/quota"
	"xbot/internal/user/links"
	"xbot/internal/user/permissions"
	"xbot/internal/user/settings"
)

// Endpoints has the endpoints of this package and their dependencies.
type Endpoints struct {
	*endpoint.Base

	Leases      *leases.Store
	Permissions *permissions.Store
	Links       *links.Store
	Settings    *settings.Store
	Quota       *quota.Quota
	Turns       *engine.Store
	Policy      Policy
	Channels    Channels
	Tracing     Tracing
}

// Register has the endpoints that need a user.
func (a *Endpoints) Register(h huma.API) {
	a.registerPermissions(h)
	a.registerInstallationPresets(h)
	a.registerLimits(h)
	a.registerAgents(h)
	a.registerPolicy(h)
	a.registerChannels(h)
	a.registerTracing(h)
}
