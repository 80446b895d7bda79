package api

import (
	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress"
)

// Messages has the endpoints by which people and bridges speak: messages, the queue, commands, answers to questions.
type Messages struct {
	*Base

	Dispatch *ingress.Dispatch
	Gateway  *ingress.Gateway
	History  *ingress.History
}

// Register has the endpoints that need a user.
func (a *Messages) Register(h huma.API) {
	a.registerMessages(h)
	a.registerTurns(h)
	a.registerApprovals(h)
	a.registerCommands(h)
	a.registerQueue(h)
	a.registerHistory(h)
	a.registerBridge(h)
}
