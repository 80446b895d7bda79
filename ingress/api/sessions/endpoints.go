// Package sessions has the endpoints of conversations: their titles, their models, and the objects that belong to them.
package sessions

import (
	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/callers"
	"xbot/ingress/runners/manage"
	"xbot/internal/chat"
	"xbot/internal/llm/catalogue"
	"xbot/internal/llm/choice"
	"xbot/internal/turn/calls"
	"xbot/internal/turn/contextview"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/search"
	"xbot/internal/turn/shares"
)

// Endpoints has the endpoints of this package and their dependencies.
type Endpoints struct {
	*endpoint.Base

	Search   *search.Store
	Shares   *shares.Store
	Calls    *calls.Store
	Turns    *engine.Store
	Runners  *manage.Runners
	Words    choice.Catalog // decides which words mean a model
	Models   *catalogue.Live
	Contexts *contextview.Viewer
	Killer   TaskKiller

	exports callers.Limit[chat.UserID]
}

// Register has the endpoints that need a user.
func (a *Endpoints) Register(h huma.API) {
	a.registerSessions(h)
	a.registerTasks(h)
	a.registerSubagents(h)
	a.registerGroups(h)
	a.registerTodos(h)
	a.registerResets(h)
	a.registerSearch(h)
	a.registerContext(h)
	a.registerExport(h)
	a.registerShares(h)
}
