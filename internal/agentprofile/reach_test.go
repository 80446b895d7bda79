package agentprofile_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/agentprofile"
	"xbot/internal/chat"
	"xbot/internal/memory"
	"xbot/internal/policy"
)

func TestHas_ToolsOfSoulAndConversationsAreThereWhereTheSwitchesSaySo(t *testing.T) {
	t.Parallel()
	reader, other := &chat.Profile{Conversations: true, Tools: []string{"soul_*", "*conversation*"}}, &chat.Profile{Memory: true}
	all := policy.Remembers{SoulWrite: true, Subagent: true, SubagentSoulWrite: true}
	for name, c := range map[string]struct {
		who                 agentprofile.Profile
		soul, conversations bool
	}{
		"nothing on":                  {agentprofile.Profile{}, false, false},
		"reading alone":               {agentprofile.Profile{Remember: policy.Remembers{SoulRead: true}}, false, false},
		"who answers people":          {agentprofile.Profile{Remember: all}, true, false},
		"the role memory":             {agentprofile.Profile{Remember: all, Role: reader}, true, true},
		"the role, which may not":     {agentprofile.Profile{Remember: policy.Remembers{SoulWrite: true, Subagent: true}, Role: reader}, false, true},
		"the role, switched off":      {agentprofile.Profile{Remember: policy.Remembers{SoulWrite: true}, Role: reader}, false, false},
		"another role":                {agentprofile.Profile{Remember: all, Role: other}, false, false},
		"an agent without such tools": {agentprofile.Profile{Remember: all, Agent: policy.Agent{Tools: policy.Tools{Deny: []string{"soul_*"}}}}, false, false},
	} {
		for _, tool := range []string{"soul_list", "soul_read", "soul_write", "soul_delete"} {
			require.Equal(t, c.soul, c.who.Has(tool), "%s: %s", name, tool)
		}
		for _, tool := range []string{"list_conversations", "read_conversation"} {
			require.Equal(t, c.conversations, c.who.Has(tool), "%s: %s", name, tool)
		}
	}
}

func TestHas_WhereAPersonLockedTheNotesNothingWritesThem(t *testing.T) {
	t.Parallel()
	for provider, tools := range map[string]map[string]bool{ // whether they write
		memory.Flat:  {"memory_list": false, "memory_write": true},
		memory.Letta: {"archival_memory_search": false, "recall_memory_search": false, "core_memory_append": true, "core_memory_replace": true, "rethink": true, "archival_memory_insert": true},
	} {
		for tool, writes := range tools {
			require.True(t, agentprofile.Profile{Provider: provider}.Has(tool), tool)
			require.Equal(t, !writes, agentprofile.Profile{Provider: provider, Remember: policy.Remembers{Locked: true}}.Has(tool), tool)
		}
	}
}
