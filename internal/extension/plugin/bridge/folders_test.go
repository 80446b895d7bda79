package bridge

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/extension/plugin"
	"xbot/internal/extension/plugin/installed"
)

// anew is another server over the same folders and rows.
func (w *world) anew() *world {
	other := &world{T: w.T, rows: w.rows, box: &box{play: obedient(true)}, home: w.home}
	other.Bridge = New(Config{Plugins: &installed.Plugins{Rows: w.rows}, Rows: w.rows, Box: other.box, Home: w.home})
	w.Cleanup(func() { require.NoError(w.T, other.Close()) })
	return other
}

// here is the folder of the files of the plugin.
func (w *world) here() string {
	return filepath.Join(w.home, "code", "p", w.rows.row.Digest)
}

func TestUnpack_FilesThatAreNotWholeAreWrittenAnew(t *testing.T) {
	for what, spoil := range map[string]func(dir string) error{
		"half removed": func(dir string) error { return os.Remove(filepath.Join(dir, "run")) },
		"emptied by a crash": func(dir string) error {
			_ = os.Remove(filepath.Join(dir, "run"))
			return os.WriteFile(filepath.Join(dir, "run"), nil, 0o500)
		},
		"more than there was": func(dir string) error { return os.WriteFile(filepath.Join(dir, ".config", "more"), nil, 0o400) },
		"a link":              func(dir string) error { return os.Symlink("/etc/passwd", filepath.Join(dir, "more")) },
		"a file":              func(dir string) error { _ = os.RemoveAll(dir); return os.WriteFile(dir, nil, 0o400) },
		"no program any more": func(dir string) error { return os.Chmod(filepath.Join(dir, "run"), 0o400) },
	} {
		w := newWorld(t, "stdio", obedient(true))
		require.NoError(t, w.ask(t.Context(), "t", 0))
		require.NoError(t, spoil(w.here()), what)
		other := w.anew()
		require.NoError(t, other.ask(t.Context(), "t", 0), what)
		require.True(t, plugin.IsUnpacked(w.here(), w.rows.row.Digest), what)
		require.Equal(t, 2, w.rows.fetches(), what)
		left, err := os.ReadDir(filepath.Dir(w.here()))
		require.NoError(t, err)
		require.Len(t, left, 1, "%s: nothing is left of what it was", what)
	}
}

func TestUnpack_FilesThatAreWholeStayAndAreReadOnce(t *testing.T) {
	w := newWorld(t, "script", speak(func(*fakeProcess, request) any { return nil }))
	_ = w.ask(t.Context(), "t", 0)
	other := w.anew()
	require.NoError(t, os.Chtimes(w.here(), time.Time{}, time.Now().Add(-48*time.Hour)))
	_ = other.ask(t.Context(), "t", 0)
	require.Equal(t, 1, w.rows.fetches())
	info, err := os.Stat(w.here())
	require.NoError(t, err)
	require.Less(t, time.Since(info.ModTime()), time.Hour, "its time is that of its last use")
}

func TestSweep_FoldersGoByTheTimeOfTheirLastUse(t *testing.T) {
	w := newWorld(t, "stdio", obedient(true))
	require.NoError(t, w.ask(t.Context(), "t", 0))
	made := func(part string, age time.Duration) string {
		at := filepath.Join(w.home, part)
		require.NoError(t, os.MkdirAll(filepath.Join(at, "in"), 0o700))
		when := time.Now().Add(-age)
		require.NoError(t, os.Chtimes(at, when, when))
		return at
	}
	stay := []string{made("code/p/lately", time.Hour), made("code/p/ours", 48*time.Hour), made("data/p/2", 48*time.Hour), made("data/p/1", time.Hour), w.here()}
	leave := []string{
		made("code/p/long-ago", 48*time.Hour), made("code/p/.gone-1", 0), made("code/removed/x", 0), made("code/.gone-2", 0),
		made("data/p/0", 48*time.Hour), made("data/p/3", -48*time.Hour), made("data/removed", 0),
	}
	w.folders.sweep(map[string]bool{stay[1]: true})
	for _, at := range stay {
		require.DirExists(t, at)
	}
	for _, at := range leave {
		require.NoDirExists(t, at)
	}
	require.NoDirExists(t, filepath.Join(w.home, "code", "removed"))
	w.folders.sweep(nil)
	require.DirExists(t, stay[1], "another server, which does not use it, sees that somebody does")
	left, err := filepath.Glob(filepath.Join(w.home, "*", asideName+"*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestUsed_IsWhatProcessesHave(t *testing.T) {
	w := newWorld(t, "stdio", obedient(true))
	require.NoError(t, w.ask(t.Context(), "t", 0))
	require.Equal(t, map[string]bool{w.here(): true}, w.used())
}
