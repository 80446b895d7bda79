package plugin_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/automation/hook"
	"xbot/internal/extension/plugin"
	"xbot/internal/fault"
)

// whole has everything that a manifest can have.
const whole = `{
	"id": "feeds", "name": "Feeds", "version": "1.0.0-rc.1", "description": "Reads feeds.", "runtime": "stdio",
	"command": {"linux": ["./feeds"], "linux/arm64": ["./feeds-arm", "-v"]}, "permissions": ["network", "storage", "hooks", "prompt"], "timeout": 60,
	"contributes": {
		"tools": [{"name": "read", "description": "Reads.", "parameters": {"type": "object", "properties": {"url": {"type": "string"}}}, "read_only": true}, {"name": "add_one", "description": "Adds."}],
		"hooks": [{"event": "PreToolUse", "matcher": "Shell", "if": "Shell(rm *)", "on_error": "allow"}, {"event": "AgentStop"}],
		"enrichers": [{"name": "unread"}],
		"commands": [{"name": "feeds", "usage": "[list|add URL]", "help": {"en": "shows feeds", "zh": "显示源"}, "admin": true}],
		"settings": [
			{"name": "token", "type": "secret", "required": true}, {"name": "limit", "type": "number", "default": 3}, {"name": "mode", "type": "choice", "choices": ["a", "b"], "default": "a"},
			{"name": "on", "type": "boolean"}, {"name": "text", "type": "string", "title": {"en": "Text"}}
		]
	}
}`

func TestParse_ReadsAWholeManifest(t *testing.T) {
	m, err := plugin.Parse([]byte(whole))
	require.NoError(t, err)
	require.Equal(t, []string{"./feeds-arm", "-v"}, m.Command.On("linux", "arm64"))
	require.Equal(t, []string{"./feeds"}, m.Command.On("linux", "amd64"))
	require.Nil(t, m.Command.On("darwin", "arm64"))
	require.Equal(t, "plugin_feeds_add_one", plugin.ToolName(m.ID, m.Contributes.Tools[1].Name))
	require.JSONEq(t, `{"type":"object","properties":{}}`, string(m.Contributes.Tools[1].Parameters), "without parameters it has none")
	h, err := m.Contributes.Hooks[0].Handler(m.ID)
	require.NoError(t, err)
	require.Equal(t, hook.Allow, h.OnError)
	require.Equal(t, plugin.HookTime, h.Timeout)
	require.Equal(t, "plugin: feeds", h.Label())
	again, err := json.Marshal(m)
	require.NoError(t, err)
	require.NotEmpty(t, again)
}

