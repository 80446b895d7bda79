package policy

import (
	"slices"
	"strings"

	"xbot/internal/chat"
)

// DefaultAgent is the id of the agent if none is configured.
const DefaultAgent = "main"

// MemoryShared gives an agent the memory of the default one.
const MemoryShared = "shared"

// ServicePrefix begins the ids of services, and of no other agent.
const ServicePrefix = "svc_"

// IsService reports whether an agent is or was a service, which only its consumers talk to.
func IsService(agent string) bool { return strings.HasPrefix(agent, ServicePrefix) }

// Agent returns an agent. An empty or unknown id is the default agent: the one marked as default, else the first of the list,
// else DefaultAgent without settings. A deleted service is an agent without tools, never the default agent.
func (p *Policy) Agent(id string) Agent {
	if IsService(id) {
		return p.service(id)
	}
	var found *Agent
	for i, a := range p.Agents.List {
		if a.ID == id {
			return a
		}
		if found == nil || a.Default && !found.Default {
			found = &p.Agents.List[i]
		}
	}
	if found == nil {
		return Agent{ID: DefaultAgent, Default: true}
	}
	return *found
}

func (p *Policy) service(id string) Agent {
	if i := slices.IndexFunc(p.services, func(a Agent) bool { return a.ID == id }); i >= 0 {
		return p.services[i]
	}
	off := false
	return Agent{ID: id, Tools: Tools{Deny: []string{"*"}}, MemorySwitches: MemorySwitches{Memorize: &off, Subagent: &off, IncludeConsumerConversations: &off, Soul: SoulSwitches{Read: &off, Write: &off, SubagentWrite: &off}}}
}

// AgentFor returns the id of the agent that a message goes to. The most specific binding wins (peer, space, account,
// channel), among equals the first; without one it is the default agent.
func (p *Policy) AgentFor(e chat.Envelope) string {
	agent, best := p.Agent("").ID, 0
	for _, b := range p.Bindings {
		if rank := b.Match.rank(e); rank > best {
			agent, best = b.Agent, rank
		}
	}
	return agent
}

// rank says how precisely a match meets a message; 0: not at all.
func (m BindingMatch) rank(e chat.Envelope) int {
	account := m.Account != "" && m.Account != "*"
	if m.Channel != "" && m.Channel != e.Channel || account && m.Account != accountOf(e) || m.Space != "" && m.Space != e.Space {
		return 0
	}
	switch {
	case m.Peer != nil && m.Peer.holds(e):
		return 5
	case m.Peer != nil:
		return 0
	case m.Space != "":
		return 4
	case account:
		return 3
	case m.Channel != "":
		return 2
	}
	return 1
}

func (p BindingPeer) holds(e chat.Envelope) bool {
	switch p.Kind {
	case "direct", "dm":
		return e.ChatType == chat.ChatDirect && p.ID == e.Sender.ID
	case "group":
		return (e.ChatType == chat.ChatGroup || e.ChatType == chat.ChatThread) && p.ID == e.Chat
	}
	return e.ChatType == chat.ChatChannel && p.ID == e.Chat
}

// defaultAccount is the bot of a channel that has one only.
const defaultAccount = "default"

func accountOf(e chat.Envelope) string {
	if e.Account == "" {
		return defaultAccount
	}
	return e.Account
}
