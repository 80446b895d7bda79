package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/client/apiclient"
	"xbot/internal/llm/llmtest"
)

// soulful are the tools of a request that have to do with soul files and conversations.
func soulful(r llmtest.Request) (out []string) {
	for _, tool := range r.Tools {
		if strings.HasPrefix(tool.Name, "soul_") || strings.Contains(tool.Name, "conversation") {
			out = append(out, tool.Name)
		}
	}
	slices.Sort(out)
	return out
}

// untilSoulful has turns until the tools are there, or are not: processes learn of a policy within a second.
func (k *talk) untilSoulful(there bool) {
	k.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); (len(soulful(k.replied("say go on"))) > 0) != there; {
		require.True(k.t, time.Now().Before(deadline), "the policy was not followed")
	}
}

// TestSoul_ProfileAndSoulAreInThePromptAfterAKillAndSwitchesCountAtTheNextTurn sees both where they arrive: at the model.
func TestSoul_ProfileAndSoulAreInThePromptAfterAKillAndSwitchesCountAtTheNextTurn(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	_, err := s.client.SetProfile(t.Context(), apiclient.ProfileEdit{Content: "Ann, call me captain", Timezone: "Asia/Shanghai"})
	require.NoError(t, err)
	k := s.newTalk()
	off := k.replied("say hello")
	require.Contains(t, off.System, "call me captain")
	require.Contains(t, off.System, "Asia/Shanghai")
	require.Empty(t, soulful(off), "off until the policy says otherwise")
	require.NotContains(t, off.System, "- memory:", "and no role is offered")

	s.inForce(`{memory: {soul: {read: true, write: true}, subagent: true}}`)
	k.untilSoulful(true)
	written := k.replied(`call soul_write {"name":"tone.md","content":"dry humour"}`, "say noted")
	require.Equal(t, []string{"soul_delete", "soul_list", "soul_read", "soul_write"}, soulful(written), "conversations are for the role memory")
	s.crash()
	s.boot()
	later := s.newTalk().replied("say I know")
	require.Contains(t, later.System, "dry humour")
	require.Contains(t, later.System, "call me captain")
	require.Contains(t, later.System, "- memory:")

	bob := s.colleague("bob").newTalk().replied("say hello")
	require.NotContains(t, bob.System, "dry humour")
	require.NotContains(t, bob.System, "captain")

	s.inForce(`{}`)
	k.untilSoulful(false)
}

func TestProfile_AVersionThatCameBackIsInThePromptAfterAKill(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	_, err := s.client.SetProfile(t.Context(), apiclient.ProfileEdit{Content: "Ann, call me captain", Timezone: "Asia/Shanghai"})
	require.NoError(t, err)
	_, err = s.client.SetProfile(t.Context(), apiclient.ProfileEdit{Content: "nobody in particular", Revision: 1})
	require.NoError(t, err)
	_, err = s.client.RollProfileBack(t.Context(), apiclient.ProfileRollback{To: 1, Version: 2})
	require.NoError(t, err)
	s.crash()
	s.boot()
	now := s.newTalk().replied("say hello")
	require.Contains(t, now.System, "call me captain")
	require.Contains(t, now.System, "Asia/Shanghai")
	require.NotContains(t, now.System, "nobody in particular")
	kept, err := s.client.ListProfileVersions(t.Context())
	require.NoError(t, err)
	require.Len(t, kept, 3)
}

// untilRole begins conversations until one is offered a role: processes learn of a policy within a second.
func (k *talk) untilRole(name string) {
	k.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !strings.Contains(k.newTalk().replied("say hello").System, "- "+name+":"); {
		require.True(k.t, time.Now().Before(deadline), "the policy was not followed")
	}
}

// TestMemoryRole_ReadsConversationsOfThePersonAlone asks it for what was said in two conversations, one of somebody else.
func TestMemoryRole_ReadsConversationsOfThePersonAlone(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.inForce(`{memory: {subagent: true}}`)
	mine, theirs := s.newTalk(), s.colleague("bob").newTalk()
	mine.untilRole("memory")
	mine.replied("say the boiler is loud")
	theirs.replied("say the boiler is silent")
	k := s.newTalk()
	k.done(k.subagent(args{"role": "memory"}, "call list_conversations {}", `call read_conversation {"conversation":"`+string(mine.key)+`"}`,
		`call read_conversation {"conversation":"`+string(theirs.key)+`"}`, "say found"), "say done")
	require.True(t, s.toolSaid("assistant] the boiler is loud"))
	require.True(t, s.toolSaid("nothing is there"), "of another one's")
	require.False(t, s.toolSaid("the boiler is silent"))
	require.False(t, s.toolSaid(string(theirs.key)))
}
