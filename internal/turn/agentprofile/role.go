package agentprofile

import (
	"strings"

	"xbot/internal/chat"
	"xbot/internal/memory"
)

// roleHas reports whether a subagent may use a tool of its agent. Tools tied to a capability of its role need that capability. It asks no
// user: no user reads its messages.
func roleHas(role chat.Profile, tool string) bool {
	switch strings.ToLower(tool) {
	case "askuser", "oauth_authorize":
		return false
	case "subagent", "createchat":
		return role.SpawnAgent
	case "sendmessage":
		return role.SendMessage
	}
	if _, ok := memory.ProviderOf(tool); ok && !role.Memory {
		return false
	}
	for _, above := range role.Within {
		if !matches(above, tool) {
			return false
		}
	}
	return len(role.Tools) == 0 || matches(role.Tools, tool)
}

// Remembers reports whether the conversation gets the memory of the user.
func (p Profile) Remembers() bool { return p.Role == nil || p.Role.Memory }
