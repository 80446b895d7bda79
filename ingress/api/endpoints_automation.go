package api

import (
	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress"
	"xbot/internal/cron"
	"xbot/internal/trigger"
)

// Automation has the endpoints of what begins without a person: cron jobs, triggers, hooks.
type Automation struct {
	*Base

	Jobs     *cron.Jobs
	Triggers *trigger.Store
	Hooks    *ingress.Hooks
}

// Register has the endpoints that need a user.
func (a *Automation) Register(h huma.API) {
	a.registerHooks(h)
	a.registerCron(h)
	a.registerTriggers(h)
}
