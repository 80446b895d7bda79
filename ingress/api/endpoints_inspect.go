package api

import (
	"github.com/danielgtaylor/huma/v2"

	"xbot/internal/logs"
)

// Inspection has the endpoints by which administrators see what goes on.
type Inspection struct {
	*Base

	Logs logs.Reader
}

// Register has the endpoints that need a user.
func (a *Inspection) Register(h huma.API) {
	a.registerInspect(h)
	a.registerRuns(h)
	a.registerLogs(h)
}
