package process_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/host/localstack/process"
)

const (
	within = time.Minute
	tick   = 5 * time.Millisecond
)

// TestMain lets the test program play the owner of a process: it starts one, prints its pid and waits to be killed.
func TestMain(m *testing.M) {
	if os.Getenv("PROCESS_TEST_OWNER") == "" {
		os.Exit(m.Run())
	}
	follow, err := strconv.Atoi(os.Getenv("PROCESS_TEST_OWNER"))
	if err != nil {
		panic(err)
	}
	p, err := process.Start(exec.Command("sleep", "600"), syscall.Signal(follow))
	if err != nil {
		panic(err)
	}
	fmt.Println(p.PID)
	select {}
}

func shell(t *testing.T, script string) *process.Process {
	t.Helper()
	p, err := process.Start(exec.Command("sh", "-c", script), 0)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Stop(context.Background())) })
	return p
}

func TestStart_TellsHowAProcessEnded(t *testing.T) {
	t.Parallel()
	good, bad := shell(t, "exit 0"), shell(t, "exit 3")
	<-good.Done()
	<-bad.Done()
	require.NoError(t, good.Err())
	require.ErrorContains(t, bad.Err(), "exit status 3")
	require.NoError(t, bad.Signal(syscall.SIGTERM), "a signal to a process that has ended is no error")

	_, err := process.Start(exec.Command("/no/such/program"), 0)
	require.Error(t, err)
}

func TestStart_MakesASessionOfItsOwn(t *testing.T) {
	t.Parallel()
	p := shell(t, "sleep 600")
	group, err := syscall.Getpgid(p.PID)
	require.NoError(t, err)
	require.Equal(t, p.PID, group)
}

func TestStop_GoesFromStepToStep(t *testing.T) {
	t.Parallel()
	// Ends at the second signal only.
	obedient := ready(t, `trap '' INT; trap 'exit 0' TERM; echo ready; while :; do sleep 0.01; done`)
	require.NoError(t, obedient.Stop(t.Context(),
		process.Step{Signal: syscall.SIGINT, Wait: 50 * time.Millisecond}, process.Step{Signal: syscall.SIGTERM, Wait: within}))
	require.NoError(t, obedient.Err(), "it was killed, not asked")

	stubborn := ready(t, `trap '' TERM; echo ready; while :; do sleep 0.01; done`)
	require.NoError(t, stubborn.Stop(t.Context(), process.Step{Signal: syscall.SIGTERM, Wait: 50 * time.Millisecond}))
	require.ErrorContains(t, stubborn.Err(), "killed")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	hurried := ready(t, `trap '' TERM; echo ready; while :; do sleep 0.01; done`)
	begin := time.Now()
	require.NoError(t, hurried.Stop(ctx, process.Step{Signal: syscall.SIGTERM, Wait: time.Hour}))
	require.Less(t, time.Since(begin), within)
}

// ready starts a script and returns once it has printed its first line.
func ready(t *testing.T, script string) *process.Process {
	t.Helper()
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	cmd := exec.Command("sh", "-c", script)
	cmd.Stdout = writer
	p, err := process.Start(cmd, 0)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Stop(context.Background())) })
	require.NoError(t, writer.Close())
	_, err = bufio.NewReader(reader).ReadString('\n')
	require.NoError(t, err)
	require.NoError(t, reader.Close())
	return p
}

func TestAdopt_FollowsAProcessThatIsNoChild(t *testing.T) {
	t.Parallel()
	owner, pid := startOwner(t, 0)
	require.NoError(t, owner.Process.Kill())
	_ = owner.Wait() // reports the kill

	p, err := process.Adopt(pid)
	require.NoError(t, err)
	select {
	case <-p.Done():
		require.Fail(t, "the process runs")
	default:
	}
	require.NoError(t, p.Stop(t.Context(), process.Step{Signal: syscall.SIGTERM, Wait: within}))
	require.NoError(t, p.Err())
	require.NoError(t, p.Signal(syscall.SIGTERM))
}

func TestAdopt_RefusesAPidThatNobodyHas(t *testing.T) {
	t.Parallel()
	ended := shell(t, "exit 0")
	<-ended.Done()
	_, err := process.Adopt(ended.PID)
	require.ErrorContains(t, err, strconv.Itoa(ended.PID))
}

func TestStart_FollowsTheDeathOfItsOwner(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Log("not checked: only Linux can")
		return
	}
	owner, pid := startOwner(t, syscall.SIGTERM)
	p, err := process.Adopt(pid)
	require.NoError(t, err)
	require.NoError(t, owner.Process.Kill())
	_ = owner.Wait() // reports the kill
	select {
	case <-p.Done():
	case <-time.After(within):
		require.Fail(t, "the process outlived its owner")
	}
}

func TestStart_DoesNotTakeTheEndOfAThreadForTheOwners(t *testing.T) {
	t.Parallel()
	started := make(chan *process.Process)
	go func() {
		// Never unlocked, so the thread ends with the goroutine.
		runtime.LockOSThread()
		p, err := process.Start(exec.Command("sleep", "600"), syscall.SIGKILL)
		if err != nil {
			close(started)
			return
		}
		started <- p
	}()
	p, ok := <-started
	require.True(t, ok)
	t.Cleanup(func() { require.NoError(t, p.Stop(context.Background())) })
	require.Never(t, func() bool {
		select {
		case <-p.Done():
			return true
		default:
			return false
		}
	}, 200*time.Millisecond, tick)
}

// startOwner runs another process that owns one, and returns both once they run.
func startOwner(t *testing.T, follow syscall.Signal) (*exec.Cmd, int) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), fmt.Sprintf("PROCESS_TEST_OWNER=%d", int(follow)))
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // mostly done already
		_, _ = io.Copy(io.Discard, stdout)
		_ = syscall.Kill(pid, syscall.SIGKILL)
	})
	return cmd, pid
}
