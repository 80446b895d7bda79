package policy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/turn/policy"
)

func TestRemembers_WhatIsSaidOfAnAgentStandsAboveWhatIsSaidOfAll(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		document string
		want     policy.Remembers
	}{
		"nothing said":         {`{}`, policy.Remembers{Memorize: true, Recent: 5}},
		"of all":               {`{memory: {memorize: false, soul: {read: true}, shortTerm: true}}`, policy.Remembers{SoulRead: true, Recent: 5}},
		"writing by subagents": {`{memory: {subagent: true, soul: {write: true, subagentWrite: true}}}`, policy.Remembers{Memorize: true, SoulWrite: true, Subagent: true, SubagentSoulWrite: true, Recent: 5}},
		"without a subagent":   {`{memory: {soul: {subagentWrite: true}}}`, policy.Remembers{Memorize: true, Recent: 5}},
		"consumers":            {`{memory: {subagent: true, includeConsumerConversations: true}}`, policy.Remembers{Memorize: true, Subagent: true, Consumers: true, Recent: 5}},
		"consumers by nobody":  {`{memory: {includeConsumerConversations: true}}`, policy.Remembers{Memorize: true, Recent: 5}},
		"consumers, not here":  {`{memory: {subagent: true, includeConsumerConversations: true}, agents: {list: [{id: "main", memorySwitches: {includeConsumerConversations: false}}]}}`, policy.Remembers{Memorize: true, Subagent: true, Recent: 5}},
		"a number alone":       {`{memory: {recentMessages: 3}}`, policy.Remembers{Memorize: true, Recent: 3}},
		"switched off":         {`{memory: {shortTerm: false, recentMessages: 3}}`, policy.Remembers{Memorize: true}},
		"none":                 {`{memory: {shortTerm: true, recentMessages: 0}}`, policy.Remembers{Memorize: true}},
		"of the agent": {
			`{memory: {memorize: false, subagent: true, shortTerm: true}, agents: {list: [{id: "main", memorySwitches: {memorize: true, subagent: false, recentMessages: 2, soul: {read: true}}}]}}`,
			policy.Remembers{Memorize: true, SoulRead: true, Recent: 2},
		},
	} {
		p, _, err := policy.Parse([]byte(c.document))
		require.NoError(t, err, name)
		require.Equal(t, c.want, p.Remembers(p.Agent("")), name)
	}
}

func TestParse_SwitchesOfMemoryAreChecked(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]string{
		`{memory: {recentMessages: 51}}`:                                      "memory.recentMessages: 51 is not between 0 and 50",
		`{memory: {recentMessages: -1}}`:                                      "memory.recentMessages",
		`{memory: {memorize: "no"}}`:                                          "memory.memorize: true or false is expected",
		`{memory: {soul: true}}`:                                              "memory.soul: an object",
		`{memory: {soul: {reads: true}}}`:                                     "did you mean read?",
		`{memory: {memorise: true}}`:                                          "did you mean memorize?",
		`{agents: {list: [{id: "a", memorySwitches: {recentMessages: 90}}]}}`: "agents.list[0].memorySwitches.recentMessages",
		`{agents: {list: [{id: "a", memorySwitches: {provider: "flat"}}]}}`:   "is not known",
	} {
		_, _, err := policy.Parse([]byte(document))
		require.ErrorContains(t, err, want, document)
	}
	_, notes, err := policy.Parse([]byte(`{memory: {shortTerm: false, recentMessages: 3, soul: {subagentWrite: true}}}`))
	require.NoError(t, err)
	require.Len(t, notes, 2)
	_, notes, err = policy.Parse([]byte(`{memory: {includeConsumerConversations: true}}`))
	require.NoError(t, err)
	require.Len(t, notes, 1, "nothing reads without the role")
	_, notes, err = policy.Parse([]byte(`{memory: {subagent: true, includeConsumerConversations: true, soul: {write: true, subagentWrite: true}}}`))
	require.NoError(t, err)
	require.Len(t, notes, 1, "who reads what strangers wrote writes no soul files")
	_, notes, err = policy.Parse([]byte(`{memory: {shortTerm: true}, agents: {list: [{id: "a", memorySwitches: {recentMessages: 3}}]}}`))
	require.NoError(t, err)
	require.Empty(t, notes)
}

func TestRemembers_APersonMakesItLessAndNeverMore(t *testing.T) {
	t.Parallel()
	all := policy.Remembers{Memorize: true, SoulRead: true, SoulWrite: true, Subagent: true, SubagentSoulWrite: true, Consumers: true, Recent: 5}
	require.Equal(t, all, all.Narrowed(chat.MemoryChoices{}))
	require.Equal(t, policy.Remembers{SoulRead: true, SoulWrite: true}, all.Narrowed(chat.MemoryChoices{NoMemory: true}))
	require.Equal(t, policy.Remembers{Memorize: true, Subagent: true, Consumers: true, Recent: 5}, all.Narrowed(chat.MemoryChoices{NoSoul: true}))
	require.Equal(t, policy.Remembers{SoulRead: true, Subagent: true, Consumers: true, Recent: 5, Locked: true}, all.Narrowed(chat.MemoryChoices{NotesLocked: true}))
	require.Equal(t, policy.Remembers{}, policy.Remembers{}.Narrowed(chat.MemoryChoices{}))
}
