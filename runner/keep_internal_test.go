package runner

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestKeep_LeavesWritableOnlyWhatTheRunnerLetsCommandsWrite(t *testing.T) {
	home := t.TempDir()
	own, other, work := filepath.Join(home, ".codex"), filepath.Join(home, "other"), filepath.Join(home, "work")
	for _, dir := range []string{filepath.Join(own, "sessions"), other, work} {
		require.NoError(t, os.MkdirAll(dir, 0o700))
	}
	require.NoError(t, os.Symlink(work, filepath.Join(home, "link")))
	for _, c := range []struct {
		name     string
		writable []string
		folder   string
		want     []string
	}{
		{"none is asked for", []string{work, own}, "", nil},
		{"the folder itself", []string{work, own}, "~/.codex", []string{own}},
		{"a folder above it", []string{home}, "~/.codex", []string{own}},
		{"one that lies in it", []string{work, filepath.Join(own, "sessions")}, "~/.codex", []string{filepath.Join(own, "sessions")}},
		{"one that commands may not write", []string{work}, "~/.codex", nil},
		{"one that is not there", []string{work}, "~/.nothing", nil},
		{"a name that begins alike", []string{work + "2"}, work, nil},
		{"a relative one", []string{work}, "work", nil},
		{"a link into another one", []string{other}, "~/link", nil},
	} {
		require.Equal(t, c.want, keep(c.writable, c.folder, home), c.name)
	}
}
