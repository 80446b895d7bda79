// Package runners has the endpoints of the runners of a user.
package runners

import (
	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/runners/manage"
)

// Endpoints has the endpoints of this package and their dependencies.
type Endpoints struct {
	*endpoint.Base

	Runners *manage.Runners
}

// Register has the endpoints that need a user.
func (a *Endpoints) Register(h huma.API) {
	a.registerRunners(h)
	a.registerSandbox(h)
}
