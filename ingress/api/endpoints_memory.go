package api

import (
	"github.com/danielgtaylor/huma/v2"

	"xbot/internal/memory/view"
)

// Memories has the endpoints of what is remembered.
type Memories struct {
	*Base

	Memory view.View
}

// Register has the endpoints that need a user.
func (a *Memories) Register(h huma.API) {
	a.registerMemory(h)
}
