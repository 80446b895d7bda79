package api

import (
	"github.com/danielgtaylor/huma/v2"

	"xbot/internal/llm/catalogue"
)

// Settings has the endpoints of what is set: the policy, permissions, models, agents, limits, channels.
type Settings struct {
	*Base

	Policy   Policy
	Channels Channels
	Models   *catalogue.Live
}

// Register has the endpoints that need a user.
func (a *Settings) Register(h huma.API) {
	a.registerPermissions(h)
	a.registerLimits(h)
	a.registerModels(h)
	a.registerAgents(h)
	a.registerPolicy(h)
	a.registerChannels(h)
}
