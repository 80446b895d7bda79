package files_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/runner/wire"
)

// restricted is a tree that may change its workspace only; beside it lies the folder "outside" with a file.
func restricted(t *testing.T) (p *fixture, outside string) {
	t.Helper()
	p = setup(t)
	require.NoError(t, p.tree.Restrict([]string{p.workspace}))
	outside = filepath.Join(p.dir, "outside")
	require.NoError(t, os.MkdirAll(outside, 0o755))
	require.NoError(t, os.MkdirAll(p.workspace+"2", 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(outside, "file"), []byte("untouched"), 0o600))
	return p, outside
}

// changes tries everything that changes a path and returns what was not refused.
func (p *fixture) changes(path string) []string {
	p.Helper()
	var wrong []string
	for name, err := range map[string]error{
		"create": p.write(path, wire.WriteCreate), "replace": p.write(path, wire.WriteReplace),
		"remove": p.tree.Remove(path), "mkdir": p.tree.MkdirAll(filepath.Join(path, "made")),
	} {
		if err == nil {
			wrong = append(wrong, name)
		}
	}
	return wrong
}

func TestTree_ChangesNothingOutsideItsWritableFolders(t *testing.T) {
	p, outside := restricted(t)
	p.link(outside, "direct")
	p.link("../outside", "up")
	p.link("direct", "chain")
	p.link(outside+"/not-there", "dangling")
	before := snapshot(t, outside)
	for _, path := range []string{
		outside + "/file", outside + "/new", "../outside/file", "direct/file", "up/new", "chain/new",
		p.workspace + "2/new", p.workspace + "/../outside/new", "/etc/xbot-test", p.dir + "/new",
		"a\x00b", strings.Repeat("x", 300), strings.Repeat("x/", 3000),
	} {
		require.Empty(t, p.changes(path), path)
	}
	require.Error(t, p.write("dangling", wire.WriteCreate))
	require.Error(t, p.tree.MkdirAll("dangling"))
	require.Equal(t, before, snapshot(t, outside))
	require.Empty(t, snapshot(t, p.workspace+"2"))
	require.NoError(t, p.tree.MkdirAll(outside), "what is there needs no change")
	require.NoError(t, p.write("inside", wire.WriteCreate))
	require.NoError(t, p.tree.MkdirAll("deep/er"))
	require.NoError(t, p.tree.Remove("inside"))
	require.True(t, wire.IsKind(p.tree.Remove(p.workspace), wire.Denied), "the workspace itself belongs to its parent")
}

func TestTree_AHardLinkLeadsNoChangeOutside(t *testing.T) {
	p, outside := restricted(t)
	require.NoError(t, os.Link(outside+"/file", filepath.Join(p.workspace, "hard")))
	require.NoError(t, p.write("hard", wire.WriteReplace), "the name inside is put anew")
	data, err := os.ReadFile(outside + "/file")
	require.NoError(t, err)
	require.Equal(t, "untouched", string(data))
}

func TestTree_ALinkThatTurnsMeanwhileLeadsNoChangeOutside(t *testing.T) {
	p, outside := restricted(t)
	honest, turn := filepath.Join(p.workspace, "honest"), filepath.Join(p.workspace, "turn")
	require.NoError(t, os.Mkdir(honest, 0o755))
	require.NoError(t, os.Symlink(honest, turn))
	before := snapshot(t, outside)
	stop := make(chan struct{})
	var racing sync.WaitGroup
	racing.Go(func() {
		for targets := []string{honest, outside}; ; targets[0], targets[1] = targets[1], targets[0] {
			select {
			case <-stop:
				return
			default:
				_ = os.Remove(turn + ".new") // of the round before
				if err := errors.Join(os.Symlink(targets[0], turn+".new"), os.Rename(turn+".new", turn)); err != nil {
					t.Error(err)
					return
				}
			}
		}
	})
	done, refused := 0, 0
	for range 2000 {
		if p.write("turn/planted", wire.WriteReplace) == nil && p.tree.MkdirAll("turn/made") == nil {
			done++
		} else {
			refused++
		}
		_ = p.tree.Remove("turn/file") // never there where it may
	}
	close(stop)
	racing.Wait()
	require.Equal(t, before, snapshot(t, outside))
	require.NotZero(t, done, "the race had no honest moment")
	require.NotZero(t, refused, "the race had no dangerous moment")
}

func TestTree_ALinkInPlaceOfAWritableFolderLeadsNoChangeOutside(t *testing.T) {
	p, outside := restricted(t)
	nested := filepath.Join(p.workspace, "cache")
	require.NoError(t, os.Mkdir(nested, 0o755))
	require.NoError(t, p.tree.Restrict([]string{p.workspace, nested}))
	require.NoError(t, p.write("cache/fine", wire.WriteCreate))
	require.NoError(t, os.RemoveAll(nested))
	p.link(outside, "cache")
	require.Empty(t, p.changes(outside+"/file"))
	require.Empty(t, p.changes("cache/planted"))
}

func TestTree_TellsNothingOfProcesses(t *testing.T) {
	p := setup(t)
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("NOT RUN: this system has no /proc")
	}
	p.link("/proc/self", "me")
	for _, path := range []string{
		"/proc/self/environ", "/proc/1/environ", "/proc/1/root/etc/passwd", "/proc/self/mem", "/proc/thread-self/environ", "/proc/kcore", "/proc/kmsg",
		"/proc/sys/kernel/core_pattern", "me/environ", "/proc/self/task/../environ",
	} {
		_, err := p.tree.Read(wire.Read{Path: path, Limit: 10})
		require.Error(t, err, path)
	}
	for _, root := range []string{"/proc", "/proc/self", "/proc/1", "me"} {
		_, err := p.tree.Grep(t.Context(), wire.Grep{Pattern: ".", Root: root})
		require.True(t, wire.IsKind(err, wire.Denied), root)
	}
	got, err := p.tree.Read(wire.Read{Path: "/proc/uptime", Limit: 10})
	require.NoError(t, err)
	require.NotEmpty(t, got.Data)
}

// snapshot is the content of each file below a folder.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		out[path] = "folder"
		if d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			out[path] = string(data)
			return err
		}
		return nil
	}))
	return out
}

// FuzzTree_LetsNoPathOut holds whatever a path is made of, over a tree full of links.
func FuzzTree_LetsNoPathOut(f *testing.F) {
	for _, seed := range []string{
		"f", "../home/keys/secret", "direct/keys/secret", "above/outside/file", "loop", "loop/x", "up/home/keys/secret", "dangling", "a/../../outside/new",
		"//etc/passwd", "direct/../outside/x", "\x00", "up/workspace2/x", "./././above/./home", "chain/keys/../../homeless/open",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		p, outside := restricted(t)
		p.link(p.home, "direct")
		p.link("direct", "chain")
		p.link(p.dir, "above")
		p.link("..", "up")
		p.link("loop", "loop")
		p.link(outside+"/not-there", "dangling")
		if filepath.IsAbs(path) {
			path = p.dir + path // the machine's own files are not to be touched should it fail
		}
		before := snapshot(t, outside)
		got, err := p.tree.Read(wire.Read{Path: path, Limit: 100})
		if err == nil {
			require.NotEqual(t, "secret", string(got.Data))
		}
		_ = p.changes(path) // what it may it may
		require.Equal(t, before, snapshot(t, outside))
		require.Equal(t, map[string]string{p.home + "/keys": "folder", p.home + "/keys/secret": "secret"}, snapshot(t, p.home))
		require.Empty(t, snapshot(t, p.workspace+"2"))
	})
}
