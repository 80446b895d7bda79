package runner

import (
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/runner/confine"
	"xbot/runner/files"
)

// program starts a process that looks like one of this project's programs, and does nothing.
func program(t *testing.T, dir, name string, env, args []string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", "read end")
	cmd.Args = append([]string{name}, append(cmd.Args[1:], args...)...)
	cmd.Env, cmd.Dir = append([]string{"PATH=" + os.Getenv("PATH")}, env...), dir
	_, err := cmd.StdinPipe() // so that it waits
	require.NoError(t, errors.Join(err, cmd.Start()))
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }) // its end is of no interest
}

func folder(t *testing.T, above, name string) string {
	t.Helper()
	dir := filepath.Join(above, name)
	require.NoError(t, os.MkdirAll(dir, 0o700))
	return dir
}

func TestServerFiles_AreThoseOfWhatRunsHereAndNoCommandStarted(t *testing.T) {
	top := t.TempDir()
	named, byDefault, relative, denied, env := folder(t, top, "named"), folder(t, top, "user/.xbot"), folder(t, top, "relative"), folder(t, top, "denied"), folder(t, top, "env")
	of, forged, other := folder(t, top, "person"), folder(t, top, "forged"), folder(t, top, "other")
	token := filepath.Join(top, "token")
	require.NoError(t, os.WriteFile(token, nil, 0o600))
	program(t, top, "xbot", []string{"XBOT_HOME=" + named, "XBOT_ENV_FILE=" + env}, []string{"serve"})
	program(t, top, "/usr/bin/xbot", []string{"HOME=" + filepath.Join(top, "user")}, []string{"serve"})
	program(t, top, "xbot", []string{"XBOT_HOME=relative"}, []string{"serve"})
	program(t, top, "xbot-runner", nil, []string{"--lifeline-fd", "3", "--deny", denied, "--deny=" + filepath.Join(top, "absent")})
	program(t, top, "xbot-runner", nil, []string{"--token-file=" + token, "--deny", of})
	program(t, top, "cat", []string{"XBOT_HOME=" + other}, nil)
	shim := exec.CommandContext(t.Context(), "/bin/sh", "shim", filepath.Join(top, "jobs/1"))
	shim.Args[0], shim.Dir, shim.Env = "xbot-runner", top, []string{"PATH=" + os.Getenv("PATH"), "XBOT_HOME=" + forged}
	ready := filepath.Join(top, "ready")
	require.NoError(t, os.WriteFile(filepath.Join(top, "shim"), []byte("ln -s /bin/sh xbot; { ./xbot -c 'touch ready; read end'; } "), 0o600))
	_, err := shim.StdinPipe() // so that its command waits
	require.NoError(t, errors.Join(err, shim.Start()))
	t.Cleanup(func() { _ = shim.Process.Kill(); _ = shim.Wait() }) // its end is of no interest
	require.Eventually(t, func() bool { _, err := os.Stat(ready); return err == nil }, time.Minute, 10*time.Millisecond)
	found := serverFiles()
	require.Subset(t, found, []string{named, byDefault, relative, denied, env, token})
	for _, dir := range []string{of, forged, other, filepath.Join(top, "absent")} {
		require.NotContains(t, found, dir)
	}
}

func TestDaemon_HidesAServerThatStartedAfterItAndNotWhatWasRemoved(t *testing.T) {
	top := t.TempDir()
	home, work := folder(t, top, "home"), folder(t, top, "work")
	tree, err := files.Open(work, nil, folder(t, top, "state"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, tree.Close()) })
	d := &daemon{files: tree, log: slog.New(slog.DiscardHandler)}
	require.NoError(t, d.hideServers())
	require.NotContains(t, tree.Denied(), home)
	program(t, top, "xbot", []string{"XBOT_HOME=" + home}, []string{"serve"})
	require.Eventually(t, func() bool { require.NoError(t, d.hideServers()); return len(pathsOf(d.currentPolicy(), home)) == 1 }, time.Minute, 10*time.Millisecond)
	require.Contains(t, tree.Denied(), home)
	require.NotZero(t, pathsOf(d.currentPolicy(), home)[0].Inode)
	require.True(t, pathsOf(d.currentPolicy(), home)[0].Foreign)
	require.NoError(t, os.Rename(home, home+".moved"))
	require.NotZero(t, pathsOf(d.currentPolicy(), home)[0].Inode)
	require.False(t, pathsOf(d.currentPolicy(), home)[0].Foreign, "it has to be put back")
	require.NoError(t, os.Rename(home+".moved", home))
	require.NoError(t, os.Remove(home))
	require.Zero(t, pathsOf(d.currentPolicy(), home)[0].Inode, "whatever is there now is hidden")
}

func TestDaemon_RefusesAWorkspaceInTheFilesOfAServer(t *testing.T) {
	top := t.TempDir()
	home := folder(t, top, "home")
	tree, err := files.Open(folder(t, home, "work"), nil, folder(t, top, "state"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, tree.Close()) })
	d := &daemon{files: tree, log: slog.New(slog.DiscardHandler)}
	program(t, top, "xbot", []string{"XBOT_HOME=" + home}, []string{"serve"})
	require.Eventually(t, func() bool { err = d.hideServers(); return err != nil }, time.Minute, 10*time.Millisecond)
	require.ErrorContains(t, err, "choose another with --workspace")
	require.Error(t, d.hideServers(), "it is refused at each connection")
}

func pathsOf(p confine.Policy, path string) []confine.Hidden {
	var out []confine.Hidden
	for _, h := range p.Hide {
		if h.Path == path {
			out = append(out, h)
		}
	}
	return out
}
