// Package automation has the endpoints of cron jobs, triggers and hooks.
package automation

import (
	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/hooks"
	"xbot/internal/automation/cron"
	"xbot/internal/automation/trigger"
	"xbot/internal/automation/trigger/triggerstore"
)

// Endpoints has the endpoints of this package and their dependencies.
type Endpoints struct {
	*endpoint.Base

	TriggerStore *triggerstore.Store
	Jobs         *cron.Jobs
	Triggers     *trigger.Store
	Hooks        *hooks.Admin
}

// Register has the endpoints that need a user.
func (a *Endpoints) Register(h huma.API) {
	a.registerHooks(h)
	a.registerCron(h)
	a.registerTriggers(h)
}
