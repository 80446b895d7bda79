//go:build linux

package e2e

import (
	"bytes"
	"cmp"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/runners/runnerstest"
	"xbot/internal/chat"
	"xbot/internal/sandbox/escapetest"
)

// leastSoundInContainer is as leastSound: what the engine's user can do is much.
const leastSoundInContainer = 180

func TestEscape_CommandsInAContainerReachNothingOutside(t *testing.T) {
	image := runnerstest.Image(t)
	p := newPrison(t, os.Getuid(), "XBOT_DOCKER_IMAGE="+image, "DOCKER_HOST="+os.Getenv("DOCKER_HOST"))
	p.nameContainer()
	p.nameEngine()
	p.nameNeighbour(image)
	p.nameListeners()
	sound := p.attempt(escapetest.Container())
	if os.Getuid() == 0 {
		require.GreaterOrEqual(t, sound, leastSoundInContainer)
	}
	id := p.send(p.shell("%s", p.within+`"$PROBE" 2>&1 | grep usage && touch "$WORK/fine" && tr '\0' ' ' < /proc/$DAEMON/cmdline | grep inside`), "say done")
	require.Equal(t, chat.TurnDone, p.untilEnded(3*time.Minute, id).State)
	require.False(t, lastCalls(p.talk)[0].IsError, "commands work where they may, and aimed at the daemon: %s", lastCalls(p.talk)[0].Result)
}

// nameContainer has the container made, and names what is inside, there and here.
func (p *prison) nameContainer() {
	p.t.Helper()
	box := containersOf(p.talk)
	p.t.Cleanup(func() {
		p.stop() // else it would make the container anew
		if name := box.container(); name != "" {
			runnerstest.Docker(p.t, "rm", "--force", name)
		}
	})
	require.Equal(p.t, chat.TurnDone, p.untilEnded(3*time.Minute, p.send(p.shell("hostname"), "say up")).State)
	require.Contains(p.t, lastCalls(p.talk)[0].Result, "xbot\n", "commands go to the container")
	p.names["CONTAINER"] = box.container()

	work, state := box.workspace(), box.state()
	program, err := os.ReadFile(p.probe)
	require.NoError(p.t, err)
	require.NoError(p.t, os.WriteFile(filepath.Join(work, "escape-probe"), program, 0o755))
	programs, err := filepath.Glob(filepath.Join(state, "bin", "xbot-runner-*"))
	require.NoError(p.t, err)
	require.Len(p.t, programs, 1)
	p.variable("WORK", "/workspace", work)
	p.variable("PROBE", "/workspace/escape-probe", filepath.Join(work, "escape-probe"))
	p.variable("PROGRAM", "/xbot/xbot-runner", programs[0])
	p.variable("STORE", "/xbot/state", filepath.Join(state, "store"))
	for name, verb := range map[string]string{"DAEMON": " inside ", "PAUSE": " pause"} {
		in, out := p.processOf(p.names["CONTAINER"], verb)
		p.variable(name, strconv.Itoa(in), strconv.Itoa(out))
	}
	p.names["WORK"], p.names["PROBE"] = `"$WORK"`, `"$PROBE"`
}

// variable is one thing with two names.
func (p *prison) variable(name, within, without string) {
	p.within += fmt.Sprintf("%s='%s'; ", name, within)
	p.without = append(p.without, name+"="+without)
}

var nsPID = regexp.MustCompile(`(?m)^NSpid:\s+(\d+)\s+(\d+)$`)

// processOf finds our program in a container by its verb, and returns its ids there and here.
func (p *prison) processOf(container, verb string) (within, without int) {
	p.t.Helper()
	top := runnerstest.Docker(p.t, "top", container, "-eo", "pid,args")
	for line := range strings.Lines(top) {
		if !strings.Contains(strings.TrimSpace(line)+" ", "xbot-runner"+verb) {
			continue
		}
		status, err := os.ReadFile("/proc/" + strings.Fields(line)[0] + "/status")
		require.NoError(p.t, err)
		ids := nsPID.FindSubmatch(status)
		require.Len(p.t, ids, 3, "%s", status)
		without, err = strconv.Atoi(string(ids[1]))
		require.NoError(p.t, err)
		within, err = strconv.Atoi(string(ids[2]))
		require.NoError(p.t, err)
		return within, without
	}
	require.Fail(p.t, "no process "+verb, "%s", top)
	return 0, 0
}

func (p *prison) nameEngine() {
	p.t.Helper()
	p.names["DATA"] = runnerstest.Docker(p.t, "info", "--format", "{{.DockerRootDir}}")
	socket := strings.TrimPrefix(cmp.Or(os.Getenv("DOCKER_HOST"), "unix:///run/docker.sock"), "unix://")
	if !filepath.IsAbs(socket) {
		return // it is reached over a network
	}
	p.names["ENGINE"] = socket
	if pids := find(p.t, "dockerd", socket); len(pids) > 0 {
		p.names["ENGINE_PID"] = strconv.Itoa(pids[0])
	}
}

// nameNeighbour starts another container, whose processes run as the same user.
func (p *prison) nameNeighbour(image string) {
	p.t.Helper()
	name := p.names["CONTAINER"] + "-neighbour"
	user := runnerstest.Docker(p.t, "inspect", "--format", "{{.Config.User}}", p.names["CONTAINER"])
	p.t.Cleanup(func() { runnerstest.Docker(p.t, "rm", "--force", name) })
	runnerstest.Docker(p.t, "run", "--detach", "--name", name, "--network", "none", "--user", user, "--env", "A_TOKEN=sk-test-secret-neighbour",
		image, "sh", "-c", "echo sk-test-secret of a neighbour > /tmp/private; exec sleep 86412")
	p.names["NEIGHBOUR"] = runnerstest.Docker(p.t, "inspect", "--format", "{{.State.Pid}}", name)
	p.names["NEIGHBOUR_ROOT"] = "/proc/" + p.names["NEIGHBOUR"] + "/root"
	if dir := runnerstest.Docker(p.t, "inspect", "--format", "{{.GraphDriver.Data.MergedDir}}", name); filepath.IsAbs(dir) {
		p.names["NEIGHBOUR_ROOT"] = dir
	}
	require.Eventually(p.t, func() bool {
		line, err := os.ReadFile("/proc/" + p.names["NEIGHBOUR"] + "/cmdline")
		return err == nil && bytes.HasPrefix(line, []byte("sleep"))
	}, time.Minute, 10*time.Millisecond)
}

// nameListeners opens ports in place of other services of the machine.
func (p *prison) nameListeners() {
	p.t.Helper()
	l, err := net.Listen("tcp", "0.0.0.0:0")
	require.NoError(p.t, err)
	p.t.Cleanup(func() { _ = l.Close() }) // that a connection is taken in is enough
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(p.t, err)
	p.names["LOOPBACK"] = net.JoinHostPort("127.0.0.1", port)
	addresses, err := net.InterfaceAddrs()
	require.NoError(p.t, err)
	for _, address := range addresses {
		if ip, ok := address.(*net.IPNet); ok && ip.IP.To4() != nil && !ip.IP.IsLoopback() {
			p.names["LAN"] = net.JoinHostPort(ip.IP.String(), port)
			return
		}
	}
}
