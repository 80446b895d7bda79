package files_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/runner/files"
	"xbot/runner/wire"
)

// fixture is a tree whose folder "home" is denied and holds a secret.
type fixture struct {
	*testing.T
	tree      *files.Tree
	dir       string // all of it
	workspace string
	home      string
}

func setup(t *testing.T) *fixture {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	p := &fixture{T: t, dir: dir, workspace: filepath.Join(dir, "workspace"), home: filepath.Join(dir, "home")}
	for _, sub := range []string{p.workspace, filepath.Join(p.home, "keys"), p.home + "less", filepath.Join(dir, "state")} {
		require.NoError(t, os.MkdirAll(sub, 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(p.home, "keys", "secret"), []byte("secret"), 0o600))
	require.NoError(t, os.WriteFile(p.home+"less/open", []byte("open"), 0o600))
	p.tree, err = files.Open(p.workspace, []string{p.home, filepath.Join(dir, "later")}, filepath.Join(dir, "state"))
	require.NoError(t, err)
	return p
}

func (p *fixture) link(target, name string) string {
	p.Helper()
	require.NoError(p.T, os.Symlink(target, filepath.Join(p.workspace, name)))
	return name
}

// refusals tries every operation on a path and returns those that were not Denied.
func (p *fixture) refusals(path string) []string {
	p.Helper()
	tries := map[string]func() error{
		"read":    func() error { _, err := p.tree.Read(wire.Read{Path: path, Limit: 10}); return err },
		"create":  func() error { return p.write(path, wire.WriteCreate) },
		"replace": func() error { return p.write(path, wire.WriteReplace) },
		"stat":    func() error { _, err := p.tree.Stat(path); return err },
		"readdir": func() error { _, err := p.tree.ReadDir(path); return err },
		"mkdir":   func() error { return p.tree.MkdirAll(path) },
		"grep":    func() error { _, err := p.tree.Grep(p.Context(), wire.Grep{Pattern: ".", Root: path}); return err },
		"glob":    func() error { _, err := p.tree.Glob(p.Context(), wire.Glob{Pattern: "*", Root: path}); return err },
		"workdir": func() error { _, err := p.tree.WorkingFolder(path); return err },
	}
	var wrong []string
	for name, try := range tries {
		if err := try(); !wire.IsKind(err, wire.Denied) {
			wrong = append(wrong, name)
		}
	}
	return wrong
}

var uploads = 0

func (p *fixture) write(path, mode string) error {
	uploads++
	_, err := p.tree.Write(wire.Write{Path: path, Mode: mode, Upload: "upload" + strconv.Itoa(uploads), Last: true})
	return err
}

func TestTree_DeniedFoldersCannotBeReached(t *testing.T) {
	p := setup(t)
	p.link(p.home, "direct")
	p.link("direct", "chain")
	p.link("../home/keys", "inner")
	p.link(p.home+"/keys/secret", "file")
	p.link(p.home+"/not-there", "dangling")
	p.link(p.dir, "above")
	for _, path := range []string{
		p.home, p.home + "/", p.home + "/keys", p.home + "/keys/secret", p.home + "/new", p.home + "/new/deep",
		"../home", "../home/keys/secret", "../workspace/../home", p.home + "less/../home/keys", "/../" + p.home,
		"direct", "direct/keys/secret", "direct/new", "chain/keys", "inner/secret", "file", "dangling", "above/home/keys/secret",
		"/proc/self/root" + p.home + "/keys/secret", "/proc/self/cwd/../../../../../../../../.." + p.home,
		filepath.Join(p.dir, "later"), filepath.Join(p.dir, "later", "on"),
	} {
		require.Empty(t, p.refusals(path), path)
	}
	require.True(t, wire.IsKind(p.tree.Remove("direct/keys/secret"), wire.Denied))
	require.True(t, wire.IsKind(p.tree.Remove(p.home), wire.Denied))
	require.FileExists(t, p.home+"/keys/secret")
	require.NoError(t, p.tree.Remove("file"), "a link itself is not denied")
}

func TestTree_WhatCanNeverBeReadIsNotWorthAnotherTry(t *testing.T) {
	p := setup(t)
	socket, err := net.Listen("unix", filepath.Join(p.workspace, "socket"))
	require.NoError(t, err)
	defer socket.Close() // nobody connected
	_, err = p.tree.Read(wire.Read{Path: "socket", Limit: 10})
	require.Equal(t, wire.Invalid, wire.AsError(err).Kind, "%v", err)
}

func TestTree_NeighboursWithAlikeNamesAreOpen(t *testing.T) {
	p := setup(t)
	got, err := p.tree.Read(wire.Read{Path: p.home + "less/open", Limit: 10})
	require.NoError(t, err)
	require.Equal(t, "open", string(got.Data))
	_, err = p.tree.WorkingFolder(p.home + "less")
	require.NoError(t, err)
}

func TestTree_DeniedFoldersMayComeIntoBeingLater(t *testing.T) {
	p := setup(t)
	require.NoError(t, os.MkdirAll(filepath.Join(p.dir, "later", "keys"), 0o755))
	p.link("../later", "late")
	for _, path := range []string{"late", "late/keys", "late/keys/x"} {
		require.Empty(t, p.refusals(path), path)
	}
}

func TestTree_SearchesPassDeniedFoldersBy(t *testing.T) {
	p := setup(t)
	p.link(p.home, "direct")
	found, err := p.tree.Grep(t.Context(), wire.Grep{Pattern: "secret|open", Root: p.dir})
	require.NoError(t, err)
	require.Len(t, found.Matches, 1)
	require.Equal(t, "open", found.Matches[0].Text)
	names, err := p.tree.Glob(t.Context(), wire.Glob{Pattern: "**/{secret,open}", Root: p.dir})
	require.NoError(t, err)
	require.Equal(t, []string{p.home + "less/open"}, names.Paths)
	_, err = p.tree.Glob(t.Context(), wire.Glob{Pattern: p.home + "/**"})
	require.True(t, wire.IsKind(err, wire.Denied))
}

// TestTree_ALinkThatChangesMeanwhileLeadsNowhere races reads and writes against somebody who turns a folder into a
// link to the denied one and back.
func TestTree_ALinkThatChangesMeanwhileLeadsNowhere(t *testing.T) {
	p := setup(t)
	turn, honest, link := filepath.Join(p.workspace, "turn"), filepath.Join(p.workspace, "honest"), filepath.Join(p.workspace, "link")
	require.NoError(t, os.Mkdir(honest, 0o755))
	require.NoError(t, os.WriteFile(honest+"/secret", []byte("harmless"), 0o600))
	require.NoError(t, os.Symlink(p.home+"/keys", link))
	require.NoError(t, os.Symlink(honest, turn))
	stop := make(chan struct{})
	var racing sync.WaitGroup
	racing.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			target := honest
			if i%2 == 0 {
				target = p.home + "/keys"
			}
			_ = os.Remove(turn + ".new") // of the round before
			if os.Symlink(target, turn+".new") != nil || os.Rename(turn+".new", turn) != nil {
				t.Error("the racer cannot turn the link")
				return
			}
		}
	})
	read, refused := 0, 0
	for range 3000 {
		got, err := p.tree.Read(wire.Read{Path: "turn/secret", Limit: 100})
		switch {
		case err == nil:
			read++
			require.Equal(t, "harmless", string(got.Data))
		default:
			refused++
		}
		_ = p.write("turn/planted", wire.WriteReplace) // refused half the time
		found, err := p.tree.Grep(t.Context(), wire.Grep{Pattern: "secret", Root: "turn"})
		if err == nil {
			require.Empty(t, found.Matches)
		}
	}
	close(stop)
	racing.Wait()
	require.NoFileExists(t, p.home+"/keys/planted")
	require.NotZero(t, read, "the race had no honest moment")
	require.NotZero(t, refused, "the race had no dangerous moment")
}

