package agentprofile_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/memory"
	"xbot/internal/turn/agentprofile"
	"xbot/internal/turn/policy"
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

func TestHas_WhatConsumersWroteIsReadBelowAnAdministratorAloneByARoleThatReadsAlone(t *testing.T) {
	t.Parallel()
	const tool = "read_service_conversation"
	on := policy.Remembers{Subagent: true, SubagentSoulWrite: true, SoulWrite: true, Consumers: true}
	private := agentprofile.External{Private: true}
	wide := chat.Profile{Conversations: true, Memory: true, SendMessage: true, SpawnAgent: true, Tools: []string{"*", tool}}
	with := func(change func(*agentprofile.Profile)) agentprofile.Profile {
		role := wide
		p := agentprofile.Profile{Remember: on, External: private, Role: &role, Trusted: true, Direct: true}
		change(&p)
		return p
	}
	reads := with(func(*agentprofile.Profile) {})
	for _, has := range []string{tool, "list_conversations", "read_conversation", "soul_list", "soul_read", "offload_recall", "recall_masked"} {
		require.True(t, reads.Has(has), has)
	}
	for _, has := range []string{
		"soul_write", "soul_delete", "memory_write", "memory_list", "Shell", "FileCreate", "Read", "Fetch", "WebSearch", "DownloadFile", "SubAgent", "SendMessage", "CreateChat", "todo_write",
		"context_edit", "config", "logs", "Cron", "EventTrigger", "Skill", "search_tools", "contact_admin", "read_my_conversation", "mcp_x_y", "READ_INBOX_NOW", "*", "",
	} {
		require.False(t, reads.Has(has), "%q changes something, or tells somebody", has)
	}
	for name, change := range map[string]func(*agentprofile.Profile){
		"who answers people":                   func(p *agentprofile.Profile) { p.Role = nil },
		"a member, a group, a job":             func(p *agentprofile.Profile) { p.Private = false },
		"the switch is off":                    func(p *agentprofile.Profile) { p.Remember.Consumers = false },
		"no role reads":                        func(p *agentprofile.Profile) { p.Remember.Subagent = false },
		"another role":                         func(p *agentprofile.Profile) { p.Role.Conversations = false },
		"a role that names no such tool":       func(p *agentprofile.Profile) { p.Role.Tools = []string{"*"} },
		"a role that has all tools":            func(p *agentprofile.Profile) { p.Role.Tools = nil },
		"below a role that may not":            func(p *agentprofile.Profile) { *p.Role = p.Role.Under(chat.Profile{SpawnAgent: true}) },
		"an agent without the tool":            func(p *agentprofile.Profile) { p.Agent.Tools.Deny = []string{"*service*", "read_inbox"} },
		"the agent of a service":               func(p *agentprofile.Profile) { p.Outside = true },
		"the agent of a service, who is alone": func(p *agentprofile.Profile) { p.Sealed = true },
	} {
		for _, tool := range []string{"list_service_conversations", tool, "read_inbox"} {
			require.False(t, with(change).Has(tool), "%s: %s", name, tool)
		}
	}
	off := with(func(p *agentprofile.Profile) { p.Private = false })
	require.True(t, off.Has("soul_write") && off.Has("Shell"), "elsewhere the role is as it was")
}
