package store_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/extension/registry"
	"xbot/internal/extension/registry/registrystore"
	"xbot/internal/fault"
)

// skillOf is a bundle whose file says a word.
func skillOf(name, word string) registry.Bundle {
	return registry.Bundle{Kind: registry.Skill, Name: name, Description: "Does it.", Files: []registry.File{{Name: "SKILL.md", Data: []byte("---\nname: " + name + "\ndescription: Does it.\n---\n" + word)}}}
}

func (b *bundle) publishes(user chat.UserID, name, word string) registry.Entry {
	b.t.Helper()
	e, err := b.Registry.RegistryPublish(b.t.Context(), user, skillOf(name, word), registry.Terms{Visibility: registry.Everybody})
	require.NoError(b.t, err)
	return e
}

func TestRegistry_PublishedAtOnceVersionsHaveNumbersOfTheirOwnAndTheOldestGo(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	var all sync.WaitGroup
	for i := range 25 {
		all.Go(func() {
			_, err := b.Registry.RegistryPublish(ctx, b.user.ID, skillOf("ship", fmt.Sprint(i)), registry.Terms{})
			require.NoError(t, err)
		})
	}
	all.Wait()
	found, more, err := b.Registry.RegistryEntries(ctx, registrystore.Viewer{User: b.user.ID}, registry.Query{})
	require.NoError(t, err)
	require.False(t, more)
	require.Len(t, found, 1)
	require.Equal(t, 25, found[0].Version.Number)
	versions, err := b.Registry.RegistryVersions(ctx, registrystore.Viewer{User: b.user.ID}, found[0].ID)
	require.NoError(t, err)
	require.Len(t, versions, 20)
	require.Equal(t, 6, versions[19].Number)
}

func TestRegistry_ThereIsRoomForSoMuch(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	for i := range 100 {
		b.publishes(b.user.ID, fmt.Sprint("s", i), "x")
	}
	_, err := b.Registry.RegistryPublish(ctx, b.user.ID, skillOf("more", "x"), registry.Terms{})
	require.Equal(t, fault.TooLarge, fault.KindOf(err))
	found, more, err := b.Registry.RegistryEntries(ctx, registrystore.Viewer{User: b.user.ID}, registry.Query{Offset: 50})
	require.NoError(t, err)
	require.Len(t, found, 50, "what was refused is not there")
	require.False(t, more)
}

func TestRegistry_WithAPersonGoesWhatIsTheirsAndWhatOthersHaveInstalledStays(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	ann := b.member("ann")
	e := b.publishes(ann.ID, "ship", "hers")
	ours := b.publishes(b.user.ID, "plan", "ours")
	for _, o := range []struct {
		by    chat.UserID
		order registrystore.Order
	}{{ann.ID, registrystore.Order{Entry: ours.ID}}, {b.user.ID, registrystore.Order{Entry: e.ID}}, {ann.ID, registrystore.Order{Entry: e.ID, Shared: true}}} {
		_, err := b.Registry.RegistryInstall(ctx, registrystore.Viewer{User: o.by}, o.order)
		require.NoError(t, err)
	}
	require.NoError(t, b.Users.Delete(ctx, ann.ID, nil))
	require.NoError(t, b.Users.EndDeletion(ctx, ann.ID))
	require.Empty(t, b.left(ann.ID))
	has, err := b.Registry.RegistryInstalls(ctx, b.user.ID)
	require.NoError(t, err)
	require.Len(t, has, 2, "his, and that for everybody")
	for _, one := range has {
		require.Zero(t, one.Entry)
		require.Empty(t, one.Owner)
		packed, err := b.Registry.RegistryInstallBundle(ctx, b.user.ID, one.ID)
		require.NoError(t, err)
		require.NotEmpty(t, packed.Zip)
	}
}

func TestRegistry_WhatIsSwitchedOffStaysOffWithAnUpdateAndHidesWhatIsThereForEverybody(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	me := registrystore.Viewer{User: b.user.ID, Admin: true}
	e := b.publishes(b.user.ID, "ship", "one")
	for _, shared := range []bool{false, true} {
		_, err := b.Registry.RegistryInstall(ctx, me, registrystore.Order{Entry: e.ID, Shared: shared})
		require.NoError(t, err)
	}
	inForce := func() (list []registry.Copy) {
		list, err := b.Registry.RegistryInForce(ctx, b.user.ID, registry.Skill)
		require.NoError(t, err)
		return list
	}
	require.Len(t, inForce(), 1)
	mine := inForce()[0].ID
	_, err := b.Registry.EnableRegistryInstall(ctx, me, false, mine, false)
	require.NoError(t, err)
	require.Empty(t, inForce())
	b.publishes(b.user.ID, "ship", "two")
	_, err = b.Registry.RegistryInstall(ctx, me, registrystore.Order{Entry: e.ID})
	require.NoError(t, err)
	require.Empty(t, inForce())
	_, err = b.Registry.EnableRegistryInstall(ctx, me, false, mine, true)
	require.NoError(t, err)
	require.Equal(t, mine, inForce()[0].ID)
}