func TestOpen_RefusesAWorkspaceInADeniedFolder(t *testing.T) {
	p := setup(t)
	_, err := files.Open(p.home+"/keys", []string{p.home}, filepath.Join(p.dir, "state"))
	require.ErrorContains(t, err, "lies inside a denied folder")
	_, err = files.Open(filepath.Join(p.workspace, p.link(p.home, "direct")), []string{p.home}, filepath.Join(p.dir, "state"))
	require.ErrorContains(t, err, "lies inside a denied folder")
}

func TestTree_ADeniedFolderThatWasMovedStaysDenied(t *testing.T) {
	p := setup(t)
	moved := filepath.Join(p.dir, "moved")
	require.NoError(t, os.Rename(p.home, moved))
	for _, path := range []string{moved, moved + "/keys", moved + "/keys/secret", p.link(moved, "soft") + "/keys/secret", p.home + "/keys"} {
		require.Empty(t, p.refusals(path), path)
	}
	found, err := p.tree.Grep(t.Context(), wire.Grep{Pattern: "secret", Root: p.dir})
	require.NoError(t, err)
	require.NotContains(t, fmt.Sprint(found), "secret:")
	require.NoError(t, os.MkdirAll(p.home, 0o755))
	require.Empty(t, p.refusals(p.home+"/keys"), "another one in its place is denied as well")
	require.Empty(t, p.refusals(moved+"/keys"))
}
