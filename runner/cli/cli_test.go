package cli_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"xbot/runner/cli"
	"xbot/runner/confine"
)

func TestMain(m *testing.M) {
	if os.Getenv("XBOT_TEST_AS_RUNNER") != "" || confine.IsVerb(os.Args) {
		syscall.Exit(cli.Main(os.Args, "1.2.3")) // os.Exit takes a second where the race detector is on
	}
	goleak.VerifyTestMain(m)
}

// command is an xbot-runner that has not been started.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, exe, args...)
	t.Cleanup(func() {
		if cmd.Process != nil && cmd.ProcessState == nil {
			_ = cmd.Process.Kill() // a failed test left it
			_ = cmd.Wait()
		}
	})
	cmd.Env = []string{"XBOT_TEST_AS_RUNNER=1", "HOME=" + t.TempDir(), "XBOT_RUNNER_TOKEN=t"}
	return cmd
}

// fails runs a command that must end with a code and returns what it said, which must be one line.
func fails(t *testing.T, code int, cmd *exec.Cmd) string {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	require.Error(t, err)
	require.Equal(t, code, cmd.ProcessState.ExitCode(), stderr.String())
	said := strings.TrimSpace(stderr.String())
	require.NotContains(t, said, "\n")
	return said
}

const server = "--server=ws://127.0.0.1:1/api/runners/connect"

func TestRunner_ExplainsWhatIsWrong(t *testing.T) {
	t.Parallel()
	require.Contains(t, fails(t, 2, command(t)), "--server")
	require.Contains(t, fails(t, 2, command(t, server, "--nonsense")), "--nonsense")
	require.Contains(t, fails(t, 1, command(t, "--server=http://x")), "must look like wss://")
	require.Contains(t, fails(t, 1, command(t, server, "--workspace=/no/such")), "/no/such does not exist")
	require.Contains(t, fails(t, 1, command(t, server, "--workspace=/", "--deny=/")), "lies inside a denied folder")
	require.Contains(t, fails(t, 2, command(t, server, "--llm-model=m")), "--llm-provider")
	require.Contains(t, fails(t, 2, command(t, server, "--llm-provider=other", "--llm-model=m")), "neither openai nor anthropic")
	require.Contains(t, fails(t, 2, command(t, server, "--mode=docker", "--workspace=/", "--llm-provider=openai", "--llm-model=m")), "offers no model")

	noToken := command(t, server)
	noToken.Env = noToken.Env[:2]
	require.Contains(t, fails(t, 2, noToken), "give --token-file or set XBOT_RUNNER_TOKEN")
}

func TestRunner_PrintsItsVersion(t *testing.T) {
	t.Parallel()
	for _, asked := range []string{"--version", "version"} {
		out, err := command(t, asked).Output()
		require.NoError(t, err)
		require.Equal(t, "1.2.3\n", string(out))
	}
}

func TestRunner_IsAloneOnItsState(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	first := command(t, server, "--state="+state)
	require.NoError(t, first.Start())
	require.Eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(state, "store"))
		return err == nil
	}, 20*time.Second, 5*time.Millisecond)
	require.Contains(t, fails(t, 3, command(t, server, "--state="+state)), "another xbot-runner uses this state folder")
	require.NoError(t, first.Process.Signal(syscall.SIGTERM))
	require.NoError(t, first.Wait(), "SIGTERM is a clean end")
}

func TestRunner_KeepsItsStateInItsHome(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	cmd := command(t, server, "--name=../my laptop")
	cmd.Env = append(cmd.Env, "XBOT_HOME="+home)
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(home, "runner", "_my laptop", "store"))
		return err == nil
	}, 20*time.Second, 5*time.Millisecond)
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, cmd.Wait())
}

func TestRunner_EndsWithWhoHoldsItsLifeline(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	lifeline, ours, err := os.Pipe()
	require.NoError(t, err)
	cmd := command(t, server, "--state="+state, "--lifeline-fd=3")
	cmd.ExtraFiles = []*os.File{lifeline}
	require.NoError(t, cmd.Start())
	require.NoError(t, lifeline.Close())
	require.Eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(state, "store"))
		return err == nil
	}, 20*time.Second, 5*time.Millisecond)
	require.NoError(t, ours.Close())
	require.NoError(t, cmd.Wait(), "it ends, and cleanly")
}
