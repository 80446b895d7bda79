// Package inspect has the endpoints by which administrators see the state of the server.
package inspect

import (
	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/internal/host/logs"
	"xbot/internal/turn/inspect"
)

// Endpoints has the endpoints of this package and their dependencies.
type Endpoints struct {
	*endpoint.Base

	Inspection *inspect.Store
	Logs       logs.Reader
}

// Register has the endpoints that need a user.
func (a *Endpoints) Register(h huma.API) {
	a.registerInspect(h)
	a.registerRuns(h)
	a.registerLogs(h)
}
