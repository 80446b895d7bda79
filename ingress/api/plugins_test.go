package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	apiplugins "xbot/ingress/api/plugins"
	"xbot/internal/chat"
	"xbot/internal/extension/plugin"
	"xbot/internal/extension/plugin/installed"
	"xbot/internal/fault"
	"xbot/internal/secret"
)

// pluginFiles are a plugin with a secret setting.
func pluginFiles(t *testing.T, id string) plugin.Tree {
	t.Helper()
	manifest, err := json.Marshal(object{
		"id": id, "name": id, "version": "1", "runtime": "script", "command": []string{"./run"}, "permissions": []string{"network", "hooks"},
		"contributes": object{
			"tools": []object{{"name": "look", "description": "Looks.", "read_only": true}, {"name": "buy", "description": "Buys."}}, "hooks": []object{{"event": "AgentStop"}, {"event": "PreToolUse", "if": "Shell(look *)"}}, "commands": []object{{"name": "look" + id, "help": object{"en": "looks"}}},
			"settings": []object{{"name": "token", "type": "secret", "required": true}, {"name": "limit", "type": "number", "default": 3}},
		},
	})
	require.NoError(t, err)
	return plugin.Tree{plugin.ManifestName: {Data: manifest}, "run": {Data: []byte("#!/bin/sh\n"), Exec: true}}
}

// starter starts plugins, or does not.
type starter struct{ err error }

func (s *starter) Start(context.Context, installed.Plugin, plugin.Tree, plugin.Values) error {
	return s.err
}

// plugin installs one with settings, as an operator does.
func (b *bundle) plugin(id string, settings plugin.Values) {
	b.t.Helper()
	known := &installed.Plugins{Rows: b.store.Plugins, Key: secret.Key{1}, Starter: &starter{}}
	_, err := known.Install(b.t.Context(), pluginFiles(b.t, id), plugin.Grant{Permissions: plugin.Permissions()}, b.alice.user.ID)
	require.NoError(b.t, err)
	require.NoError(b.t, known.Change(b.t.Context(), id, nil, settings, 0, b.alice.user.ID))
}

// upload posts an archive.
func (p *person) upload(path string, archive []byte) answer {
	p.t.Helper()
	return p.do(p, http.MethodPost, path, string(archive))
}

func TestPlugins_AreLookedAtInstalledChangedAndRemovedByAdministrators(t *testing.T) {
	b := setup(t)
	files := pluginFiles(t, "looker")
	archive, err := files.Zip()
	require.NoError(t, err)
	var draft apiplugins.PluginDraft
	b.alice.upload("/api/plugins/check", archive).is(http.StatusOK, &draft)
	require.Equal(t, []apiplugins.PluginTool{{Name: "plugin_looker_look", Description: "Looks.", Class: chat.ClassRead}, {Name: "plugin_looker_buy", Description: "Buys.", Class: chat.ClassOnce}}, draft.Tools)
	require.Equal(t, []apiplugins.PluginHook{{Event: "AgentStop", OnError: "allow"}, {Event: "PreToolUse", If: "Shell(look *)", OnError: "deny"}}, draft.Hooks)
	require.Equal(t, []string{"./run"}, draft.Program)
	require.Equal(t, "opens connections to other machines and to programs of this one", draft.Permissions[0].Means)
	var all apiplugins.Plugins
	b.alice.get("/api/plugins").is(http.StatusOK, &all)
	require.Empty(t, all.Plugins, "nothing was installed")

	at := "/api/plugins?digest=" + draft.Digest + "&permissions="
	require.Contains(t, b.alice.upload(at+"network", archive).problem(http.StatusForbidden), "asks for the permission hooks")
	require.Contains(t, b.alice.upload("/api/plugins?permissions=network&permissions=hooks&digest="+strings.Repeat("0", 64), archive).problem(http.StatusConflict), "look at it again")
	var made apiplugins.Plugin
	b.alice.upload(at+"network&permissions=hooks", archive).is(http.StatusOK, &made)
	require.Equal(t, []string{"token"}, made.Missing)
	require.Equal(t, chat.ClassIdempotent, made.Tools[0].Class, "of a tool that nobody believed to be read-only it is not believed")
	b.alice.upload(at+"network&permissions=hooks&read_only=plugin_looker_look&read_only=plugin_looker_buy", archive).is(http.StatusOK, &made)
	require.Equal(t, []chat.ToolClass{chat.ClassRead, chat.ClassOnce}, []chat.ToolClass{made.Tools[0].Class, made.Tools[1].Class})
	require.Equal(t, "alice", made.ChangedBy)

	got := b.do(b.alice, http.MethodPatch, "/api/plugins/looker", object{"settings": object{"token": "sk-of-alice", "limit": 5}, "revision": made.Revision})
	made = apiplugins.Plugin{}
	got.is(http.StatusOK, &made)
	require.NotContains(t, string(got.body), "sk-of-alice", "a secret is never shown again")
	require.Empty(t, made.Missing)
	require.EqualValues(t, 5, made.Settings[1].Value)
	b.do(b.alice, http.MethodPatch, "/api/plugins/looker", object{"settings": object{"limit": 6}, "revision": 1}).problem(http.StatusConflict)
	b.do(b.alice, http.MethodPatch, "/api/plugins/looker", object{"settings": object{"limit": "many"}}).problem(http.StatusBadRequest)
	b.do(b.alice, http.MethodPatch, "/api/plugins/looker", object{"settings": object{"limit": "many"}, "enabled": false}).problem(http.StatusBadRequest)
	b.alice.get("/api/plugins").is(http.StatusOK, &all)
	require.True(t, all.Plugins[0].Enabled, "all of a change or nothing")
	before := made.Revision
	b.do(b.alice, http.MethodPatch, "/api/plugins/looker", object{"settings": object{"limit": 7}, "enabled": false}).is(http.StatusOK, &made)
	require.False(t, made.Enabled)
	require.EqualValues(t, 7, made.Settings[1].Value)
	require.Equal(t, before+1, made.Revision, "in one step")
	b.alice.upload("/api/plugins/check", archive).is(http.StatusOK, &draft)
	require.Equal(t, "1", draft.Replaces)
	before = made.Revision
	b.alice.post("/api/plugins/looker/reload", nil).is(http.StatusOK, &made)
	require.Equal(t, before+1, made.Revision)
	b.alice.delete("/api/plugins/looker").is(http.StatusNoContent, nil)
	b.alice.delete("/api/plugins/looker").problem(http.StatusNotFound)
	require.Eventually(t, func() bool {
		b.alice.get("/api/plugins").is(http.StatusOK, &all)
		return len(all.Plugins) == 0
	}, time.Minute, 10*time.Millisecond)
}

