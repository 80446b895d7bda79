// Package memory has the endpoints of memories.
package memory

import (
	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/internal/memory/view"
)

// Endpoints has the endpoints of this package and their dependencies.
type Endpoints struct {
	*endpoint.Base

	Memory view.View
}

// Register has the endpoints that need a user.
func (a *Endpoints) Register(h huma.API) {
	a.registerMemory(h)
}
