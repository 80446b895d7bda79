package e2e

import (
	"archive/zip"
	"bytes"
	"context"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/extension/registry"
	"xbot/internal/fault"
)

// bundled is an archive with files; a name that ends with * is executable, one that ends with @ a link.
func bundled(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		head := &zip.FileHeader{Name: strings.TrimRight(name, "*@"), Method: zip.Deflate}
		switch {
		case strings.HasSuffix(name, "*"):
			head.SetMode(0o755)
		case strings.HasSuffix(name, "@"):
			head.SetMode(fs.ModeSymlink | 0o777)
		}
		to, err := w.CreateHeader(head)
		require.NoError(t, err)
		_, err = to.Write([]byte(files[name]))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

// ships is an archive of a skill whose script says a word.
func ships(t *testing.T, name, word string) []byte {
	t.Helper()
	return bundled(t, map[string]string{
		name + "/SKILL.md": "---\nname: " + name + "\ndescription: Ships it.\n---\nRun ship.sh.", name + "/ship.sh*": "#!/bin/sh\necho \"" + word + " by $0\"\n",
	})
}

// publishes publishes an archive.
func (s *server) publishes(archive []byte, seen string) apiclient.Entry {
	s.t.Helper()
	e, err := s.client.PublishBundle(s.t.Context(), apiclient.PublishBundleParams{Visibility: seen}, bytes.NewReader(archive))
	require.NoError(s.t, err)
	return e
}

// folderOf is where a loaded skill says that its files are.
func folderOf(t *testing.T, call chat.ToolCall) string {
	t.Helper()
	require.False(t, call.IsError, call.Result)
	_, rest, ok := strings.Cut(call.Result, "Folder: ")
	require.True(t, ok, call.Result)
	folder, _, _ := strings.Cut(rest, " (")
	return folder
}

func TestRegistry_WhatOnePersonPublishesAnotherInstallsLoadsAndRuns(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	ctx := t.Context()
	bob := s.colleague("bob")
	k := s.newTalk()
	does := func(lines ...string) chat.ToolCall {
		t.Helper()
		require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, k.send(lines...)).State)
		return k.lastCall()
	}
	bob.publishes(ships(t, "secret-ship", "hidden"), "private")
	bob.publishes(ships(t, "ship-it", "shipped"), "everybody")
	found, err := s.client.ListRegistryEntries(ctx, apiclient.ListRegistryEntriesParams{})
	require.NoError(t, err)
	require.Len(t, found.Entries, 1, "a private one is bob's alone")
	require.Equal(t, "bob", found.Entries[0].Owner)
	does("say hello")
	require.NotContains(t, s.lastSystem(), "ship-it", "nothing is installed by itself")

	k.send("/app install secret-ship")
	k.untilNotice(time.Minute, "There is no skill or role `secret-ship`")
	k.send("/app install ship-it")
	k.untilNotice(time.Minute, "**ship-it** is installed, version 1 by bob.")
	does("say hello")
	require.Contains(t, s.lastSystem(), "- ship-it: Ships it.", "it is listed in the conversation as it stands")
	does("/ship-it", "say shipping")
	require.Contains(t, s.lastWords(), "[/ship-it names a skill: load it with the tool Skill")
	loaded := does(`call Skill {"name":"ship-it"}`, "say loaded")
	require.Contains(t, loaded.Result, "Files: ship.sh\n\nRun ship.sh.")
	first := folderOf(t, loaded)
	require.Contains(t, does(`call Shell {"command":"`+first+`/ship.sh; echo echo changed > `+first+`/ship.sh"}`, "say ran").Result, "shipped by "+first+"/ship.sh")
	does(`call Skill {"name":"ship-it"}`, "say loaded")
	again, err := os.ReadFile(first + "/ship.sh")
	require.NoError(t, err)
	require.Contains(t, string(again), "shipped", "what a command wrote there is not what is run after the next load")

	e := bob.publishes(ships(t, "ship-it", "delivered"), "")
	require.Equal(t, 2, e.Version.Number)
	require.Equal(t, first, folderOf(t, does(`call Skill {"name":"ship-it"}`, "say loaded")), "a new version does not come by itself")
	k.send("/app list")
	k.untilNotice(time.Minute, "version 2 is there: `/app update ship-it`")
	k.send("/app update ship-it")
	k.untilNotice(time.Minute, "**ship-it** is installed, version 2 by bob.")
	second := folderOf(t, does(`call Skill {"name":"ship-it"}`, "say loaded"))
	require.NotEqual(t, first, second)
	require.Contains(t, does(`call Shell {"command":"`+second+`/ship.sh"}`, "say ran").Result, "delivered by")

	theirs := bob.newTalk()
	require.Equal(t, chat.TurnDone, theirs.untilEnded(time.Minute, theirs.send(`call Skill {"name":"ship-it"}`, "say done")).State)
	require.True(t, theirs.lastCall().IsError, "he has not installed it himself: %s", theirs.lastCall().Result)

	s.inForce(`{ disabledSkills: ["ship-it"] }`)
	require.Eventually(t, func() bool { return does(`call Skill {"name":"ship-it"}`, "say done").IsError }, time.Minute, 100*time.Millisecond)
	require.Contains(t, k.lastCall().Result, "administrators of this installation have switched off")
	require.NotContains(t, s.lastSystem(), "- ship-it:")
	k.send("/ship-it")
	k.untilNotice(time.Minute, "The administrators of this installation have switched off the skill `ship-it`.")
	s.inForce(`{}`)
	k.send("/app uninstall ship-it")
	k.untilNotice(time.Minute, "is uninstalled")
	require.True(t, does(`call Skill {"name":"ship-it"}`, "say done").IsError)
}

