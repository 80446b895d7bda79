package server

import (
	"xbot/ingress"
	"xbot/internal/memory/view"
)

// recollections show people what is remembered of them.
func (in *ingressPart) recollections() *ingress.Recollections {
	return &ingress.Recollections{Desk: view.View{Store: in.store, Policies: in.policies}, Book: in.personas(), Users: in.store, Base: in.base()}
}
