package agentprofile

import (
	"slices"

	"xbot/internal/memory"
)

// mayReach reports whether the agent may use a tool for soul files or for conversations, as its switches say; ok is false for other
// tools. Conversations are read by the roles that are made for it, never by who answers people. A tool that changes what is remembered is
// for nobody while the person has locked that. Who reads what strangers wrote has nothing but tools that read here.
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

// readsConsumers reports whether a subagent reads what consumers of services wrote: one whose role names a tool for that, below a conversation
// of an administrator alone, where the policy has it.
func (p Profile) readsConsumers() bool {
	return p.Private && p.Remember.Consumers && p.Remember.Subagent && p.Role != nil && p.Role.Conversations && slices.ContainsFunc(p.Role.Tools, memory.OfConsumers)
}
