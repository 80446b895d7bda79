package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/runners/runnerstest"
	"xbot/internal/chat"
)

// containerServer is a server whose users have containers: where the first administrator's commands go by default.
type containerServer struct {
	*talk
	user string // the id of that administrator: the sequence of ids may begin after 1
}

// containersOf finds the first administrator, whose containers they are.
func containersOf(k *talk) *containerServer {
	k.t.Helper()
	c := &containerServer{talk: k}
	require.NoError(k.t, k.database().QueryRow(k.t.Context(), "SELECT min(id)::text FROM users WHERE role = 'admin'").Scan(&c.user))
	return c
}

func newContainerServer(t *testing.T, env ...string) *containerServer {
	t.Helper()
	image := runnerstest.Image(t)
	s := diskServerWithStack(t, append(env, "XBOT_DOCKER_IMAGE="+image, "DOCKER_HOST="+os.Getenv("DOCKER_HOST"))...)
	c := containersOf(s.newTalk())
	t.Cleanup(func() {
		s.stop() // else it would make the container anew
		if name := c.container(); name != "" {
			runnerstest.Docker(t, "rm", "--force", name)
		}
	})
	return c
}

// container is the name of the administrator's container; empty if there is none.
func (c *containerServer) container() string {
	c.t.Helper()
	return runnerstest.Docker(c.t, "ps", "--all", "--format", "{{.Names}}",
		"--filter", "label=xbot.state="+c.state())
}

// state is the folder of the container's runner.
func (c *containerServer) state() string { return filepath.Join(c.home, "runner", "docker-"+c.user) }

// workspace is the folder in which commands in the container begin.
func (c *containerServer) workspace() string { return filepath.Join(c.home, "workspaces", c.user) }

// lines are what commands wrote to a file of the workspace.
func (c *containerServer) lines(name string) []string {
	data, err := os.ReadFile(filepath.Join(c.workspace(), name))
	if err != nil {
		return nil
	}
	return strings.Fields(string(data))
}

func TestDocker_ServerKilledDuringACommandInAContainer(t *testing.T) {
	c := newContainerServer(t)
	id := c.send(c.shell("for i in 1 2 3 4 5 6 7 8; do echo $i | tee -a count; sleep 1; done; hostname"), "say counted")
	require.Eventually(t, func() bool { return len(c.lines("count")) >= 3 }, startLimit, 10*time.Millisecond)
	c.crash()
	restarted := time.Now()
	c.boot()
	require.Equal(t, chat.TurnDone, c.recovered("command of 8 s in a container, killed in its 3rd", restarted, id).State)
	require.Equal(t, strings.Fields("1 2 3 4 5 6 7 8"), c.lines("count"), "the command ran once, to its end")
	require.Equal(t, []string{"counted"}, c.answers())
	require.Contains(t, lastCalls(c.talk)[0].Result, "1\n2\n3\n4\n5\n6\n7\n8\nxbot\n", "the model sees all of the output")
	c.wellFormed()
}

func TestDocker_ContainerKilledAndRemovedDuringACommandIsToldAsLostOnce(t *testing.T) {
	c := newContainerServer(t)
	for _, how := range []string{"kill", "rm"} {
		id := c.send(c.shell("echo a >> %s; sleep 60; echo b >> %s", how, how), "say told")
		require.Eventually(t, func() bool { return len(c.lines(how)) == 1 }, startLimit, 10*time.Millisecond)
		args := []string{how, c.container()}
		if how == "rm" {
			args = []string{how, "--force", c.container()}
		}
		runnerstest.Docker(t, args...)
		require.Equal(t, chat.TurnDone, c.untilEnded(crashLimit, id).State)
		require.True(t, lastCalls(c.talk)[0].IsError)
		require.Contains(t, strings.ToLower(lastCalls(c.talk)[0].Result), "unknown")
		require.Equal(t, []string{"a"}, c.lines(how), "it is not run again")
	}
	c.wellFormed()
}

func TestDocker_TheTerminalStartsInTheWorkspaceOfTheContainer(t *testing.T) {
	c := newContainerServer(t)
	terminal := exec.CommandContext(t.Context(), filepath.Join(bin, "xbot-cli"), "-p", c.shell("pwd; echo here >> from-terminal")+"\nsay done")
	terminal.Dir, terminal.Env = t.TempDir(), append(os.Environ(), "XBOT_HOME="+c.home)
	out, err := terminal.CombinedOutput()
	require.NoError(t, err, "the folder of the terminal is not one of the container: %s", out)
	require.Contains(t, string(out), "done")
	require.Equal(t, []string{"here"}, c.lines("from-terminal"))
}

func TestDocker_AnIdleContainerIsStoppedWithItsRunnerAndComesBack(t *testing.T) {
	c := newContainerServer(t, "XBOT_DOCKER_IDLE=1s")
	require.Equal(t, chat.TurnDone, c.untilEnded(startLimit, c.send(c.shell("echo a >> idle"), "say first")).State)
	name := c.container()
	require.Eventually(t, func() bool {
		return runnerstest.Docker(t, "container", "inspect", "--format", "{{.State.Running}}", name) == "false"
	}, time.Minute, 50*time.Millisecond)
	require.Eventually(t, func() bool { return len(find(t, "xbot-runner", c.home, "--mode", "docker")) == 0 }, time.Minute, 50*time.Millisecond)
	require.Equal(t, chat.TurnDone, c.untilEnded(startLimit, c.send(c.shell("echo b >> idle"), "say second")).State)
	require.Equal(t, []string{"a", "b"}, c.lines("idle"))
	require.Equal(t, name, c.container(), "it is the same one")
}
