package runners_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/runners/runnerstest"
	"xbot/internal/chat"
	"xbot/internal/sandbox"
)

// dockerWait bounds every wait; a loaded machine needs some.
const dockerWait = time.Minute

// dockerBench is a container of its own behind a sandbox.
type dockerBench struct {
	*testing.T
	*runnerstest.Container
	server *runnerstest.Server
	box    *sandbox.Runner
	ctx    context.Context
}

func newDocker(t *testing.T, args ...string) *dockerBench {
	t.Helper()
	runnerstest.Image(t)
	t.Parallel()
	return newDockerWith(t, runnerstest.DaemonConfig{Args: args})
}

func newDockerWith(t *testing.T, cfg runnerstest.DaemonConfig) *dockerBench {
	t.Helper()
	s := runnerstest.NewServer(t, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 2*dockerWait)
	t.Cleanup(cancel)
	d := &dockerBench{T: t, Container: s.StartContainer("docker", cfg), server: s, ctx: ctx}
	d.box = s.Direct("docker", sandbox.RunnerConfig{OfflineWait: dockerWait})
	return d
}

func (d *dockerBench) exec(id, command string, timeout time.Duration) sandbox.ExecResult {
	d.Helper()
	got, err := d.box.Exec(d.ctx, sandbox.ExecRequest{ID: chat.CallID(id), Command: command, Timeout: timeout})
	require.NoError(d, err)
	return got
}

// sh runs a command that must succeed.
func (d *dockerBench) sh(id, command string) string {
	d.Helper()
	got := d.exec(id, command, 0)
	require.Equal(d, sandbox.ExecExited, got.State, "%s", got.Output)
	require.Zero(d, got.Code, "%s", got.Output)
	return string(got.Output)
}

// begin starts a command and returns when it has printed something. Done brings its end.
func (d *dockerBench) begin(ctx context.Context, id, command string) (done <-chan sandbox.ExecResult) {
	d.Helper()
	up, ended := make(chan struct{}, 1), make(chan sandbox.ExecResult, 1)
	go func() {
		got, err := d.box.Exec(ctx, sandbox.ExecRequest{ID: chat.CallID(id), Command: command, Output: func(int64, []byte) {
			select {
			case up <- struct{}{}:
			default:
			}
		}})
		if err != nil && ctx.Err() == nil {
			d.Errorf("command %s: %v", id, err)
		}
		ended <- got
	}()
	select {
	case <-up:
	case <-time.After(dockerWait):
		require.Fail(d, "the command prints nothing")
	}
	return ended
}

// end waits for the end of a command.
func (d *dockerBench) end(done <-chan sandbox.ExecResult) sandbox.ExecResult {
	d.Helper()
	select {
	case got := <-done:
		return got
	case <-time.After(dockerWait):
		require.Fail(d, "the command does not end")
		return sandbox.ExecResult{}
	}
}

const once = "echo ran >> log; echo up; sleep 120"

func TestDocker_AKilledContainerLosesItsCommandOnce(t *testing.T) {
	d := newDocker(t)
	done := d.begin(d.ctx, "a", once)
	runnerstest.Docker(t, "kill", d.Name)
	require.Equal(t, sandbox.ExecLost, d.end(done).State)
	require.Equal(t, sandbox.ExecLost, d.exec("a", once, 0).State, "it is not run again")
	require.Equal(t, "ran\n", d.sh("b", "cat log"))
	require.Contains(t, d.Daemon.Log(), "container ended", "with the cause, for the operator")
}

func TestDocker_ARemovedContainerLosesItsCommandOnce(t *testing.T) {
	d := newDocker(t)
	done := d.begin(d.ctx, "a", once)
	runnerstest.Docker(t, "rm", "--force", d.Name)
	require.Equal(t, sandbox.ExecLost, d.end(done).State)
	require.Equal(t, sandbox.ExecLost, d.exec("a", once, 0).State, "it is not run again")
	require.Equal(t, "ran\n", d.sh("b", "cat log"), "the workspace is outside")
}

func TestDocker_AStoppedContainerEndsItsCommandsInOrder(t *testing.T) {
	d := newDocker(t)
	done := d.begin(d.ctx, "a", `trap "echo cleaned >> log; exit" TERM; echo up; while :; do sleep 0.05; done`)
	runnerstest.Docker(t, "stop", d.Name)
	got := d.end(done)
	require.Equal(t, sandbox.ExecKilled, got.State, "the shim saw it end")
	require.Contains(t, string(got.Output), "shuts down")
	require.Equal(t, "cleaned\n", d.sh("b", "cat log"))
}

