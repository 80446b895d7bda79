package runners_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/runners"
	"xbot/ingress/runners/runnerstest"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/runner/wire"
)

func file(text string, mode fs.FileMode) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte(text), Mode: mode}
}

// tree lists what a folder holds: files with their content and an x for the executable, links with an arrow.
func tree(t *testing.T, dir string) map[string]string {
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		require.NoError(t, err)
		name, err := filepath.Rel(dir, path)
		require.NoError(t, err)
		info, err := os.Lstat(path)
		require.NoError(t, err)
		switch {
		case name == ".synced-by-xbot":
		case entry.IsDir():
			found[name+"/"] = ""
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			found[name] = string(data)
			if info.Mode()&0o100 != 0 {
				found[name] += " x"
			}
		default:
			found[name] = "->"
		}
		return nil
	}))
	return found
}

func TestSyncFolder_MakesTheCopyTheSame(t *testing.T) {
	t.Parallel()
	s := runnerstest.NewServer(t, nil)
	r := s.StartRunner("local", runnerstest.DaemonConfig{})
	box := s.Direct("local", sandbox.RunnerConfig{})
	folder := fstest.MapFS{
		"pdf/SKILL.md": file("how to", 0o644), "pdf/run.sh": file("#!/bin/sh", 0o755), "日本/ü.md": file("x", 0o600),
		".git/config": file("not this", 0o644), "link": {Mode: fs.ModeSymlink | 0o777, Data: []byte("pdf/SKILL.md")}, "empty": file("", 0o644),
	}
	copied := filepath.Join(r.Workspace, ".xbot", "skills")
	want := map[string]string{"./": "", "pdf/": "", "pdf/SKILL.md": "how to", "pdf/run.sh": "#!/bin/sh x", "日本/": "", "日本/ü.md": "x", "empty": ""}
	require.NoError(t, sandbox.SyncFolder(t.Context(), box, "skills", folder))
	require.Equal(t, want, tree(t, copied))

	outside := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "precious"), []byte("p"), 0o600))
	require.NoError(t, os.RemoveAll(filepath.Join(copied, "pdf")))
	require.NoError(t, os.Symlink(outside, filepath.Join(copied, "pdf")))
	require.NoError(t, os.MkdirAll(filepath.Join(copied, "empty.d/deep"), 0o700))
	require.NoError(t, os.Remove(filepath.Join(copied, "empty")))
	require.NoError(t, os.Mkdir(filepath.Join(copied, "empty"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(copied, "日本", "ü.md"), []byte("y"), 0o600))
	require.NoError(t, sandbox.SyncFolder(t.Context(), box, "skills", folder))
	require.Equal(t, want, tree(t, copied), "whatever was done to it")
	require.Equal(t, map[string]string{"./": "", "precious": "p"}, tree(t, outside), "and nothing outside was touched")

	delete(folder, "pdf/run.sh")
	delete(folder, "日本/ü.md")
	folder["pdf/SKILL.md"] = file("better", 0o644)
	require.NoError(t, sandbox.SyncFolder(t.Context(), box, "skills", folder))
	require.Equal(t, map[string]string{"./": "", "pdf/": "", "pdf/SKILL.md": "better", "empty": ""}, tree(t, copied))
}

func TestSyncFolder_DoesNotFollowALinkOutOfTheWorkspace(t *testing.T) {
	t.Parallel()
	s := runnerstest.NewServer(t, nil)
	r := s.StartRunner("local", runnerstest.DaemonConfig{})
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "precious"), []byte("p"), 0o600))
	require.NoError(t, os.Symlink(outside, filepath.Join(r.Workspace, ".xbot")))
	err := sandbox.SyncFolder(t.Context(), s.Direct("local", sandbox.RunnerConfig{}), "skills", fstest.MapFS{"f": file("x", 0o644)})
	require.Error(t, err)
	require.Equal(t, map[string]string{"./": "", "precious": "p"}, tree(t, outside))
}

func TestSyncFolder_LeavesAFolderAloneThatIsSomebodys(t *testing.T) {
	t.Parallel()
	s := runnerstest.NewServer(t, nil)
	r := s.StartRunner("local", runnerstest.DaemonConfig{})
	own := filepath.Join(r.Workspace, ".xbot", "skills")
	require.NoError(t, os.MkdirAll(own, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(own, "mine"), []byte("m"), 0o600))
	err := sandbox.SyncFolder(t.Context(), s.Direct("local", sandbox.RunnerConfig{}), "skills", fstest.MapFS{"f": file("x", 0o644)})
	require.Equal(t, fault.Conflict, fault.KindOf(err))
	require.Equal(t, map[string]string{"./": "", "mine": "m"}, tree(t, own))
}

func TestCopyFolder_GoesWhereCommandsMayRead(t *testing.T) {
	t.Parallel()
	s := runnerstest.NewServer(t, nil)
	home := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(home, ".xbot", "skills"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(home, ".xbot", "skills", "secret"), []byte("s"), 0o600))
	s.StartRunner("local", runnerstest.DaemonConfig{Workspace: home, Args: []string{"--deny", filepath.Join(home, ".xbot")}})
	box := s.Direct("local", sandbox.RunnerConfig{})
	folder := fstest.MapFS{"deploy/run.sh": file("echo ran", 0o755)}
	for i := range 2 {
		dir, err := sandbox.CopyFolder(t.Context(), box, "skills", folder)
		require.NoError(t, err)
		require.Equal(t, filepath.Join(home, ".cache", "xbot", "skills"), dir)
		require.Equal(t, map[string]string{"./": "", "deploy/": "", "deploy/run.sh": "echo ran x"}, tree(t, dir))
		ran, err := box.Exec(t.Context(), sandbox.ExecRequest{ID: chat.CallID(fmt.Sprintf("c%d", i)), Command: dir + "/deploy/run.sh && echo changed >> " + dir + "/deploy/run.sh; cat " + home + "/.xbot/skills/secret"})
		require.NoError(t, err)
		require.Contains(t, string(ran.Output), "ran\n")
		require.NotContains(t, string(ran.Output), "changed", "what a command did to it is undone before it is used again")
		require.NotZero(t, ran.Code, "the server's folder stays out of sight")
	}
	require.Equal(t, map[string]string{"./": "", "secret": "s"}, tree(t, filepath.Join(home, ".xbot", "skills")))
}

