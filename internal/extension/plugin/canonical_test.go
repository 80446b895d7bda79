package plugin

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
)

const plainManifest = `{"id": "p", "name": "P", "version": "1", "runtime": "stdio", "command": ["run"], "permissions": ["network"],
	"contributes": {"tools": [{"name": "t", "description": "less <than>", "parameters": {"type": "object", "properties": {"n": {"maximum": 1e3}}}}]}}`

func TestParse_RefusesMembersThatAreThereTwice(t *testing.T) {
	for _, more := range []string{`"id": "q"`, `"ID": "q"`, `"permission\u0073": []`, `"PermiſſionS": []`} {
		_, err := Parse([]byte(strings.Replace(plainManifest, "{", "{"+more+", ", 1)))
		require.Equal(t, fault.Invalid, fault.KindOf(err), more)
		require.ErrorContains(t, err, "two members")
	}
	_, err := Parse([]byte("\ufeff" + plainManifest))
	require.Equal(t, fault.Invalid, fault.KindOf(err))
}

func TestCanonical_IsReadAsTheSameManifest(t *testing.T) {
	m, err := Parse([]byte(plainManifest))
	require.NoError(t, err)
	text, err := m.Canonical()
	require.NoError(t, err)
	again, err := Parse(text)
	require.NoError(t, err)
	second, err := again.Canonical()
	require.NoError(t, err)
	require.Equal(t, string(text), string(second))
	require.Equal(t, m.Permissions, again.Permissions)
}

func TestParse_RefusesLinesThatReadAsOthers(t *testing.T) {
	for _, name := range []string{"Di\\u202Ece", "Di\\u2066ce", "Di\\u200Fce", "Di\\u2028ce", "Di\\nce", "Di\\u009bce"} {
		_, err := Parse([]byte(`{"id":"dice","name":"` + name + `","version":"1","runtime":"script","command":["./dice"]}`))
		require.ErrorContains(t, err, "name: it has to be a line", name)
	}
	_, err := Parse([]byte(`{"id":"dice","name":"掷骰子 “Dice” 🎲","version":"1","runtime":"script","command":["./dice"]}`))
	require.NoError(t, err)
}