func TestRegistry_AHostileArchiveIsRefusedWhole(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	good := "---\nname: a\ndescription: d\n---\n"
	for name, archive := range map[string][]byte{
		"up":    bundled(t, map[string]string{"SKILL.md": good, "../../evil": "x"}),
		"root":  bundled(t, map[string]string{"SKILL.md": good, "/etc/evil": "x"}),
		"link":  bundled(t, map[string]string{"SKILL.md": good, "evil@": "/etc/passwd"}),
		"bomb":  bundled(t, map[string]string{"SKILL.md": good, "bomb": strings.Repeat("0", 200<<20)}),
		"large": bytes.Repeat([]byte("PK"), registry.MaxArchive),
	} {
		_, err := s.client.PublishBundle(t.Context(), apiclient.PublishBundleParams{}, bytes.NewReader(archive))
		require.Contains(t, []fault.Kind{fault.Invalid, fault.TooLarge}, fault.KindOf(err), "%s: %v", name, err)
	}
	found, err := s.client.ListRegistryEntries(t.Context(), apiclient.ListRegistryEntriesParams{})
	require.NoError(t, err)
	require.Empty(t, found.Entries)
}

func TestRegistry_AKillInTheMiddleOfAnInstallLeavesAllOrNothing(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	first := s.publishes(ships(t, "ship-it", "one"), "private")
	install := func(ctx context.Context) error {
		_, err := s.client.InstallRegistryEntry(ctx, apiclient.Installing{Entry: first.ID})
		return err
	}
	installed := func() []apiclient.Install {
		t.Helper()
		has, err := s.client.ListRegistryInstalls(t.Context())
		require.NoError(t, err)
		return has
	}
	s.killedAt("AFTER INSERT ON registry_installs", install)
	require.Empty(t, installed())
	require.NoError(t, install(t.Context()))
	was := installed()
	require.Len(t, was, 1)

	s.killedAt("AFTER INSERT ON registry_versions", func(ctx context.Context) error {
		_, err := s.client.PublishBundle(ctx, apiclient.PublishBundleParams{}, bytes.NewReader(ships(t, "ship-it", "two")))
		return err
	})
	require.Equal(t, was, installed(), "no version was published")
	s.publishes(ships(t, "ship-it", "two"), "")
	s.killedAt("AFTER UPDATE ON registry_installs", install)
	now := installed()
	require.Equal(t, 1, now[0].Number, "the one before is whole")
	require.Equal(t, 2, now[0].Newest)
	k := s.newTalk()
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, k.send(`call Skill {"name":"ship-it","file":"ship.sh"}`, "say read")).State)
	require.Contains(t, k.lastCall().Result, "one by")
	require.NoError(t, install(t.Context()))
	require.Equal(t, 2, installed()[0].Number)
}

func TestRegistry_ARoleIsPublishedInAChatAndHandedWorkByWhoeverHasInstalledIt(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	_, err := s.client.CreateRole(t.Context(), apiclient.RoleDefinition{
		Name: "scout", Description: "Looks where nobody looked.", Prompt: "You are the first scout.", Tools: []string{"Read"}, Enabled: true,
	})
	require.NoError(t, err)
	k, theirs := s.newTalk(), s.colleague("bob").newTalk()
	theirs.send("/app install scout")
	theirs.untilNotice(time.Minute, "There is no skill or role `scout`")
	k.send("/app publish scout everybody")
	k.untilNotice(time.Minute, "**scout** is published, version 1. It is found by everybody here.")
	theirs.send("/app search nobody looked")
	theirs.untilNotice(time.Minute, "**scout** (role, version 1, by admin): `Looks where nobody looked.`")
	theirs.send("/app install scout everybody")
	theirs.untilNotice(time.Minute, "Only administrators")
	theirs.send("/app install scout")
	theirs.untilNotice(time.Minute, "**scout** is installed, version 1 by admin.")
	theirs.send("/app export scout")
	theirs.untilNotice(time.Minute, s.url+"/api/registry/installs/1/bundle")
	require.Equal(t, chat.TurnDone, theirs.untilEnded(time.Minute, theirs.send(theirs.subagent(args{"role": "scout"}, "say seen"), "say done")).State)
	require.Len(t, s.handedTo("You are the first scout."), 1)
	require.NotContains(t, toolNames(s.handedTo("You are the first scout.")[0]), "Shell", "it has the tools that it was published with")
	theirs.send("/app")
	theirs.untilNotice(time.Minute, "**scout** (role, version 1)")
}
