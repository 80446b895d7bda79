package prompt_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/extension/role"
	"xbot/internal/turn/agentprofile"
	"xbot/internal/turn/policy"
	"xbot/internal/turn/prompt"
)

func TestRoles_TheNearestFileWinsAndBrokenOnesAreNamed(t *testing.T) {
	w := newWorld(t)
	const head = "---\ndescription: "
	w.put("agents/explorer.md", head+"of the server\n---\n")
	w.put("agents/ours.md", head+"of the server\n---\n")
	w.put("agents/broken.md", "nothing")
	w.box.Put(t, ".git/HEAD", "ref")
	w.box.Put(t, ".xbot/agents/ours.md", head+"of the workspace\n---\n")
	w.box.Put(t, ".xbot/agents/bad.md", head+"d\ntier: best\n---\n")
	w.box.Put(t, "project/.xbot/agents/ours.md", head+"of the project\n---\nDo it.")
	w.scene.Cwd = w.box.Workspace() + "/project"
	roles := prompt.Roles{Home: w.parts.Home, Sandboxes: w.parts.Sandboxes}

	found, err := roles.Find(t.Context(), w.scene)
	require.NoError(t, err)
	ours, ok := role.Find(found.Roles, "ours")
	require.True(t, ok)
	require.Equal(t, role.Role{Name: "ours", Description: "of the project", Prompt: "Do it.", From: w.box.Workspace() + "/project/.xbot/agents/ours.md"}, ours)
	explorer, _ := role.Find(found.Roles, "explorer")
	require.Equal(t, "of the server", explorer.Description)
	_, ok = role.Find(found.Roles, "coder")
	require.True(t, ok, "those of the program are there")
	require.Len(t, found.Broken, 2)
	require.Equal(t, "broken.md", found.Broken[0].File)
	require.Contains(t, found.Broken[1].Why, `no tier "best"`)

	w.box.Put(t, "project/.xbot/agents/ours.md", head+"changed\n---\n")
	found, err = roles.Find(t.Context(), w.scene)
	require.NoError(t, err)
	ours, _ = role.Find(found.Roles, "ours")
	require.Equal(t, "changed", ours.Description, "a change counts at once")
}

func TestRoles_AreThereWhereThePlaceCannotBeReached(t *testing.T) {
	found, err := prompt.Roles{Home: t.TempDir()}.Find(t.Context(), newWorld(t).scene)
	require.NoError(t, err)
	want := slices.DeleteFunc(role.Merge(role.Builtin()), func(r role.Role) bool { return r.Name == "memory" })
	require.Equal(t, want, found.Roles)
}

// always is who answers in every session.
type always agentprofile.Profile

func (a always) Of(context.Context, chat.SessionKey) (agentprofile.Profile, error) {
	return agentprofile.Profile(a), nil
}

func TestRoles_ConversationsAreReadOnlyByRolesOfTheProgramAndTheServerAndWhereThePolicySaysSo(t *testing.T) {
	w := newWorld(t)
	const reads = "---\ndescription: d\ncapabilities: [conversations]\n---\n"
	w.put("agents/archivist.md", reads)
	w.box.Put(t, ".xbot/agents/spy.md", reads)
	roles := prompt.Roles{Home: w.parts.Home, Sandboxes: w.parts.Sandboxes, Profiles: always{}}
	names := func() (out []string) {
		found, err := roles.Find(t.Context(), w.scene)
		require.NoError(t, err)
		for _, r := range found.Roles {
			if r.Conversations {
				out = append(out, r.Name)
			}
		}
		return out
	}
	require.Empty(t, names(), "off as long as nobody says otherwise")
	roles.Profiles = always{Remember: policy.Remembers{Subagent: true}}
	require.Equal(t, []string{"archivist", "memory"}, names())
}

func TestRoles_WhatReadsConsumersSaysSoToAnAdministratorAlone(t *testing.T) {
	w := newWorld(t)
	says := func(p agentprofile.Profile) string {
		found, err := prompt.Roles{Home: w.parts.Home, Profiles: always(p)}.Find(t.Context(), w.scene)
		require.NoError(t, err)
		one, ok := role.Find(found.Roles, "memory")
		require.True(t, ok)
		return one.Description
	}
	on := policy.Remembers{Subagent: true, Consumers: true}
	require.Contains(t, says(agentprofile.Profile{Remember: on, External: agentprofile.External{Private: true}}), "consumers")
	require.NotContains(t, says(agentprofile.Profile{Remember: on}), "consumers")
	require.NotContains(t, says(agentprofile.Profile{Remember: policy.Remembers{Subagent: true}, External: agentprofile.External{Private: true}}), "consumers")
}
