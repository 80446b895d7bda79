package store_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/extension/role"
	"xbot/internal/fault"
)

func defined(name string) role.RoleDefinition {
	return role.RoleDefinition{Name: name, Description: "d", Prompt: "p", Tools: []string{"Read"}, Enabled: true}
}

func TestRoles_EachChangeIsAVersionWithWhoAndWhen(t *testing.T) {
	b := setup(t)
	ctx, ann := t.Context(), b.member("ann")
	made, err := b.Roles.AddRole(ctx, ann.ID, defined("Scout"), ann.ID)
	require.NoError(t, err)
	require.EqualValues(t, 1, made.Revision)
	require.Equal(t, "ann", made.ChangedBy)
	_, err = b.Roles.AddRole(ctx, ann.ID, defined("scout"), ann.ID)
	require.Equal(t, fault.Conflict, b.kind(err), "names are compared in small letters")
	other, err := b.Roles.AddRole(ctx, ann.ID, defined("other"), ann.ID)
	require.NoError(t, err)

	d := made.RoleDefinition
	d.Prompt = "q"
	changed, err := b.Roles.SetOwnRole(ctx, ann.ID, made.ID, d, 1, b.user.ID)
	require.NoError(t, err)
	require.EqualValues(t, 2, changed.Revision)
	require.Equal(t, "admin", changed.ChangedBy)
	same, err := b.Roles.SetOwnRole(ctx, ann.ID, made.ID, d, 1, ann.ID)
	require.NoError(t, err)
	require.Equal(t, changed, same, "what is there already changes nothing")
	_, err = b.Roles.SetOwnRole(ctx, ann.ID, made.ID, defined("scout2"), 1, ann.ID)
	require.Equal(t, fault.Conflict, b.kind(err), "it was made from an older one")
	_, err = b.Roles.SetOwnRole(ctx, ann.ID, other.ID, defined("SCOUT"), 1, ann.ID)
	require.Equal(t, fault.Conflict, b.kind(err), "the name is another's")
	off, err := b.Roles.EnableRole(ctx, ann.ID, made.ID, false, ann.ID)
	require.NoError(t, err)
	require.False(t, off.Enabled)

	back, err := b.Roles.RollRoleBack(ctx, ann.ID, made.ID, 1, 3, ann.ID)
	require.NoError(t, err)
	require.EqualValues(t, 4, back.Revision)
	require.Equal(t, made.RoleDefinition, back.RoleDefinition)
	_, err = b.Roles.RollRoleBack(ctx, ann.ID, made.ID, 9, 4, ann.ID)
	require.Equal(t, fault.NotFound, b.kind(err))
	versions, err := b.Roles.RoleVersions(ctx, ann.ID, made.ID)
	require.NoError(t, err)
	require.Len(t, versions, 4)
	require.Equal(t, back.Change, versions[0].Change)
	require.Equal(t, made.RoleDefinition, versions[3].RoleDefinition)
}

func TestRoles_OfSomebodyElseLookLikeNone(t *testing.T) {
	b := setup(t)
	ctx, ann := t.Context(), b.member("ann")
	made, err := b.Roles.AddRole(ctx, ann.ID, defined("scout"), ann.ID)
	require.NoError(t, err)
	_, err = b.Roles.AddRole(ctx, b.user.ID, defined("scout"), b.user.ID)
	require.NoError(t, err, "each person has names of their own")
	_, err = b.Roles.OwnRole(ctx, b.user.ID, made.ID)
	require.Equal(t, fault.NotFound, b.kind(err))
	_, err = b.Roles.SetOwnRole(ctx, b.user.ID, made.ID, defined("x"), 1, b.user.ID)
	require.Equal(t, fault.NotFound, b.kind(err))
	_, err = b.Roles.EnableRole(ctx, b.user.ID, made.ID, false, b.user.ID)
	require.Equal(t, fault.NotFound, b.kind(err))
	_, err = b.Roles.RollRoleBack(ctx, b.user.ID, made.ID, 1, 1, b.user.ID)
	require.Equal(t, fault.NotFound, b.kind(err))
	_, err = b.Roles.RoleVersions(ctx, b.user.ID, made.ID)
	require.Equal(t, fault.NotFound, b.kind(err))
	require.Equal(t, fault.NotFound, b.kind(b.Roles.DeleteRole(ctx, b.user.ID, made.ID)))
	require.NoError(t, b.Roles.DeleteRole(ctx, ann.ID, made.ID))
	kept, err := b.Roles.RolesOf(ctx, ann.ID)
	require.NoError(t, err)
	require.Empty(t, kept.Roles)
}

func TestRoles_AreBoundedHoweverManyAreMadeAtOnceAndOldVersionsGo(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	var wg sync.WaitGroup
	for i := range 110 {
		wg.Go(func() {
			_, _ = b.Roles.AddRole(ctx, b.user.ID, defined(fmt.Sprint("r", i)), b.user.ID) // some are too many
		})
	}
	wg.Wait()
	kept, err := b.Roles.RolesOf(ctx, b.user.ID)
	require.NoError(t, err)
	require.Len(t, kept.Roles, 100)
	id := kept.Roles[0].ID
	for i := range 101 {
		_, err := b.Roles.EnableRole(ctx, b.user.ID, id, i%2 == 1, b.user.ID)
		require.NoError(t, err)
	}
	versions, err := b.Roles.RoleVersions(ctx, b.user.ID, id)
	require.NoError(t, err)
	require.Len(t, versions, 100)
	require.EqualValues(t, 102, versions[0].Revision)
}