func TestPlugins_WhatDoesNotStartIsNotInstalledAndReplacesNothing(t *testing.T) {
	b := setup(t)
	install := func(files plugin.Tree) answer {
		archive, err := files.Zip()
		require.NoError(t, err)
		return b.alice.upload("/api/plugins?permissions=network&permissions=hooks&digest="+files.Digest(), archive)
	}
	listed := func() []apiplugins.Plugin {
		var all apiplugins.Plugins
		b.alice.get("/api/plugins").is(http.StatusOK, &all)
		return all.Plugins
	}
	first, second := pluginFiles(t, "looker"), pluginFiles(t, "looker")
	second["more"] = first["run"]
	b.starter.err = fault.Errorf(fault.Invalid, "the plugin looker 1 does not start: exit code 1")
	require.Contains(t, install(first).problem(http.StatusBadRequest), "exit code 1")
	require.Empty(t, listed())
	b.starter.err = nil
	install(first).is(http.StatusOK, nil)
	b.starter.err = fault.Errorf(fault.Conflict, "plugins cannot be confined on this system")
	require.Contains(t, install(second).problem(http.StatusConflict), "cannot be confined")
	require.Equal(t, first.Digest(), listed()[0].Digest)

	require.NoError(t, b.store.Plugins.SetPluginFailure(t.Context(), "looker", listed()[0].Revision, "exit code 3"))
	require.Eventually(t, func() bool { return listed()[0].Failure == "exit code 3" && listed()[0].FailureAt != nil }, time.Minute, 10*time.Millisecond)
}

func TestPlugins_AnotherVersionShowsNoSecretThatWasGivenToTheOneBefore(t *testing.T) {
	b := setup(t)
	b.plugin("looker", plugin.Values{"token": "sk-of-alice", "limit": 5.0})
	files := pluginFiles(t, "looker")
	files[plugin.ManifestName] = plugin.File{Data: []byte(strings.Replace(string(files[plugin.ManifestName].Data), `"secret"`, `"string"`, 1))}
	archive, err := files.Zip()
	require.NoError(t, err)
	var made apiplugins.Plugin
	got := b.alice.upload("/api/plugins?permissions=network&permissions=hooks&digest="+files.Digest(), archive)
	got.is(http.StatusOK, &made)
	require.NotContains(t, string(got.body), "sk-of-alice")
	require.Equal(t, []string{"token"}, made.Missing)
	require.EqualValues(t, 5, made.Settings[1].Value)
}

func TestPlugins_MembersReachNoneOfIt(t *testing.T) {
	b := setup(t)
	archive, err := pluginFiles(t, "looker").Zip()
	require.NoError(t, err)
	b.bob.get("/api/plugins").problem(http.StatusForbidden)
	b.bob.upload("/api/plugins/check", archive).problem(http.StatusForbidden)
	b.bob.upload("/api/plugins?digest="+pluginFiles(t, "looker").Digest()+"&permissions=network&permissions=hooks", archive).problem(http.StatusForbidden)
	require.Contains(t, b.alice.upload("/api/plugins/check", []byte("no archive")).problem(http.StatusBadRequest), "no zip or tar")
}
