package mcp

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var usable = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

func TestToolNames_ArePlainWhereTheyCanBe(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100)
	names := toolNames([]offered{
		{"git", "log"}, {"git", "issue.list/open"}, {"git", "日本"}, {"git", long},
		{"a", "get_item"}, {"a", "getItem"}, {"a", "other"}, {"a", "other"},
		{"b", "c_d"}, {"b-c", "d"},
		{"r", "resources"}, {"r", "resources\x00"}, {"s", "resources\x00"},
	})
	require.Equal(t, "mcp_git_log", names[offered{"git", "log"}])
	require.Equal(t, "mcp_git_issue_list_open", names[offered{"git", "issue.list/open"}])
	require.Equal(t, "mcp_git___", names[offered{"git", "日本"}])
	require.Equal(t, "mcp_a_other", names[offered{"a", "other"}])
	require.Equal(t, "mcp_s_resources", names[offered{"s", "resources\x00"}])
	cut := names[offered{"git", long}]
	require.Len(t, cut, 64)
	require.Regexp(t, `^mcp_git_x+_[0-9a-f]{8}$`, cut)
	for _, alike := range []offered{{"a", "get_item"}, {"a", "getItem"}, {"b", "c_d"}, {"b-c", "d"}, {"r", "resources"}, {"r", "resources\x00"}} {
		require.Regexp(t, `_[0-9a-f]{8}$`, names[alike], "none of those that are alike has the plain name")
	}
}

func FuzzToolNames(f *testing.F) {
	f.Add("git\nlog\ngit\nLOG\nb\nc_d\nb-c\nd")
	f.Add("a\n日本\na\n中国\na\n" + strings.Repeat("é", 60))
	f.Fuzz(func(t *testing.T, lines string) {
		parts := strings.Split(lines, "\n")
		var tools []offered
		for i := 0; i+1 < len(parts); i += 2 {
			if !serverName.MatchString(parts[i]) {
				return
			}
			tools = append(tools, offered{parts[i], parts[i+1]})
		}
		names := toolNames(tools)
		seen := map[string]offered{}
		for tool, name := range names {
			require.Regexp(t, usable, name)
			require.True(t, strings.HasPrefix(name, "mcp_"+tool.server+"_"), name)
			other, taken := seen[folded(name)]
			require.False(t, taken, "%q and %q are both %s", other, tool, name)
			seen[folded(name)] = tool
		}
		rand.Shuffle(len(tools), func(i, j int) { tools[i], tools[j] = tools[j], tools[i] })
		require.Equal(t, names, toolNames(tools), "the order does not matter")
	})
}
