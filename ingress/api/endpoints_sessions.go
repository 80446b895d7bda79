package api

import (
	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress"
	"xbot/internal/contextview"
	"xbot/internal/llm/catalogue"
)

// Sessions has the endpoints of conversations: what they are called, who answers in them, what belongs to them.
type Sessions struct {
	*Base

	Fleet    *ingress.Fleet
	Minds    *ingress.Minds
	Models   *catalogue.Live
	Contexts *contextview.Viewer
	Killer   TaskKiller
}

// Register has the endpoints that need a user.
func (a *Sessions) Register(h huma.API) {
	a.registerSessions(h)
	a.registerTasks(h)
	a.registerSubagents(h)
	a.registerGroups(h)
	a.registerTodos(h)
	a.registerResets(h)
	a.registerSearch(h)
	a.registerContext(h)
	a.registerExport(h)
}
