package history_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/client/cli/history"
)

func TestFile_KeepsWhatWasTypedForItsOwnerAlone(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	f := history.In(home)
	none, err := f.Load()
	require.NoError(t, err)
	require.Empty(t, none)
	for _, text := range []string{"one", "two\nlines", "one", "\u4f60\u597d"} {
		require.NoError(t, f.Add(text))
	}
	kept, err := history.In(home).Load()
	require.NoError(t, err)
	require.Equal(t, []string{"two\nlines", "one", "\u4f60\u597d"}, kept, "each once, where it was typed last")
	info, err := os.Stat(f.Path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	folder, err := os.Stat(filepath.Dir(f.Path))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), folder.Mode().Perm())
}

func TestFile_ClosesWhatOthersCouldRead(t *testing.T) {
	t.Parallel()
	f := history.In(t.TempDir())
	require.NoError(t, os.MkdirAll(filepath.Dir(f.Path), 0o700))
	require.NoError(t, os.WriteFile(f.Path, []byte("no JSON\n\"old\"\n"), 0o644))
	require.NoError(t, f.Add("new"))
	info, err := os.Stat(f.Path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	kept, err := f.Load()
	require.NoError(t, err)
	require.Equal(t, []string{"old", "new"}, kept)
}

func TestFile_IsBounded(t *testing.T) {
	t.Parallel()
	f := history.In(t.TempDir())
	var lines strings.Builder
	for i := range 2*history.MaxEntries - 1 {
		fmt.Fprintf(&lines, "\"n%d\"\n", i)
	}
	require.NoError(t, os.MkdirAll(filepath.Dir(f.Path), 0o700))
	require.NoError(t, os.WriteFile(f.Path, []byte(lines.String()), 0o600))
	require.NoError(t, f.Add("last"))
	content, err := os.ReadFile(f.Path)
	require.NoError(t, err)
	require.Equal(t, history.MaxEntries, strings.Count(string(content), "\n"))
	kept, err := f.Load()
	require.NoError(t, err)
	require.Len(t, kept, history.MaxEntries)
	require.Equal(t, "last", kept[len(kept)-1])
	require.Equal(t, "n1000", kept[0])
	left, err := os.ReadDir(filepath.Dir(f.Path))
	require.NoError(t, err)
	require.Len(t, left, 1, "nothing temporary is left")
}

func TestFile_TerminalsAddToItAtTheSameTime(t *testing.T) {
	t.Parallel()
	f := history.In(t.TempDir())
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 20 {
				if err := f.Add(fmt.Sprintf("%d of %d", n, i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	kept, err := f.Load()
	require.NoError(t, err)
	require.Len(t, kept, 160)
}

func TestKeeps_LeavesOutSecretsAndWhatBeginsWithASpace(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "  ", " not this", "/set-llm work api_key=abc", "/set-llm work key=abc", "the password: hunter2", `{"token": "x"}`,
		"use sk-proj-abcdefghijklmnop1234", "export GH=ghp_abcdefghijklmnop1234", "curl -H 'Authorization: Bearer abcdefgh123'",
		"-----BEGIN OPENSSH PRIVATE KEY-----", strings.Repeat("x", 9000),
	} {
		require.False(t, history.Keeps(text), text)
	}
	for _, text := range []string{"hello", "/model fast", "!ls -la", "how do tokens work?", "press any key to go on", "task-force meets at ten"} {
		require.True(t, history.Keeps(text), text)
	}
}
