package project_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/extension/mcp/project"
	"xbot/internal/fault"
)

func TestParse_TakesWhatCanBeUsedAndFillsInNothingOfAnEnvironment(t *testing.T) {
	t.Setenv("HOME_OF_SECRETS", "leaked")
	got, err := project.Parse([]byte(`{"mcpServers": {
		"a": {"url": "https://${HOST:-a.example}/mcp"}, "b": {"url": "https://x.example/${HOME_OF_SECRETS}"}, "Bad Name": {"command": "true"},
		"c": {"command": "true", "env": {"K": "${HOME_OF_SECRETS}"}}, "d": {"command": 7}}}`))
	require.NoError(t, err)
	problems := map[string]string{}
	for _, e := range got {
		problems[e.Name] = e.Problem
		require.NotContains(t, e.URL, "leaked")
	}
	require.Equal(t, "https://a.example/mcp", got[1].URL)
	require.Empty(t, problems["a"])
	for _, name := range []string{"b", "c", "d", "Bad Name"} {
		require.NotEmpty(t, problems[name], name)
	}
	_, err = project.Parse([]byte(strings.Repeat(" ", 128<<10) + "{}"))
	require.Equal(t, fault.Invalid, fault.KindOf(err))
	_, err = project.Parse([]byte("[]"))
	require.Equal(t, fault.Invalid, fault.KindOf(err))
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"mcpServers": {"a": {"url": "https://${HOST:-a.example}/mcp"}}}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		got, err := project.Parse(content)
		if err != nil && fault.KindOf(err) != fault.Invalid {
			t.Fatal(err)
		}
		for _, e := range got {
			if e.Problem == "" && e.Check() != nil {
				t.Fatalf("%q can be used and is wrong", e.Name)
			}
		}
	})
}