func TestCopyFolder_KeepsACopyOfEachStateOfAnInstalledSkillForAWhile(t *testing.T) {
	t.Parallel()
	s := runnerstest.NewServer(t, nil)
	r := s.StartRunner("local", runnerstest.DaemonConfig{})
	box := s.Direct("local", sandbox.RunnerConfig{})
	copyOf := func(person, digest string) string {
		t.Helper()
		dir, err := sandbox.CopyFolder(t.Context(), box, "installed/"+person+"/"+digest, fstest.MapFS{"SKILL.md": file(digest, 0o644), "run.sh": file("#!/bin/sh", 0o755)})
		require.NoError(t, err)
		require.Equal(t, map[string]string{"./": "", "SKILL.md": digest, "run.sh": "#!/bin/sh x"}, tree(t, dir))
		return dir
	}
	digest := func(c string) string { return strings.Repeat(c, 32) }
	first, other := copyOf("1", digest("a")), copyOf("2", digest("a"))
	require.Equal(t, filepath.Join(r.Workspace, ".xbot/installed/1", digest("a")), first)
	old := time.Now().Add(-8 * 24 * time.Hour)
	theirs := filepath.Join(r.Workspace, ".xbot/installed/1/notes")
	require.NoError(t, os.Mkdir(theirs, 0o755))
	for _, dir := range []string{first, other} {
		require.NoError(t, os.Chtimes(filepath.Join(dir, ".synced-by-xbot"), old, old))
	}
	copyOf("1", digest("a"))
	second := copyOf("1", digest("b"))
	require.DirExists(t, first, "it was asked for a moment ago")
	require.NoError(t, os.Chtimes(filepath.Join(first, ".synced-by-xbot"), old, old))
	copyOf("1", digest("b"))
	require.NoDirExists(t, first, "nobody has asked for it for a week")
	require.DirExists(t, second)
	require.DirExists(t, other, "that of somebody else")
	require.DirExists(t, theirs, "and what no server put there")
	for _, name := range []string{"installed", "installed/1", "installed/../skills", "installed/1/" + digest("A"), "installed/x/" + digest("a"), "installed/1/" + digest("a") + "/x"} {
		_, err := sandbox.CopyFolder(t.Context(), box, name, fstest.MapFS{})
		require.Equal(t, fault.Invalid, fault.KindOf(err), name)
	}
}

func TestSyncFolder_RefusesWhatIsNoFolderToSync(t *testing.T) {
	t.Parallel()
	s := runnerstest.NewServer(t, nil)
	denied := t.TempDir()
	s.StartRunner("local", runnerstest.DaemonConfig{Workspace: denied, Args: []string{"--deny", filepath.Join(denied, ".xbot"), "--deny", filepath.Join(denied, ".cache")}})
	box := s.Direct("local", sandbox.RunnerConfig{})
	require.Equal(t, fault.Invalid, fault.KindOf(sandbox.SyncFolder(t.Context(), box, "other", fstest.MapFS{})))
	require.Equal(t, fault.Denied, fault.KindOf(sandbox.SyncFolder(t.Context(), box, "skills", fstest.MapFS{})))
	big := fstest.MapFS{"big": {Data: bytes.Repeat([]byte("x"), wire.MaxSyncBytes+1), Mode: 0o644}}
	require.Equal(t, fault.TooLarge, fault.KindOf(sandbox.SyncFolder(t.Context(), box, "agents", big)))
	for _, path := range []string{"", ".", "../x", "/x", "a//b", "a/../b", "a/./b", "a\x00"} {
		r := wire.SyncFolder{Name: "skills", Files: []wire.SyncFile{{Path: path, SHA256: string(make([]byte, 64))}}}
		require.True(t, wire.IsKind(r.Validate(), wire.Invalid), "%q", path)
	}
}

func TestFolders_BringAChangeToRunnersThatAreConnected(t *testing.T) {
	t.Parallel()
	s := runnerstest.NewServer(t, nil)
	r := s.StartRunner("local", runnerstest.DaemonConfig{})
	home := t.TempDir()
	put := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(home, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(home, name), []byte(text), 0o600))
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		runners.NewFolders(home, slog.New(slog.DiscardHandler)).Sync(ctx, s.Hub, r.ID)
	}()
	copied := func(name, text string) {
		t.Helper()
		require.Eventually(t, func() bool {
			data, err := os.ReadFile(filepath.Join(r.Workspace, ".xbot", name))
			return text == "" && errors.Is(err, fs.ErrNotExist) || text != "" && string(data) == text
		}, 30*time.Second, 20*time.Millisecond, name)
	}
	put("skills/a/SKILL.md", "one") // the folder was not there when the runner connected
	copied("skills/a/SKILL.md", "one")
	put("skills/a/SKILL.md", "two")
	put("agents/b.md", "role")
	copied("skills/a/SKILL.md", "two")
	copied("agents/b.md", "role")
	require.NoError(t, os.RemoveAll(filepath.Join(home, "skills", "a")))
	copied("skills/a/SKILL.md", "")
	cancel()
	<-ended
}
