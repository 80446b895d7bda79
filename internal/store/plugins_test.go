package store_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/extension/plugin/pluginstore"
	"xbot/internal/fault"
	"xbot/internal/secret"
)

// keeps lets every plugin in, with settings.
type keeps struct{ seen []string }

func (k *keeps) Beside(all []pluginstore.Plugin) ([]byte, error) {
	for _, p := range all {
		k.seen = append(k.seen, p.ID)
		if p.Secrets != nil {
			return p.Secrets, nil
		}
	}
	return secret.Key{1}.Seal([]byte(`{}`)), nil
}

func (b *bundle) plugin(id, version string) {
	b.t.Helper()
	row := pluginstore.Plugin{ID: id, Version: version, Digest: strings.Repeat("a", 64), Manifest: json.RawMessage(`{"id":"` + id + `"}`), Permissions: []string{"network"}, ReadOnly: []string{"plugin_" + id + "_v" + version}}
	require.NoError(b.t, b.Plugins.InstallPlugin(b.t.Context(), row, []byte("archive of "+version), b.user.ID, &keeps{}))
}

func TestPlugins_AnotherVersionTakesThePlaceAndKeepsSettingsAndValues(t *testing.T) {
	b, ctx := setup(t), t.Context()
	b.plugin("feeds", "1")
	first, err := b.Plugins.Plugins(ctx)
	require.NoError(t, err)
	require.NoError(t, b.Plugins.SetPluginProblem(ctx, "feeds", first[0].Revision, "it crashed"))
	require.NoError(t, b.Plugins.SetPluginProblem(ctx, "feeds", first[0].Revision+70, "of another revision"))
	require.NoError(t, b.Plugins.SetPluginFailure(ctx, "feeds", first[0].Revision, "it ended"))
	require.NoError(t, b.Plugins.SetPluginFailure(ctx, "feeds", first[0].Revision+70, "of another revision"))
	require.NoError(t, b.Plugins.SetPluginValue(ctx, "feeds", 0, "k", "v"))
	require.NoError(t, b.Plugins.SetPluginProblem(ctx, "feeds", first[0].Revision, ""))
	well, err := b.Plugins.Plugins(ctx)
	require.NoError(t, err)
	require.Equal(t, "it ended", well[0].Failure, "also after it worked again")
	require.NoError(t, b.Plugins.SetPluginProblem(ctx, "feeds", first[0].Revision, "it crashed"))
	all, err := b.Plugins.Plugins(ctx)
	require.NoError(t, err)
	require.Equal(t, "it crashed", all[0].Problem)
	require.NotNil(t, all[0].ProblemAt)
	require.NotNil(t, all[0].FailureAt)
	b.plugin("feeds", "2")
	now, err := b.Plugins.Plugins(ctx)
	require.NoError(t, err)
	require.Len(t, now, 1)
	require.Equal(t, "2", now[0].Version)
	require.Greater(t, now[0].Revision, all[0].Revision)
	require.Equal(t, all[0].Installation, now[0].Installation, "its data folder stays")
	require.Empty(t, now[0].Problem)
	require.Empty(t, now[0].Failure)
	require.Nil(t, now[0].FailureAt)
	require.Equal(t, all[0].Secrets, now[0].Secrets)
	require.Equal(t, []string{"plugin_feeds_v2"}, now[0].ReadOnly, "of another version an administrator is shown anew")
	require.Equal(t, "admin", now[0].ChangedBy)
	_, archive, err := b.Plugins.PluginArchive(ctx, "feeds")
	require.NoError(t, err)
	require.Equal(t, "archive of 2", string(archive))
	value, ok, err := b.Plugins.PluginValue(ctx, "feeds", 0, "k")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "v", value)
	off := false
	require.NoError(t, b.Plugins.ChangePlugin(ctx, "feeds", pluginstore.Change{Enabled: &off}, 0))
	require.Equal(t, fault.Conflict, fault.KindOf(b.Plugins.ChangePlugin(ctx, "feeds", pluginstore.Change{Revision: now[0].Revision}, 0)))
	require.Equal(t, fault.NotFound, fault.KindOf(b.Plugins.ChangePlugin(ctx, "none", pluginstore.Change{}, 0)))
	require.NoError(t, b.Plugins.RemovePlugin(ctx, "feeds"))
	require.Equal(t, fault.NotFound, fault.KindOf(b.Plugins.RemovePlugin(ctx, "feeds")))
	require.Equal(t, fault.NotFound, fault.KindOf(b.Plugins.SetPluginValue(ctx, "feeds", 0, "k", "v")))
	_, ok, err = b.Plugins.PluginValue(ctx, "feeds", 0, "k")
	require.NoError(t, err)
	require.False(t, ok, "its values went with it")
}

