package hook_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/automation/hook"
)

func TestDocs_TheExampleHolds(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/operate/hooks.md")
	require.NoError(t, err)
	for _, e := range hook.Events() {
		require.Contains(t, string(text), string(e))
	}
	blocks := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllSubmatch(text, -1)
	require.NotEmpty(t, blocks)
	for _, block := range blocks {
		set := hook.Merge(hook.Parse(block[1], "docs/operate/hooks.md", hook.LayerHome, hook.Grants{Callbacks: []string{"log", "timing"}}))
		require.Empty(t, set.Faults())
		require.NotEmpty(t, set.Handlers())
	}
}

// TestDocs_SamplesHaveTheMembersThatThePageNames holds the table of events to the samples, which the reference shows.
func TestDocs_SamplesHaveTheMembersThatThePageNames(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/operate/hooks.md")
	require.NoError(t, err)
	common := membersOf(t, hook.Sample(hook.AgentStop, "", ""))
	common = slices.DeleteFunc(common, func(name string) bool { return name == "content" })
	for _, e := range hook.Events() {
		row := regexp.MustCompile(`(?m)^\| ` + string(e) + ` \|[^|]*\|([^|]*)\|`).FindStringSubmatch(string(text))
		require.NotNil(t, row, e)
		named := regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(regexp.MustCompile(`\(.*?\)`).ReplaceAllString(row[1], ""), -1)
		var want []string
		for _, m := range named {
			want = append(want, m[1])
		}
		if strings.Contains(row[1], "those") {
			want = append(want, "tool_name", "tool_input", "tool_use_id")
		}
		has := slices.DeleteFunc(membersOf(t, hook.Sample(e, "Shell", "{}")), func(name string) bool { return slices.Contains(common, name) })
		require.ElementsMatch(t, want, has, e)
	}
}

// membersOf are the members of a payload.
func membersOf(t *testing.T, p hook.Payload) []string {
	t.Helper()
	text, err := json.Marshal(p)
	require.NoError(t, err)
	var members map[string]any
	require.NoError(t, json.Unmarshal(text, &members))
	var names []string
	for name := range members {
		names = append(names, name)
	}
	return names
}
