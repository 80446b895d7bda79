package shim_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/sandbox/escapetest"
	"xbot/runner/confine"
	"xbot/runner/job"
	"xbot/runner/wire"
)

func TestShim_AsAnOrdinaryUser(t *testing.T) { escapetest.AsOrdinaryUser(t) }

// cell is a store whose commands are confined.
type cell struct {
	*bench
	method confine.Method
	policy confine.Policy
	probe  string
	number int
}

// eachMethod runs a test with every method that works for this user. Missing ones are said aloud.
func eachMethod(t *testing.T, test func(c *cell)) {
	work := t.TempDir()
	probe := escapetest.Probe(t, work)
	for _, method := range []confine.Method{confine.Mount, confine.User, confine.Landlock} {
		t.Run(string(method), func(t *testing.T) {
			if (os.Getuid() == 0) == (method == confine.User) && method != confine.Landlock {
				t.Skipf("NOT RUN: user %d is not confined by a %s", os.Getuid(), method)
			}
			hidden := t.TempDir()
			c := &cell{bench: setup(t, filepath.Join(hidden, "state")), method: method, probe: probe}
			hide, held, err := confine.Hold([]string{hidden})
			require.NoError(t, err)
			t.Cleanup(func() {
				for _, f := range held {
					require.NoError(t, f.Close())
				}
			})
			c.policy = confine.Policy{Hide: hide, Write: []string{work}}
			status, out := c.run("true")
			if status.Code != 0 {
				t.Skipf("NOT RUN: %s does not work here: %s", method, out)
			}
			test(c)
		})
	}
}

// begin starts a command in the sandbox.
func (c *cell) begin(command string) *job.Job {
	c.Helper()
	c.number++
	j, err := c.store.Attach(job.Spec{
		ID: fmt.Sprint(c.number), Hash: job.HashOf(command, ""), Command: command, Dir: "/", Confine: string(c.method), Policy: c.policy,
		Env: []string{"PATH=" + os.Getenv("PATH"), "PROBE=" + c.probe}, Timeout: time.Minute,
	})
	require.NoError(c.T, err)
	return j
}

func (c *cell) run(command string) (job.Status, string) {
	c.Helper()
	j := c.begin(command)
	return c.end(j), c.output(j)
}

func TestShim_IsOutOfReachOfItsCommand(t *testing.T) {
	eachMethod(t, func(c *cell) {
		for _, command := range []string{
			`$PROBE threads $PPID`, `kill -0 $PPID`, `kill -CONT $PPID`, `kill -STOP $PPID`, `kill -STOP -$PPID`, `renice -n 19 -p $PPID`,
			`prlimit --pid $PPID --nofile=3:3`, `taskset -p 1 $PPID`, `cat /proc/$PPID/environ`, `ls -l /proc/$PPID/fd/ | grep -e "->"`,
			`for t in /proc/$PPID/task/*; do kill -CONT ${t##*/} && exit 0; done; exit 1`,
		} {
			status, out := c.run(command)
			require.Equal(c.T, wire.StateExited, status.State, command)
			require.NotZero(c.T, status.Code, "%s\n%s", command, out)
		}
	})
}

func TestShim_OneCommandEndsWhatAnotherLeftRunning(t *testing.T) {
	stranger := exec.Command("sleep", "600")
	require.NoError(t, stranger.Start())
	defer func() { _ = stranger.Process.Kill(); _ = stranger.Wait() }() // its end is of no interest
	eachMethod(t, func(c *cell) {
		_, said := c.run(`sleep 600 >/dev/null 2>&1 & echo $! $PPID`)
		fields := strings.Fields(said)
		left, other := c.pid(fields[0]), c.pid(fields[1])
		status, out := c.run(fmt.Sprintf("kill -0 %d", left))
		require.Zero(c.T, status.Code, "it is said to be there: %s", out)
		for _, command := range []string{"kill -STOP %d", "kill -CONT %d", "kill -0 %d", "renice -n 19 -p %d", "prlimit --pid %d --nofile=3:3"} {
			for _, pid := range []int{other, stranger.Process.Pid} {
				status, out := c.run(fmt.Sprintf(command, pid))
				require.NotZero(c.T, status.Code, "%s of %d: %s", command, pid, out)
			}
		}
		status, out = c.run(fmt.Sprintf("kill %d", left))
		require.Zero(c.T, status.Code, out)
		c.eventually(func() bool { return !alive(left) }, "it goes on")
		c.eventually(func() bool { return !alive(other) }, "its shim has nothing left to stay for")
		status, out = c.run("kill 99999999")
		require.NotZero(c.T, status.Code)
		require.Contains(c.T, out, "No such process")
	})
}

func TestShim_AGroupOfAnotherCommandIsEndedAsOne(t *testing.T) {
	eachMethod(t, func(c *cell) {
		_, said := c.run(`setsid sh -c 'sleep 600 & sleep 601 & wait' >/dev/null 2>&1 & echo $!`)
		leader := c.pid(said)
		c.eventually(func() bool { return len(groupOf(leader)) == 3 }, "they begin")
		status, out := c.run(fmt.Sprintf("kill -KILL -%d", leader))
		require.Zero(c.T, status.Code, out)
		c.eventually(func() bool { return len(groupOf(leader)) == 0 }, "they go on")
	})
}

// groupOf are the processes of a group. Those that have ended, and that nobody has asked about yet, are none.
func groupOf(leader int) []string {
	out, err := exec.Command("pgrep", "-g", fmt.Sprint(leader), "sleep|sh").Output()
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(strings.Fields(string(out)), func(pid string) bool {
		number, err := strconv.Atoi(pid)
		return err != nil || !alive(number)
	})
}

func TestShim_ACommandSetsLimitsAndPrioritiesOfItsOwnProcesses(t *testing.T) {
	eachMethod(t, func(c *cell) {
		status, out := c.run(`sleep 600 & prlimit --pid $! --nofile=64:64 && taskset -p 1 $! && renice -n 19 -p $! && kill $!`)
		require.Zero(c.T, status.Code, out)
	})
}

func TestShim_AKillEndsWhatAConfinedCommandLeftRunning(t *testing.T) {
	eachMethod(t, func(c *cell) {
		_, said := c.run(`setsid sleep 600 >/dev/null 2>&1 & echo $!`)
		left := c.pid(said)
		require.True(c.T, alive(left))
		require.NoError(c.T, c.store.Kill(fmt.Sprint(c.number)))
		c.eventually(func() bool { return !alive(left) }, "nobody could end it")
	})
}

func TestShim_ItsDeathKillsAConfinedShell(t *testing.T) {
	eachMethod(t, func(c *cell) {
		j := c.begin(`echo $$ $PPID; while :; do sleep 1; done`)
		fields := strings.Fields(c.waitOutput(j, "\n"))
		require.NoError(c.T, exec.Command("kill", "-KILL", fields[1]).Run())
		require.Equal(c.T, wire.StateLost, c.end(j).State)
		c.eventually(func() bool { return !alive(c.pid(fields[0])) }, "the shell lingers")
	})
}
