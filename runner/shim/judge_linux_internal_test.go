package shim

import (
	"bufio"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// family starts a shell with a child below this process, which adopts the child when the shell ends.
func family(t *testing.T) (shell *exec.Cmd, child int) {
	t.Helper()
	require.NoError(t, adoptOrphans())
	shell = exec.Command("sh", "-c", "sleep 600 >/dev/null 2>&1 & echo $!; wait")
	out, err := shell.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, shell.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	child, err = strconv.Atoi(strings.TrimSpace(line))
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = shell.Process.Kill() // the test may have ended it
		_ = shell.Wait()         // the test may have waited for it
		require.NoError(t, unix.Kill(child, unix.SIGKILL))
		_, err := unix.Wait4(child, nil, 0, nil)
		require.NoError(t, err)
		require.NoError(t, unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0))
	})
	return shell, child
}

func TestIsBelow_HoldsWhenAnAncestorEndsDuringTheWalk(t *testing.T) {
	shell, child := family(t)
	ended := false
	require.True(t, isBelow(child, func(pid int) bool {
		if pid == shell.Process.Pid && !ended {
			ended = true
			require.NoError(t, shell.Process.Kill())
			_ = shell.Wait() // it was killed
		}
		return pid == os.Getpid()
	}))
	require.True(t, ended, "the walk passed the shell")
}

func TestIsBelow_IsFalseForAProcessThatHasEnded(t *testing.T) {
	shell, _ := family(t)
	require.NoError(t, shell.Process.Kill())
	_ = shell.Wait() // it was killed
	require.False(t, isBelow(shell.Process.Pid, func(int) bool { return true }))
	require.False(t, isBelow(1, func(int) bool { return true }))
}
