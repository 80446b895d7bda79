package confine_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/runner/confine"
)

// outside is a folder that is not in the policy, with a file in it.
func (p *fixture) outside() string {
	p.Helper()
	dir := p.TempDir()
	require.NoError(p.T, os.WriteFile(filepath.Join(dir, "file"), []byte("content"), 0o666))
	return dir
}

func TestConfine_ReadsTheRestAndChangesNothingThere(t *testing.T) {
	eachMethod(t, func(p *fixture) {
		dir := p.outside()
		p.must("cat " + dir + "/file && ls /usr/bin > /dev/null && mkdir -p /dev/shm/x && rmdir /dev/shm/x")
		for _, command := range []string{
			"echo x >> %s/file", ": > %s/file", "touch %s/new", "mkdir %s/new", "mv %s/file .", "rm %s/file", "ln -s / %s/new", "mkfifo %[1]s/new", "truncate -s 0 %s/file", "chmod 777 %s/file", "touch -d 2020-01-01 %s/file",
			"chown $(id -u) %s/file",
		} {
			out, err := p.run(fmt.Sprintf(command, dir))
			require.Error(p.T, err, "%s\n%s", command, out)
		}
		data, err := os.ReadFile(filepath.Join(dir, "file"))
		require.NoError(p.T, err)
		require.Equal(p.T, "content", string(data))
	})
}

func TestConfine_MovesBetweenWritableFolders(t *testing.T) {
	eachMethod(t, func(p *fixture) {
		p.more = append(p.more, p.outside())
		p.must("mkdir a && mv " + p.more[0] + "/file a/ && mv a/file " + p.more[0] + "/back && mv a b && rmdir b")
		require.FileExists(p.T, filepath.Join(p.more[0], "back"))
	})
}

func TestConfine_HoldsProcessesToTheirLimits(t *testing.T) {
	eachMethod(t, func(p *fixture) {
		p.limits = confine.Limits{Files: 50, FileSize: 1 << 20, Memory: 1 << 30}
		require.Equal(p.T, "0 50 50\n", p.must(`echo $(ulimit -c) $(ulimit -n) $(ulimit -H -n)`))
		_, err := p.run("head -c 2000000 /dev/zero > big")
		require.Error(p.T, err)
		info, err := os.Stat(filepath.Join(p.open, "big"))
		require.NoError(p.T, err)
		require.EqualValues(p.T, 1<<20, info.Size())
		out, err := p.run("ulimit -n 51")
		require.Error(p.T, err, "what was lowered stays: %s", out)
		require.Equal(p.T, "500\n", p.must("cat /proc/self/oom_score_adj"))
	})
	score, err := os.ReadFile("/proc/self/oom_score_adj")
	require.NoError(t, err)
	require.NotEqual(t, "500\n", string(score), "it was borrowed")
}

func TestConfine_SignalsItsOwnProcessesAndNobodyElse(t *testing.T) {
	if strings.Contains(confine.Describe(confine.Landlock, confine.Policy{}), "abstract sockets") {
		t.Skip("NOT RUN: this kernel needs somebody to judge signals, and nobody does here")
	}
	stranger := exec.Command("sleep", "600")
	require.NoError(t, stranger.Start())
	defer func() { _ = stranger.Process.Kill(); _ = stranger.Wait() }() // its end is of no interest
	eachMethod(t, func(p *fixture) {
		p.must("sleep 600 & kill $!; wait $!; test $? = 143")
		out, err := p.run(fmt.Sprintf("kill -0 %d", stranger.Process.Pid))
		require.Error(p.T, err, out)
	})
}
