package file_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/sandbox"
	"xbot/internal/tool"
	"xbot/internal/tool/file"
	"xbot/internal/tool/tooltest"
)

// diffOf runs a call and returns what it says that it changed.
func diffOf(t *testing.T, box sandbox.Sandbox, with tool.Tool, id chat.CallID, a args) string {
	t.Helper()
	arguments, err := json.Marshal(a)
	require.NoError(t, err)
	result, err := with.Run(t.Context(), tool.Call{ID: id, Arguments: string(arguments), Box: box})
	require.NoError(t, err)
	require.False(t, result.IsError, result.Content)
	return result.Diff
}

func TestEdits_TellPeopleWhatTheyChanged(t *testing.T) {
	t.Parallel()
	box := tooltest.New(t)
	require.Equal(t, "--- f\n+++ f\n@@ -0,0 +1,2 @@\n+one\n+two\n", diffOf(t, box, file.NewCreate(), "1", args{"path": "f", "content": "one\ntwo\n"}))
	require.Equal(t, "--- f\n+++ f\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n", diffOf(t, box, file.NewReplace(tooltest.NewMemory()), "2", args{"path": "f", "old_string": "two", "new_string": "2"}))
	require.Equal(t, "--- f\n+++ f\n@@ -1,2 +1 @@\n-one\n 2\n", diffOf(t, box, file.NewCreate(), "3", args{"path": "f", "content": "2\n", "rewrite": true}))
	box.Put(t, "binary", "\x00\x01")
	require.Empty(t, diffOf(t, box, file.NewCreate(), "4", args{"path": "binary", "content": "text", "rewrite": true}))
	box.Put(t, "large", strings.Repeat("x\n", 1<<20))
	require.Empty(t, diffOf(t, box, file.NewCreate(), "5", args{"path": "large", "content": strings.Repeat("y\n", 1<<20), "rewrite": true}))
}

func TestFileReplace_TellsWhatItChangedAlsoWhenItIsRunAgain(t *testing.T) {
	t.Parallel()
	box, memory := tooltest.New(t), tooltest.NewMemory()
	box.Put(t, "f", "one\n")
	edit := args{"path": "f", "old_string": "one", "new_string": "one one"}
	first := diffOf(t, box, file.NewReplace(memory), "1", edit)
	require.Contains(t, first, "+one one\n")
	require.Equal(t, first, diffOf(t, box, file.NewReplace(memory), "1", edit))
	require.Equal(t, "one one\n", box.Get(t, "f"))
}
