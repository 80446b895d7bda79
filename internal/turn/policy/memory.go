package policy

import (
	"slices"

	"xbot/internal/chat"
)

// DefaultRecent is how many messages of the person's conversation the prompts of jobs and triggers hold, where the policy has
// them do so and does not say how many; MaxRecent bounds it.
const (
	DefaultRecent = 5
	MaxRecent     = 50
)

// Memory says how people are remembered.
type Memory struct {
	Provider string `json:"provider,omitempty"` // flat | letta; default: MEMORY_PROVIDER
	MemorySwitches
}

// MemorySwitches say what is done with memory; each agent can have its own.
type MemorySwitches struct {
	Memorize       *bool        `json:"memorize,omitempty"`       // conversations that go from sight are put into memory; default true
	Soul           SoulSwitches `json:"soul,omitzero"`            // the notes about its character that an agent has for each person
	Subagent       *bool        `json:"subagent,omitempty"`       // there is a role memory, which reads the person's own conversations
	ShortTerm      *bool        `json:"shortTerm,omitempty"`      // jobs and triggers in conversations of their own know what was said last; default true
	RecentMessages *int         `json:"recentMessages,omitempty"` // how many messages of it; default 5, 0: none

	IncludeConsumerConversations *bool `json:"includeConsumerConversations,omitempty"` // that role reads for administrators what consumers of their services wrote; default false
}

// SoulSwitches say who reads and writes soul files. Absent: nobody.
type SoulSwitches struct {
	Read          *bool `json:"read,omitempty"`          // prompts of the agent hold them
	Write         *bool `json:"write,omitempty"`         // the agent has tools for them
	SubagentWrite *bool `json:"subagentWrite,omitempty"` // the role memory has
}

// Remembers says what an agent does with memory.
type Remembers struct {
	Memorize  bool `json:"memorize" doc:"Content removed by a reset or a summary is written to memory."`
	SoulRead  bool `json:"soul_read" doc:"Prompts contain soul files."`
	SoulWrite bool `json:"soul_write" doc:"The agent has tools for soul files."`

	Subagent          bool `json:"subagent" doc:"There is a role that reads the person's conversations."`
	SubagentSoulWrite bool `json:"subagent_soul_write" doc:"That role has tools for soul files."`
	Consumers         bool `json:"consumers" doc:"For administrators; that role reads messages of consumers of their services."`

	Locked bool `json:"locked" doc:"The agent reads memories and writes none."`

	Recent int `json:"recent" doc:"How many messages of the person's conversation the prompts of jobs and triggers contain."`
}

// Remembers returns what an agent does with memory: its own switches above those of all.
func (p *Policy) Remembers(a Agent) Remembers {
	m, own := p.Memory, a.MemorySwitches
	out := Remembers{
		Memorize: firstSet(true, own.Memorize, m.Memorize),
		SoulRead: firstSet(false, own.Soul.Read, m.Soul.Read), SoulWrite: firstSet(false, own.Soul.Write, m.Soul.Write),
		Subagent: firstSet(false, own.Subagent, m.Subagent),
	}
	out.SubagentSoulWrite = out.Subagent && firstSet(false, own.Soul.SubagentWrite, m.Soul.SubagentWrite)
	out.Consumers = out.Subagent && firstSet(false, own.IncludeConsumerConversations, m.IncludeConsumerConversations)
	if firstSet(true, own.ShortTerm, m.ShortTerm) {
		out.Recent = firstSet(DefaultRecent, own.RecentMessages, m.RecentMessages)
	}
	return out
}

// ReadsConversations reports whether the agent of any conversation may have roles that read conversations of the person.
func (p *Policy) ReadsConversations() bool {
	reads := func(a Agent) bool { return p.Remembers(a).Subagent }
	return reads(p.Agent("")) || slices.ContainsFunc(p.Agents.List, reads)
}

// Narrowed is what is left of it for a person who does not want all of it.
func (r Remembers) Narrowed(c chat.MemoryChoices) Remembers {
	if c.NoMemory {
		r.Memorize, r.Subagent, r.Consumers, r.Recent = false, false, false, 0
	}
	if c.NoMemory || c.NoSoul {
		r.SubagentSoulWrite = false
	}
	if c.NoSoul {
		r.SoulRead, r.SoulWrite = false, false
	}
	if c.NotesLocked {
		r.Memorize, r.SoulWrite, r.SubagentSoulWrite, r.Locked = false, false, false, true
	}
	return r
}

// RemembersOf returns what is done with a memory by its name: that of the default agent, or of one with its own.
func (p *Policy) RemembersOf(memory string) Remembers {
	if memory == DefaultAgent {
		memory = "" // the default agent may be called otherwise
	}
	return p.Remembers(p.Agent(memory))
}

// firstSet is the first value that is there, else the default.
func firstSet[T any](absent T, values ...*T) T {
	for _, v := range values {
		if v != nil {
			return *v
		}
	}
	return absent
}

// memory checks what is said of memory.
func (c *check) memory(m Memory) {
	c.oneOf("memory.provider", m.Provider, memoryProviders...)
	c.switches("memory", m.MemorySwitches, MemorySwitches{})
}

// switches checks those of all, or those of one agent above them.
func (c *check) switches(path string, s, above MemorySwitches) {
	if n := s.RecentMessages; n != nil && (*n < 0 || *n > MaxRecent) {
		c.fault(path+".recentMessages", "%d is not between 0 and %d", *n, MaxRecent)
	}
	if firstSet(false, s.Soul.SubagentWrite) && !firstSet(false, s.Subagent, above.Subagent) {
		c.note(path+".soul.subagentWrite", "has no effect without subagent: true")
	}
	consumers := firstSet(false, s.IncludeConsumerConversations, above.IncludeConsumerConversations)
	if firstSet(false, s.IncludeConsumerConversations) && !firstSet(false, s.Subagent, above.Subagent) {
		c.note(path+".includeConsumerConversations", "has no effect without subagent: true")
	}
	if consumers && firstSet(false, s.Soul.SubagentWrite) {
		c.note(path+".soul.subagentWrite", "has no effect for administrators in their direct conversations: the role reads there what consumers wrote, and changes nothing")
	}
	if s.RecentMessages != nil && !firstSet(true, s.ShortTerm, above.ShortTerm) {
		c.note(path+".recentMessages", "has no effect with shortTerm: false")
	}
}
