package agentprofile

import (
	"slices"

	"xbot/internal/memory"
)

// mayReach reports whether the agent may use a tool for soul files or for conversations, by its settings; ok is false for other tools. Only
// roles made for it read conversations, never an agent that answers users. A tool that changes memory is unavailable while the user has
// locked memory. An agent that reads messages of consumers has only tools that read here.
func (p Profile) mayReach(tool string) (may, ok bool) {
	reads := p.Role != nil && p.Role.Conversations && p.Remember.Subagent
	switch {
	case p.Remember.Locked && memory.Writes(tool), p.readsConsumers() && !memory.ReadsAlone(tool):
		return false, true
	case memory.OfConsumers(tool):
		return p.readsConsumers(), true
	case memory.OfSoul(tool) && p.Role == nil:
		return p.Remember.SoulWrite, true
	case memory.OfSoul(tool):
		return reads && p.Remember.SubagentSoulWrite, true
	case memory.OfConversations(tool):
		return reads, true
	}
	return false, false
}

// readsConsumers reports whether a subagent reads messages of consumers of services: its role names a tool for that, an administrator alone
// writes in the top conversation, and the policy allows it.
func (p Profile) readsConsumers() bool {
	return p.Private && p.Remember.Consumers && p.Remember.Subagent && p.Role != nil && p.Role.Conversations && slices.ContainsFunc(p.Role.Tools, memory.OfConsumers)
}