func TestParse_SaysWhatIsWrongAndWhere(t *testing.T) {
	for change, says := range map[string]string{
		`"id": "feeds"|"id": "Feeds"`:                                "plugin.json, id:",
		`"id": "feeds"|"id": "../x"`:                                 "plugin.json, id:",
		`"id": "feeds"|"id": "a_b"`:                                  "plugin.json, id:",
		`"name": "Feeds"|"name": "a\nb"`:                             "plugin.json, name:",
		`"name": "Feeds"|"nick": "Feeds"`:                            `unknown field "nick"`,
		`"version": "1.0.0-rc.1"|"version": "1 0"`:                   "plugin.json, version:",
		`"runtime": "stdio"|"runtime": "native"`:                     "stdio or script",
		`"runtime": "stdio"|"runtime": "script"`:                     "leave storage out",
		`{"linux": ["./feeds"]|{"Linux!": ["./feeds"]`:               "is no system",
		`{"linux": ["./feeds"]|{"linux": []`:                         "plugin.json, command:",
		`{"linux": ["./feeds"]|{"linux": ["-c"]`:                     "plugin.json, command:",
		`"network", "storage"|"network", "root"`:                     `no permission "root"`,
		`"network", "storage"|"network", "network"`:                  "there twice",
		`, "hooks", "prompt"]|, "prompt"]`:                           "asks for the permission hooks",
		`, "hooks", "prompt"]|, "hooks"]`:                            "asks for the permission prompt",
		`"timeout": 60|"timeout": 61`:                                "1 to 60",
		`"timeout": 60|"timeout": -1`:                                "1 to 60",
		`"name": "add_one"|"name": "re_ad"`:                          "the same but for underscores",
		`"name": "add_one"|"name": "add-one"`:                        "plugin.json, contributes.tools:",
		`"description": "Adds."|"description": ""`:                   "its description",
		`"parameters": {"type": "object"|"parameters": {"type": "x"`: "JSON Schema of an object",
		`"event": "AgentStop"|"event": "Nothing"`:                    `no event "Nothing"`,
		`"event": "AgentStop"|"event": "AgentStop", "matcher": "x"`:  "nothing to match",
		`"matcher": "Shell"|"matcher": "("`:                          "no regular expression",
		`"on_error": "allow"|"on_error": "maybe"`:                    "one of allow, ask and deny",
		`{"name": "unread"}|{"name": "unread"}, {"name": "unread"}`:  "plugin.json, contributes.enrichers:",
		`{"name": "feeds", "usage"|{"name": "Fe eds", "usage"`:       "plugin.json, contributes.commands:",
		`"type": "secret"|"type": "secret", "default": "x"`:          "a secret has no default",
		`"type": "number"|"type": "string"`:                          "its default is none of its values",
		`"type": "boolean"|"type": "choice"`:                         "1 to 32 choices",
		`"type": "boolean"|"type": "bool"`:                           "its type has to be",
		`"Reads feeds."|"Reads\u0000feeds."`:                         "NUL",
	} {
		from, to, _ := strings.Cut(change, "|")
		require.Contains(t, whole, from)
		_, err := plugin.Parse([]byte(strings.Replace(whole, from, to, 1)))
		require.ErrorContains(t, err, says, change)
		require.Equal(t, fault.Invalid, fault.KindOf(err), change)
	}
	for _, text := range []string{"", "[]", "null", "{}", whole + "{}", "{"} {
		_, err := plugin.Parse([]byte(text))
		require.Equal(t, fault.Invalid, fault.KindOf(err), text)
	}
	_, err := plugin.Parse(make([]byte, 1<<20))
	require.Equal(t, fault.TooLarge, fault.KindOf(err))
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte(`{"id":"a","command":{"":["x"]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := plugin.Parse(text)
		if err != nil {
			require.NotEqual(t, fault.Internal, fault.KindOf(err), "%s", err)
			return
		}
		for _, h := range m.Contributes.Hooks {
			_, err := h.Handler(m.ID)
			require.NoError(t, err)
		}
		for _, tool := range m.Contributes.Tools {
			require.LessOrEqual(t, len(plugin.ToolName(m.ID, tool.Name)), 64, "providers take no longer names")
		}
	})
}

func TestExamples_HaveManifestsThatAreRead(t *testing.T) {
	found, err := filepath.Glob("../../../examples/plugins/*/plugin.json")
	require.NoError(t, err)
	require.Len(t, found, 3)
	for _, path := range found {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		m, err := plugin.Parse(text)
		require.NoError(t, err, path)
		require.Equal(t, filepath.Base(filepath.Dir(path)), m.ID)
	}
}

func TestSettings_AreCheckedAndDefaultsAreTold(t *testing.T) {
	m, err := plugin.Parse([]byte(whole))
	require.NoError(t, err)
	values, err := m.Change(plugin.Values{}, plugin.Values{"token": "s", "limit": 7.0, "mode": "b"})
	require.NoError(t, err)
	require.Equal(t, plugin.Values{"token": "s", "limit": 7.0, "mode": "b"}, m.EffectiveValues(values))
	require.Empty(t, m.Missing(values))
	values, err = m.Change(values, plugin.Values{"token": nil, "mode": nil})
	require.NoError(t, err)
	require.Equal(t, plugin.Values{"limit": 7.0, "mode": "a"}, m.EffectiveValues(values))
	require.Equal(t, []string{"token"}, m.Missing(values))
	for name, bad := range map[string]any{"none": "x", "token": 1.0, "limit": "7", "mode": "c", "on": "true", "text": strings.Repeat("x", 9000)} {
		_, err := m.Change(values, plugin.Values{name: bad})
		require.Equal(t, fault.Invalid, fault.KindOf(err), name)
	}
	kept, err := m.ReadValues([]byte(`{"limit":"seven","gone":1,"mode":"b"}`))
	require.NoError(t, err)
	require.Equal(t, plugin.Values{"mode": "b"}, kept, "what another version had, and fits no more, is left out")
}

func TestSettings_ASecretIsNoTextInAnotherVersion(t *testing.T) {
	old, err := plugin.Parse([]byte(whole))
	require.NoError(t, err)
	values := plugin.Values{"token": "sk-1", "text": "plain", "limit": 7.0}
	stored, err := old.StoreValues(values)
	require.NoError(t, err)
	same, err := old.ReadValues(stored)
	require.NoError(t, err)
	require.Equal(t, values, same)
	for _, kind := range []string{`"string"`, `"choice", "choices": ["sk-1", "b"]`} {
		other, err := plugin.Parse([]byte(strings.Replace(whole, `"token", "type": "secret"`, `"token", "type": `+kind, 1)))
		require.NoError(t, err)
		kept, err := other.ReadValues(stored)
		require.NoError(t, err)
		require.Equal(t, plugin.Values{"text": "plain", "limit": 7.0}, kept, kind)
	}
	hidden, err := plugin.Parse([]byte(strings.Replace(whole, `"text", "type": "string"`, `"text", "type": "secret"`, 1)))
	require.NoError(t, err)
	kept, err := hidden.ReadValues(stored)
	require.NoError(t, err)
	require.Equal(t, values, kept, "a text may become a secret")
	none, err := old.StoreValues(nil)
	require.NoError(t, err)
	kept, err = old.ReadValues(none)
	require.NoError(t, err)
	require.Empty(t, kept)
}