func TestPlugins_ValuesAreApartByPluginAndPersonAndBounded(t *testing.T) {
	b, ctx := setup(t), t.Context()
	ann := b.member("ann")
	b.plugin("a", "1")
	b.plugin("b", "1")
	for range 2 { // the second is the same
		require.NoError(t, b.Plugins.SetPluginValue(ctx, "a", 0, "k", "own"))
		require.NoError(t, b.Plugins.SetPluginValue(ctx, "a", ann.ID, "k", "of ann"))
		require.NoError(t, b.Plugins.SetPluginValue(ctx, "b", ann.ID, "k", "of b"))
	}
	value, _, err := b.Plugins.PluginValue(ctx, "a", ann.ID, "k")
	require.NoError(t, err)
	require.Equal(t, "of ann", value)
	for i := range 3 {
		require.NoError(t, b.Plugins.SetPluginValue(ctx, "a", 0, fmt.Sprintf("list/%d", i), "x"))
	}
	keys, err := b.Plugins.PluginKeys(ctx, "a", 0, "list/", "list/0")
	require.NoError(t, err)
	require.Equal(t, []string{"list/1", "list/2"}, keys)
	require.NoError(t, b.Plugins.DeletePluginValue(ctx, "a", 0, "k"))
	require.NoError(t, b.Plugins.DeletePluginValue(ctx, "a", 0, "k"))
	_, ok, err := b.Plugins.PluginValue(ctx, "a", 0, "k")
	require.NoError(t, err)
	require.False(t, ok)
	for key, value := range map[string]string{"": "x", strings.Repeat("k", 257): "x", "a\x00": "x", "v": strings.Repeat("v", 64<<10+1), "n": "\x00", "u": "\xff"} {
		require.Equal(t, fault.Invalid, fault.KindOf(b.Plugins.SetPluginValue(ctx, "a", 0, key, value)), "%q", key)
	}
	require.Error(t, b.Plugins.SetPluginValue(ctx, "a", 999, "k", "of nobody"))
	big := strings.Repeat("v", 64<<10)
	for i := 0; ; i++ {
		if err := b.Plugins.SetPluginValue(ctx, "a", ann.ID, fmt.Sprint("big", i), big); err != nil {
			require.Equal(t, fault.TooLarge, fault.KindOf(err))
			require.Greater(t, i, 250)
			break
		}
		require.Less(t, i, 257)
	}
	require.NoError(t, b.Plugins.SetPluginValue(ctx, "b", 0, "k", "another plugin has its own room"))
}

func TestPlugins_OneInstalledAnewHasAnotherFolderAndALaterRevision(t *testing.T) {
	b, ctx := setup(t), t.Context()
	b.plugin("feeds", "1")
	before, err := b.Plugins.Plugins(ctx)
	require.NoError(t, err)
	require.NoError(t, b.Plugins.RemovePlugin(ctx, "feeds"))
	b.plugin("feeds", "1")
	after, err := b.Plugins.Plugins(ctx)
	require.NoError(t, err)
	require.Greater(t, after[0].Revision, before[0].Revision)
	require.NotEqual(t, before[0].Installation, after[0].Installation)
}

func TestPlugins_WhatTheyKeepIsCountedAsItChanges(t *testing.T) {
	b, ctx := setup(t), t.Context()
	b.plugin("feeds", "1")
	ann := b.member("ann")
	counted := func() (keys, bytes int) {
		require.NoError(t, b.pool.QueryRow(ctx, "SELECT kept_keys, kept_bytes FROM plugins").Scan(&keys, &bytes))
		return keys, bytes
	}
	expect := func(keys, bytes int) {
		t.Helper()
		k, n := counted()
		require.Equal(t, [2]int{keys, bytes}, [2]int{k, n})
	}
	require.NoError(t, b.Plugins.SetPluginValue(ctx, "feeds", 0, "k", "12345"))
	require.NoError(t, b.Plugins.SetPluginValue(ctx, "feeds", 0, "k", "123"))
	require.NoError(t, b.Plugins.SetPluginValue(ctx, "feeds", ann.ID, "k", "1"))
	expect(2, 6)
	require.NoError(t, b.Plugins.DeletePluginValue(ctx, "feeds", 0, "k"))
	require.NoError(t, b.Plugins.DeletePluginValue(ctx, "feeds", 0, "k"))
	expect(1, 2)
	require.Equal(t, fault.Invalid, fault.KindOf(b.Plugins.SetPluginValue(ctx, "feeds", 1<<40, "k", "1")), "nobody's")
	expect(1, 2)
}
