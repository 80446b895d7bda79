package runners_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/runners/runnerstest"
	"xbot/internal/chat"
	"xbot/internal/sandbox"
)

func TestDocker_TheEngineIsToldEveryLimit(t *testing.T) {
	d := newDocker(t, "--memory", "256m", "--cpus", "0.5", "--pids", "100")
	var config struct {
		Memory, MemorySwap, CpuPeriod, CpuQuota, PidsLimit int64
		NetworkMode                                        string
		ReadonlyRootfs, Privileged                         bool
		CapDrop, CapAdd, SecurityOpt                       []string
		Tmpfs                                              map[string]string
	}
	require.NoError(t, json.Unmarshal([]byte(runnerstest.Docker(t, "inspect", "--format", "{{json .HostConfig}}", d.Name)), &config))
	require.EqualValues(t, 256<<20, config.Memory)
	require.EqualValues(t, 256<<20, config.MemorySwap)
	require.InDelta(t, 0.5, float64(config.CpuQuota)/float64(config.CpuPeriod), 0.001)
	require.EqualValues(t, 100, config.PidsLimit)
	require.Equal(t, "none", config.NetworkMode)
	require.True(t, config.ReadonlyRootfs)
	require.False(t, config.Privileged)
	require.Equal(t, []string{"ALL"}, config.CapDrop)
	require.Empty(t, config.CapAdd)
	require.Contains(t, config.SecurityOpt, "no-new-privileges")
	require.Contains(t, config.Tmpfs["/tmp"], "size=512m")
}

// daemonEnviron finds the daemon without tools that an image may not have.
const daemonEnviron = `for p in /proc/[0-9]*; do
	if tr '\0' ' ' < $p/cmdline | grep -q '^[^ ]*xbot-runner inside'; then cat $p/environ; exit; fi
done
exit 1`

func TestDocker_CommandsHaveNoPower(t *testing.T) {
	d := newDocker(t)
	for what, c := range map[string]struct{ command, control string }{
		"writing the root":         {"touch /usr/bin/x", "touch /tmp/x ~/x"},
		"writing our program":      {"echo >> /xbot/xbot-runner", "echo >> ~/x"},
		"being root":               {`test "$(id -u)" = 0`, `test "$(id -u)" != 0`},
		"reading our notes":        {"cat /xbot/state/store || cat /xbot/state/jobs/*/command", "cat /proc/self/status"},
		"having capabilities":      {"grep CapBnd /proc/self/status | grep '[1-9a-f]$'", "grep 'CapBnd:.0000000000000000' /proc/self/status"},
		"gaining privileges":       {"grep 'NoNewPrivs:.0' /proc/self/status", "grep 'NoNewPrivs:.1' /proc/self/status"},
		"having a network":         {"grep -v 'lo:' /proc/net/dev | grep :", "grep lo: /proc/net/dev"},
		"mounting":                 {"mount -t tmpfs none /tmp", "true"},
		"entering a namespace":     {"unshare -Ur true", "true"},
		"the engine's socket":      {"test -e /run/docker.sock || test -e /var/run/docker.sock", "test -e /proc"},
		"disks":                    {"cat /dev/vda || cat /dev/sda || cat /dev/nvme0n1", "head -c1 /dev/zero"},
		"the daemon's environment": {daemonEnviron, "cat /proc/self/environ"},
		"kernel settings":          {"echo 1 > /proc/sys/kernel/panic || echo b > /proc/sysrq-trigger", "cat /proc/sys/kernel/panic"},
		"more memory from cgroups": {"echo 1g > /sys/fs/cgroup/memory/memory.limit_in_bytes || echo max > /sys/fs/cgroup/memory.max", "true"},
	} {
		t.Run(what, func(t *testing.T) {
			got := d.exec("refused "+what, c.command, 0)
			require.NotZero(t, got.Code, "%s", got.Output)
			got = d.exec("control "+what, c.control, 0)
			require.Zero(t, got.Code, "%s", got.Output)
		})
	}
}

