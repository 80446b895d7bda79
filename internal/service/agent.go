package service

import (
	"slices"

	"xbot/internal/turn/policy"
)

// always are the tools of every service (spec/004 §4.5.1). What is not listed here is for users of the installation alone.
var always = []string{"Read", "FileCreate", "FileReplace", "Glob", "Grep", "todo_write", "todo_list", "offload_recall", "recall_masked", "read_my_conversation", "search_tools"}

// byCapability are the tools that come with a capability.
var byCapability = map[Capability][]string{
	Web:       {"WebSearch", "Fetch"},
	HumanChat: {"contact_admin"},
	Scheduler: {"Cron"},
	Image:     {"generate_image"},
	Speech:    {"generate_speech"},
	Video:     {"generate_video"},
}

// Agent is the service as an agent of the policy, with its name, model and tools.
func (s Service) Agent() policy.Agent {
	off := false
	return policy.Agent{
		ID: s.ID, Name: s.Name, Model: s.Model, Memory: "own", Tools: policy.Tools{Allow: s.Tools()},
		MemorySwitches: policy.MemorySwitches{
			Memorize: &off, Subagent: &off, IncludeConsumerConversations: &off, Soul: policy.SoulSwitches{Read: &off, Write: &off, SubagentWrite: &off},
		},
	}
}

// Tools are the tools of the service's conversations.
func (s Service) Tools() []string {
	out := slices.Clone(always)
	for _, c := range s.Capabilities {
		out = append(out, byCapability[c]...)
	}
	return out
}
