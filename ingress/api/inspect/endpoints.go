// Package inspect has the endpoints by which administrators see the state of the server.
package inspect

import (
	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/internal/host/logs"
)

// Endpoints are those of this package, with what they need.
type Endpoints struct {
	*endpoint.Base

	Logs logs.Reader
}

// Register has the endpoints that need a user.
func (a *Endpoints) Register(h huma.API) {
	a.registerInspect(h)
	a.registerRuns(h)
	a.registerLogs(h)
}
