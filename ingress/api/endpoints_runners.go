package api

import (
	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress"
)

// Runners has the endpoints of the runners of a person.
type Runners struct {
	*Base

	Fleet *ingress.Fleet
}

// Register has the endpoints that need a user.
func (a *Runners) Register(h huma.API) {
	a.registerRunners(h)
}
