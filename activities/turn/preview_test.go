package turn_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/tool"
	"xbot/internal/tool/file"
)

func TestAsk_ShowsWhatAWriteWouldChange(t *testing.T) {
	b := setup(t, `call FileReplace {"path":"a.txt","old_string":"two","new_string":"2"}`, `call FileCreate {"path":"a.txt","content":"new\n","rewrite":true}`,
		`call FileCreate {"path":"b.txt","content":"new\n"}`, `call FileReplace {"path":"a.txt","old_string":"nine","new_string":"9"}`)
	b.Catalog.Builtin = tool.New(file.NewCreate(), file.NewReplace(b.Store.Calls))
	b.rules(map[string]chat.Rule{"FileReplace": chat.RuleAsk, "FileCreate": chat.RuleAsk})
	b.Asking.Previewer = b.Catalog.Builtin
	require.NoError(t, os.WriteFile(filepath.Join(b.Sandbox.Workspace(), "a.txt"), []byte("one\ntwo\nthree\n"), 0o600))
	b.AskForCalls()
	for n := range 4 {
		require.True(t, b.ask(n).Open)
	}
	preview := func(n int) string { return b.ResultOf(n).Approval.Preview }
	require.Equal(t, "--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n", preview(0))
	require.Equal(t, "--- a.txt\n+++ a.txt\n@@ -1,3 +1 @@\n-one\n-two\n-three\n+new\n", preview(1))
	require.Empty(t, preview(2), "a new file is what the arguments say")
	require.Empty(t, preview(3), "it would fail")
	text, err := os.ReadFile(filepath.Join(b.Sandbox.Workspace(), "a.txt"))
	require.NoError(t, err)
	require.Equal(t, "one\ntwo\nthree\n", string(text), "a look changes nothing")
}
