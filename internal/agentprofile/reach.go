package agentprofile

import "xbot/internal/memory"

// mayReach reports whether the agent may use a tool for soul files or for the person's conversations, as its switches say; ok is
// false for other tools. Conversations are read by the roles that are made for it, never by who answers people. A tool that changes
// what is remembered is for nobody while the person has locked that.
func (p Profile) mayReach(tool string) (may, ok bool) {
	reads := p.Role != nil && p.Role.Conversations && p.Remember.Subagent
	switch {
	case p.Remember.Locked && memory.Writes(tool):
		return false, true
	case memory.OfSoul(tool) && p.Role == nil:
		return p.Remember.SoulWrite, true
	case memory.OfSoul(tool):
		return reads && p.Remember.SubagentSoulWrite, true
	case memory.OfConversations(tool):
		return reads, true
	}
	return false, false
}