// TestDocker_ACommandHasItsRealEndWhenItsEngineEnds ends the engine itself, as an upgrade of its package or a crash does.
func TestDocker_ACommandHasItsRealEndWhenItsEngineEnds(t *testing.T) {
	engine := runnerstest.OwnEngine(t)
	for name, c := range map[string]struct {
		signal syscall.Signal
		flags  []string // of the engine that comes after it
		want   sandbox.ExecState
		log    string
	}{
		"killed":                    {syscall.SIGKILL, nil, sandbox.ExecKilled, "begun\ncleaned\n"},
		"stopped":                   {syscall.SIGTERM, nil, sandbox.ExecKilled, "begun\ncleaned\n"},
		"killed, with live restore": {syscall.SIGKILL, []string{"--live-restore"}, sandbox.ExecExited, "begun\nended\n"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDockerWith(t, runnerstest.DaemonConfig{})
			done := d.begin(d.ctx, "a", `trap "echo cleaned >> log; exit" TERM; echo begun >> log; echo up; while ! test -e go; do sleep 0.05; done; echo ended >> log; echo end`)
			engine.End(c.signal)
			engine.Start(c.flags...)
			t.Cleanup(func() { // the next one is as this one was
				if c.flags != nil {
					engine.End(syscall.SIGTERM)
					engine.Start()
				}
			})
			require.NoError(t, os.WriteFile(filepath.Join(d.Workspace, "go"), nil, 0o644))
			got := d.end(done)
			require.Equal(t, c.want, got.State, "%s", got.Output)
			if c.want == sandbox.ExecKilled {
				require.Contains(t, string(got.Output), "shuts down", "the output has the cause")
			} else {
				require.Equal(t, "up\nend\n", string(got.Output))
			}
			require.Equal(t, c.log, d.sh("b", "cat log"), "once")
		})
	}
}

func TestDocker_AKilledRelayFindsItsCommandAgainWithAllOutput(t *testing.T) {
	d := newDocker(t)
	done := d.begin(d.ctx, "a", "for i in $(seq 1 40); do echo line $i; sleep 0.05; done; echo ran >> log")
	d.Runner.Kill()
	require.Eventually(t, func() bool { return d.PID("xbot-runner inside") == 0 }, dockerWait, 10*time.Millisecond,
		"the daemon inside ends with its relay")
	require.NotZero(t, d.PID("xbot-runner shim"), "the command goes on")
	d.Start()
	got := d.end(done)
	require.Equal(t, sandbox.ExecExited, got.State)
	var want strings.Builder
	for i := range 40 {
		fmt.Fprintf(&want, "line %d\n", i+1)
	}
	require.Equal(t, want.String(), string(got.Output))
	require.Equal(t, "ran\n", d.sh("b", "cat log"))
}

func TestDocker_ADaemonKilledInsideIsReplaced(t *testing.T) {
	d := newDocker(t)
	done := d.begin(d.ctx, "a", "echo up; sleep 1; echo ran >> log")
	d.KillInside("xbot-runner inside")
	require.Equal(t, sandbox.ExecExited, d.end(done).State)
	require.Equal(t, "ran\n", d.sh("b", "cat log"))
}

func TestDocker_AnIdleContainerIsStoppedAndStartsWithTheNextRequest(t *testing.T) {
	d := newDocker(t, "--idle", "500ms")
	ctx, leave := context.WithCancel(d.ctx)
	done := d.begin(ctx, "a", "echo up; sleep 3; echo ran >> log")
	leave()
	<-done
	require.Eventually(t, func() bool { return !d.Running() }, dockerWait, 50*time.Millisecond, "nobody uses it")
	log, err := os.ReadFile(filepath.Join(d.Workspace, "log"))
	require.NoError(t, err)
	require.Equal(t, "ran\n", string(log), "not before the command that nobody waited for had ended")
	began := time.Now()
	require.Equal(t, "ran\n", d.sh("b", "cat log"))
	t.Logf("a stopped container answered after %s", time.Since(began).Round(time.Millisecond))
	require.Equal(t, 1, strings.Count(d.Daemon.Log(), "msg=connected"), "the runner stayed connected")
}

func TestDocker_ChangedSettingsWaitForRunningCommands(t *testing.T) {
	d := newDocker(t)
	before := runnerstest.Docker(t, "inspect", "--format", "{{.Id}}", d.Name)
	done := d.begin(d.ctx, "a", "echo up; while ! test -e go; do sleep 0.1; done; echo ran >> log")
	d.Kill()
	d.AddArgs("--memory", "300m", "--idle", "500ms")
	d.Start()
	require.Eventually(t, func() bool { return strings.Count(d.Daemon.Log(), "msg=connected") == 2 }, dockerWait, 50*time.Millisecond)
	require.NoError(t, os.WriteFile(filepath.Join(d.Workspace, "go"), nil, 0o600))
	require.Equal(t, sandbox.ExecExited, d.end(done).State)
	require.Equal(t, before, runnerstest.Docker(t, "inspect", "--format", "{{.Id}}", d.Name))
	require.Eventually(t, func() bool { return !d.Running() }, dockerWait, 50*time.Millisecond)
	require.Equal(t, "ran\n", d.sh("b", "cat log"))
	require.Equal(t, "314572800", runnerstest.Docker(t, "inspect", "--format", "{{.HostConfig.Memory}}", d.Name))
}