func TestOwnPrompts_WhatRolesAreDiffersWithEachChange(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	seen := map[string]bool{}
	differs := func() {
		t.Helper()
		own, err := b.Prompts.OwnPrompts(ctx, b.user.ID)
		require.NoError(t, err)
		require.False(t, seen[own.Roles], own.Roles)
		seen[own.Roles] = true
	}
	differs()
	require.Contains(t, seen, "", "nobody has any")
	made, err := b.Roles.AddRole(ctx, b.user.ID, defined("scout"), b.user.ID)
	require.NoError(t, err)
	differs()
	_, err = b.Roles.EnableRole(ctx, b.user.ID, made.ID, false, b.user.ID)
	require.NoError(t, err)
	differs()
	require.NoError(t, b.Roles.SwitchRole(ctx, b.user.ID, "Coder", false, b.user.ID))
	differs()
	kept, err := b.Roles.RolesOf(ctx, b.user.ID)
	require.NoError(t, err)
	require.False(t, kept.Has("coder"))
	require.Equal(t, "admin", kept.Switches[0].ChangedBy)
	require.NoError(t, b.Roles.DeleteRole(ctx, b.user.ID, made.ID))
	differs()
}

func TestPrompts_EachChangeIsAVersionAndTheNewestIsInForce(t *testing.T) {
	b := setup(t)
	ctx, me := t.Context(), b.user.ID
	set := func(content string, from int) error {
		return b.Prompts.SetPrompt(ctx, me, chat.PromptSystem, chat.PromptDraft{Content: content, From: from}, me)
	}
	require.NoError(t, set("", 0), "there is nothing to reset")
	require.NoError(t, set("one", 0))
	require.NoError(t, set("one", 0), "what is there already changes nothing")
	require.Equal(t, fault.Conflict, b.kind(set("two", 0)))
	require.NoError(t, set("two", 1))
	require.NoError(t, b.Prompts.SetPrompt(ctx, me, "memory", chat.PromptDraft{Content: "words"}, me))
	own, err := b.Prompts.OwnPrompts(ctx, me)
	require.NoError(t, err)
	require.Equal(t, map[string]chat.OwnPrompt{chat.PromptSystem: {Content: "two"}, "memory": {Content: "words"}}, own.Sections)
	require.NoError(t, set("", 2))
	own, err = b.Prompts.OwnPrompts(ctx, me)
	require.NoError(t, err)
	require.Len(t, own.Sections, 1, "it was reset")

	versions, err := b.Prompts.PromptVersions(ctx, me, chat.PromptSystem)
	require.NoError(t, err)
	require.Len(t, versions, 3)
	require.Equal(t, "v3", versions[0].Label)
	require.Zero(t, versions[0].Characters)
	require.Equal(t, 3, versions[1].Characters)
	require.Equal(t, "admin", versions[1].ChangedBy)
	require.Equal(t, fault.Conflict, b.kind(b.Prompts.DeletePromptVersion(ctx, me, chat.PromptSystem, 3)), "it is in force")
	label := "the good one"
	require.NoError(t, b.Prompts.NotePrompt(ctx, me, chat.PromptSystem, 2, &label, nil))
	two, err := b.Prompts.PromptVersion(ctx, me, chat.PromptSystem, 2)
	require.NoError(t, err)
	require.Equal(t, label, two.Label)
	require.Equal(t, "two", two.Content)
	require.NoError(t, b.Prompts.DeletePromptVersion(ctx, me, chat.PromptSystem, 1))
	require.Equal(t, fault.NotFound, b.kind(b.Prompts.DeletePromptVersion(ctx, me, chat.PromptSystem, 1)))
	require.Equal(t, fault.NotFound, b.kind(b.Prompts.NotePrompt(ctx, me, chat.PromptSystem, 1, &label, nil)))

	ann := b.member("ann")
	_, err = b.Prompts.PromptVersion(ctx, ann.ID, chat.PromptSystem, 2)
	require.Equal(t, fault.NotFound, b.kind(err), "somebody else's")
	own, err = b.Prompts.OwnPrompts(ctx, ann.ID)
	require.NoError(t, err)
	require.Empty(t, own.Sections)
}

func TestPrompts_TwoHundredVersionsAreKept(t *testing.T) {
	b := setup(t)
	for i := range 203 {
		require.NoError(t, b.Prompts.SetPrompt(t.Context(), b.user.ID, "memory", chat.PromptDraft{Content: fmt.Sprint(i), From: i}, b.user.ID))
	}
	versions, err := b.Prompts.PromptVersions(t.Context(), b.user.ID, "memory")
	require.NoError(t, err)
	require.Len(t, versions, 200)
	require.Equal(t, 203, versions[0].Version)
	require.Equal(t, 4, versions[199].Version)
}
