package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

func TestOneShot_AttachesTheFilesThatAreNamed(t *testing.T) {
	t.Parallel()
	b := setup(t, echo).without("XBOT_SERVER", "XBOT_TOKEN")
	b.own(filepath.Join(b.home, "run", "serve.json"))
	b.server.Knows(nil, []chat.Runner{{Name: "local", Kind: chat.RunnerLocal, Active: true}})
	folder, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "a.go"), []byte("package a"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "two words.txt"), []byte("b"), 0o600))
	ask := func(stdin, text string) string {
		command := b.command("-p", text)
		command.Dir = folder
		r := wait(t, start(t, command, stdin))
		require.Zero(t, r.code, r.err)
		return r.out
	}
	// The runner has other files: what is named is uploaded.
	require.Equal(t, "You said: explain @a.go, please\n[file: uploads/a.go]\n", ask("", "explain @a.go, please"))
	require.Equal(t, "package a", b.server.File("uploads/a.go"))

	// It has the same ones: they are attached where they are.
	b.server.Shares()
	require.Equal(t, "You said: explain @a.go.\n[file: "+folder+"/a.go]\n", ask("", "explain @a.go."))
	require.Equal(t, "You said: @\"two words.txt\" (@a.go)\n[file: "+folder+"/two words.txt]\n[file: "+folder+"/a.go]\n", ask("", `@"two words.txt" (@a.go)`))

	// What is no file stays text, and what is piped in names none.
	require.Equal(t, "You said: ask @bob or me@a.go\n", ask("", "ask @bob or me@a.go"))
	require.Equal(t, "You said: review\n\nsee @a.go\n", ask("see @a.go\n", "review"))
}
