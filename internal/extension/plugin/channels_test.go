package plugin_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/extension/plugin"
)

// platformOf is a manifest with a channel and some members changed.
func platformOf(id, runtime, permissions, name, ids, abilities, options string) []byte {
	return fmt.Appendf(nil, `{"id": %q, "name": "P", "version": "1", "runtime": %q, "command": ["run"], "permissions": [%s], "contributes": {"channels": [
		{"name": %q, "label": "Pets", "ids": %s, "abilities": %s, "options": [%s]}]}}`, id, runtime, permissions, name, ids, abilities, options)
}

func TestParse_ReadsChannelsAndRefusesWhatIsNone(t *testing.T) {
	const ids, can = `{"person": "[0-9]+", "example": "1"}`, `{"text": 1000}`
	m, err := plugin.Parse(platformOf("pets", "stdio", `"channel"`, "pets-two", ids, can, `{"name": "token", "label": "Token", "secret": true}`))
	require.NoError(t, err)
	require.Equal(t, "pets-two", m.Contributes.Channels[0].Name)
	_, err = m.Canonical()
	require.NoError(t, err)
	for want, text := range map[string][]byte{
		"asks for the permission channel":   platformOf("pets", "stdio", "", "pets", ids, can, ""),
		"a script cannot receive":           platformOf("pets", "script", `"channel"`, "pets", ids, can, ""),
		"has to be pets":                    platformOf("pets", "stdio", `"channel"`, "cats", ids, can, ""),
		"xbot has a channel":                platformOf("feishu", "stdio", `"channel"`, "feishu", ids, can, ""),
		"abilities.text":                    platformOf("pets", "stdio", `"channel"`, "pets", ids, `{"text": 1}`, ""),
		"abilities.file":                    platformOf("pets", "stdio", `"channel"`, "pets", ids, `{"text": 1000, "file": -1}`, ""),
		"no regular expression":             platformOf("pets", "stdio", `"channel"`, "pets", `{"person": "(", "example": "1"}`, can, ""),
		"ids.person is missing":             platformOf("pets", "stdio", `"channel"`, "pets", `{"example": "1"}`, can, ""),
		"ids.example":                       platformOf("pets", "stdio", `"channel"`, "pets", `{"person": "[0-9]+", "example": "a1"}`, can, ""),
		"is secret and cannot have":         platformOf("pets", "stdio", `"channel"`, "pets", ids, can, `{"name": "t", "label": "T", "secret": true, "default": "x"}`),
		"another one of 1 to 32":            platformOf("pets", "stdio", `"channel"`, "pets", ids, can, `{"name": "t", "label": "T"}, {"name": "t", "label": "T"}`),
		"the default of the option t is no": platformOf("pets", "stdio", `"channel"`, "pets", ids, can, `{"name": "t", "label": "T", "choices": ["a"], "default": "b"}`),
	} {
		_, err := plugin.Parse(text)
		require.ErrorContains(t, err, want)
	}
}

func FuzzIsID(f *testing.F) {
	f.Add("[0-9]+", "1\n")
	f.Add("(a|b", "a")
	f.Fuzz(func(t *testing.T, form, id string) {
		if plugin.IsID(form, id) {
			require.LessOrEqual(t, len(id), plugin.MaxID)
			require.NotContains(t, id, "\n")
			require.NotContains(t, id, "\x00")
		}
	})
}
