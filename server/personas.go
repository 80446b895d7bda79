package server

import "xbot/internal/agentprofile"

// personas knows who answers in a conversation.
func (p *parts) personas() *agentprofile.Resolver {
	return &agentprofile.Resolver{Store: p.store, Policies: p.policies, Home: p.home, Log: p.log, Memory: p.memory}
}
