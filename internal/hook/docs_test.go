package hook_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/hook"
)

func TestDocs_TheExampleHolds(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/operate/hooks.md")
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
