package confine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/sandbox/escapetest"
	"xbot/runner/confine"
)

func TestConfine_AsAnOrdinaryUser(t *testing.T) { escapetest.AsOrdinaryUser(t) }

// bury moves the hidden folder some levels down, into a folder that commands may write where the method bears it.
func (p *fixture) bury() (top string) {
	p.Helper()
	top = p.TempDir()
	p.hidden = filepath.Join(top, "a", "b", "hidden")
	require.NoError(p.T, os.MkdirAll(p.hidden, 0o755))
	require.NoError(p.T, os.WriteFile(filepath.Join(p.hidden, "key"), []byte("secret"), 0o600))
	if p.hide = nil; p.method != confine.Landlock {
		p.more = append(p.more, top)
	}
	p.policy()
	return top
}

func TestConfine_AFolderThatWasShutUncoversNothing(t *testing.T) {
	eachMethod(t, func(p *fixture) {
		top := p.bury()
		for _, shut := range []string{top, top + "/a", top + "/a/b"} {
			require.NoError(p.T, os.Chmod(shut, 0))
			out, err := p.run(fmt.Sprintf("chmod 755 %s; cat $H/key", shut))
			require.NoError(p.T, os.Chmod(shut, 0o755))
			require.Error(p.T, err)
			require.NotContains(p.T, out, "secret")
		}
		out, err := p.run("cat $H/key")
		require.Error(p.T, err, out)
	})
}

func TestConfine_NothingAboveWhatIsHiddenCanBeRenamed(t *testing.T) {
	eachMethod(t, func(p *fixture) {
		top := p.bury()
		for _, command := range []string{
			"mv %[1]s/a %[1]s/z", "mv %[1]s/a/b %[1]s/a/z", "mv %[1]s/a/b/hidden %[1]s/z", "mv %[1]s %[1]s.z", "rm -rf %[1]s/a/b", "rmdir %[1]s/a/b/hidden",
			"mkdir %[1]s/e && mv -T %[1]s/e %[1]s/a", "mv --exchange %[1]s/a %[1]s/e",
		} {
			out, err := p.run(fmt.Sprintf(command, top))
			require.Error(p.T, err, "%s\n%s", command, out)
		}
		require.FileExists(p.T, filepath.Join(p.hidden, "key"))
	})
}

func TestConfine_WhatWasMovedMeanwhileIsNotUncovered(t *testing.T) {
	eachMethod(t, func(p *fixture) {
		top := p.bury()
		for from, to := range map[string]string{"/a": "/z", "/a/b": "/a/z", "/a/b/hidden": "/hidden"} {
			require.NoError(p.T, os.Rename(top+from, top+to))
			out, err := p.run("find " + top + " -name key -exec cat {} +")
			require.NotContains(p.T, out, "secret")
			require.Error(p.T, err, out)
			require.NoError(p.T, os.MkdirAll(p.hidden, 0o755)) // another one in its place
			out, err = p.run("find " + top + " -name key -exec cat {} +")
			require.NotContains(p.T, out, "secret")
			require.Error(p.T, err)
			require.Contains(p.T, out, "when the runner started")
			require.NoError(p.T, os.RemoveAll(top+from))
			require.NoError(p.T, os.Rename(top+to, top+from))
		}
		p.must("true")
	})
}

func TestConfine_WhatAnotherServerRemovedIsNotMissed(t *testing.T) {
	eachMethod(t, func(p *fixture) {
		p.bury()
		p.hide[0].Foreign = true
		out, err := p.run("cat $H/key")
		require.NotContains(p.T, out, "secret")
		require.Error(p.T, err)
		require.NoError(p.T, os.RemoveAll(p.hidden))
		p.must("true")
		require.NoError(p.T, os.Mkdir(p.hidden, 0o700))
		out, err = p.run("true")
		require.Error(p.T, err, "it may be another one: %s", out)
	})
}

func TestConfine_WhatCannotBeHiddenIsLeftOutOnlyIfItIsOptional(t *testing.T) {
	eachMethod(t, func(p *fixture) {
		p.bury()
		p.more = append(p.more, filepath.Dir(p.hidden))
		out, err := p.run("true")
		require.Equal(p.T, p.method == confine.Landlock, err != nil, "%s", out)
		p.hide[0].Optional = true
		p.must("true")
		out, err = p.run("cat $H/key")
		require.Equal(p.T, p.method == confine.Landlock, err == nil, "%s", out)
	})
}

func TestConfine_ALinkInItsPlaceUncoversNothing(t *testing.T) {
	eachMethod(t, func(p *fixture) {
		top := p.bury()
		require.NoError(p.T, os.Rename(top+"/a", top+"/z"))
		require.NoError(p.T, os.Symlink("z", top+"/a"))
		out, err := p.run("cat " + top + "/z/b/hidden/key")
		require.NotContains(p.T, out, "secret")
		require.Error(p.T, err)
	})
}

func TestConfine_DecoysUncoverNoSocket(t *testing.T) {
	real, err := os.MkdirTemp("/tmp", "ssh-zzz")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(real)) })
	require.NoError(t, os.WriteFile(filepath.Join(real, "agent"), []byte("secret"), 0o600))
	for range 70 {
		decoy, err := os.MkdirTemp("/tmp", "ssh-000")
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, os.RemoveAll(decoy)) })
	}
	eachMethod(t, func(p *fixture) {
		if p.method == confine.Landlock {
			return // it cannot hide sockets
		}
		out, err := p.run("cat " + real + "/agent")
		require.Error(p.T, err, out)
	})
}

func TestConfine_HidesWhatIsMountedOnceMore(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("NOT RUN: only root can mount")
	}
	eachMethod(t, func(p *fixture) {
		top, again := p.bury(), p.TempDir()
		again += "/with blank"
		require.NoError(p.T, os.Mkdir(again, 0o755))
		require.NoError(p.T, syscall.Mount(top+"/a", again, "", syscall.MS_BIND, ""))
		defer func() { require.NoError(p.T, syscall.Unmount(again, syscall.MNT_DETACH)) }()
		out, err := p.run("cat '" + again + "/b/hidden/key'")
		require.Error(p.T, err, out)
		require.NotContains(p.T, out, "secret")
	})
}
