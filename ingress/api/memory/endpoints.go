// Package memory has the endpoints of what is remembered.
package memory

import (
	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/internal/memory/view"
)

// Endpoints are those of this package, with what they need.
type Endpoints struct {
	*endpoint.Base

	Memory view.View
}

// Register has the endpoints that need a user.
func (a *Endpoints) Register(h huma.API) {
	a.registerMemory(h)
}