func TestDocker_ACommandTakesNoModesAway(t *testing.T) {
	d := newDocker(t)
	const lock = "chmod 0 /xbot/state/store /xbot/state/lock /xbot/state/released /xbot/state/jobs; chmod 0 /xbot/state; echo refused"
	require.Equal(t, 5, strings.Count(d.sh("a", lock), "Operation not permitted"))
	require.Equal(t, "alive\n", d.sh("b", "echo alive"))
	d.begin(d.ctx, "c", lock+"; exec sleep 100")
	require.Equal(t, "alive\n", d.sh("d", "echo alive"), "while it runs")
	require.NoError(t, d.box.Kill(d.ctx, "c"))
	done := d.begin(d.ctx, "e", lock+"; sleep 1")
	d.Kill()
	d.Start()
	require.Equal(t, sandbox.ExecExited, d.end(done).State, "over a restart")
	require.Equal(t, "alive\n", d.sh("f", "echo alive"))
}

func TestDocker_AForkBombStaysInItsContainer(t *testing.T) {
	d := newDocker(t, "--pids", "80", "--deaf", "2s")
	got := d.exec("bomb", "while :; do sh -c 'sleep 8 & sleep 8' & done", 4*time.Second)
	t.Logf("the bomb: %s, exit code %d", got.State, got.Code)
	require.NoError(t, exec.Command("true").Run(), "this machine can still start programs")
	tries := 0
	require.Eventually(t, func() bool {
		tries++ // one that could not be started has ended: the next is another command
		again, err := d.box.Exec(d.ctx, sandbox.ExecRequest{ID: chat.CallID(fmt.Sprint("after", tries)), Command: "echo alive"})
		return err == nil && strings.Contains(string(again.Output), "alive")
	}, dockerWait, 100*time.Millisecond, "the container is usable again")
}

func TestDocker_AMemoryHogIsKilledAndTheRestGoesOn(t *testing.T) {
	d := newDocker(t, "--memory", "128m")
	done := d.begin(d.ctx, "beside", "echo up; sleep 4; echo fine")
	got := d.exec("hog", "exec tail /dev/zero", 0)
	require.Equal(t, 137, got.Code)
	require.Contains(t, string(got.Output), "Memory ran out", "the exit code alone does not say so")
	require.Contains(t, string(d.exec("child", "tail /dev/zero || exit 3", 0).Output), "Memory ran out", "also where a process of the command was killed")
	require.NotContains(t, string(d.exec("other", "kill -KILL $$", 0).Output), "Memory", "another SIGKILL")
	got = d.end(done)
	require.Equal(t, "up\nfine\n", string(got.Output))
}

func TestDocker_TwoUsersSeeNothingOfEachOther(t *testing.T) {
	first := newDocker(t, "--user", "100001:100001")
	second := newDockerWith(t, runnerstest.DaemonConfig{Args: []string{"--user", "100002:100002"}})
	first.sh("a", "echo very-private > secret; echo very-private > /tmp/secret")
	require.Equal(t, "very-private\n", first.sh("b", "cat secret"))
	for _, path := range []string{"secret", "/workspace/secret", "/tmp/secret", filepath.Join(first.Workspace, "secret"), filepath.Join(first.State, "relay.lock")} {
		require.NotZero(t, second.exec("read "+path, "cat "+path, 0).Code, path)
		_, err := second.box.ReadFile(second.ctx, path, 0, 0)
		require.Error(t, err, path)
	}
	found := second.exec("search", `grep -rl very-[p]rivate / --exclude-dir=proc --exclude-dir=sys 2>/dev/null; true`, 0)
	require.Empty(t, strings.TrimSpace(string(found.Output)))
	done := first.begin(first.ctx, "c", "echo up; exec sleep 77.77")
	require.NotContains(t, second.sh("ps", `cat /proc/[0-9]*/cmdline | tr '\0' ' '`), "77.77")
	require.NoError(t, first.box.Kill(first.ctx, "c"))
	first.end(done)
}

func TestDocker_AForeignContainerOfTheNameIsLeftAlone(t *testing.T) {
	d := newDocker(t)
	d.Stop()
	runnerstest.Docker(t, "rm", "--force", d.Name)
	runnerstest.Docker(t, "create", "--name", d.Name, runnerstest.Image(t), "true")
	d.Start()
	require.Eventually(t, func() bool { return strings.Contains(d.Daemon.Log(), "does not belong to this runner") }, dockerWait, 20*time.Millisecond)
	require.Equal(t, "[true]", runnerstest.Docker(t, "inspect", "--format", "{{.Config.Cmd}}", d.Name))
	runnerstest.Docker(t, "rm", d.Name)
	require.Equal(t, "here\n", d.sh("a", "echo here"), "it goes on by itself")
}
