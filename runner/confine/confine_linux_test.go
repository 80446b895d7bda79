package confine_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/runner/confine"
	"xbot/runner/job"
)

func TestMain(m *testing.M) {
	if confine.IsVerb(os.Args) {
		syscall.Exit(confine.Main(os.Args)) // os.Exit takes a second where the race detector is on
	}
	job.SealDescriptors() // whoever runs the tests may have left some open
	os.Exit(m.Run())
}

// fixture is a folder that commands must not see, and a method that hides it.
type fixture struct {
	*testing.T
	method confine.Method
	hidden string
	open   string
	more   []string // writable as well
	hide   []confine.Hidden
	limits confine.Limits
}

// eachMethod runs a test with every method that works here. Missing ones are said aloud.
func eachMethod(t *testing.T, test func(p *fixture)) {
	for _, method := range []confine.Method{confine.Mount, confine.User, confine.Landlock} {
		t.Run(string(method), func(t *testing.T) {
			p := &fixture{T: t, method: method, hidden: t.TempDir(), open: t.TempDir()}
			require.NoError(t, os.WriteFile(filepath.Join(p.hidden, "key"), []byte("secret"), 0o600))
			out, err := p.run("true")
			if err != nil {
				t.Skipf("NOT RUN: %s does not work here: %v %s", method, err, out)
			}
			test(p)
		})
	}
}

// policy lets commands write where the tests work. What is hidden is looked up once, as a runner does it.
func (p *fixture) policy() confine.Policy {
	if p.hide == nil {
		hide, held, err := confine.Hold([]string{p.hidden})
		require.NoError(p.T, err)
		p.Cleanup(func() {
			for _, f := range held {
				_ = f.Close() // nothing was written
			}
		})
		p.hide = hide
	}
	return confine.Policy{Hide: p.hide, Write: append([]string{p.open}, p.more...), Limits: p.limits}
}

// run starts a command from this process, which has the hidden folder open, and returns its output. An exit code other
// than 0 is an error.
func (p *fixture) run(command string) (string, error) {
	p.Helper()
	return p.runWith(p.policy(), command)
}

func (p *fixture) runWith(policy confine.Policy, command string) (string, error) {
	p.Helper()
	if held, err := os.Open(p.hidden); err == nil { // a test may have moved it
		defer held.Close()
	}
	null, err := os.Open(os.DevNull)
	require.NoError(p.T, err)
	defer null.Close()
	out, end, err := os.Pipe()
	require.NoError(p.T, err)
	defer out.Close()
	pid, err := confine.Start(p.method, confine.Command{
		Text: command, Dir: p.open, Input: null.Fd(), Output: end.Fd(), Errors: end.Fd(), Policy: policy,
		Env: []string{"PATH=" + os.Getenv("PATH"), "H=" + p.hidden, fmt.Sprintf("OUTSIDE=%d", os.Getpid())},
	})
	require.NoError(p.T, end.Close())
	if err != nil {
		return "", err
	}
	said, err := io.ReadAll(out)
	require.NoError(p.T, err)
	var status syscall.WaitStatus
	_, err = syscall.Wait4(pid, &status, 0, nil)
	require.NoError(p.T, err)
	if status != 0 {
		return string(said), exitError(status.ExitStatus())
	}
	return string(said), nil
}

// exitError is an exit code that is not 0; -1 for a signal.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

func (p *fixture) must(command string) string {
	p.Helper()
	out, err := p.run(command)
	require.NoError(p.T, err, out)
	return out
}

func TestConfine_EscapesFail(t *testing.T) {
	eachMethod(t, func(p *fixture) {
		for _, command := range []string{
			`cat $H/key`,
			`ls -A $H | grep .`,
			`cat /proc/self/root$H/key`,
			`cat /proc/$OUTSIDE/root$H/key`,
			`cat /proc/1/root$H/key`,
			`cat /proc/$OUTSIDE/task/*/root$H/key`,
			`cat /proc/$OUTSIDE/fd/*/key`,
			`cat /proc/$OUTSIDE/task/*/fd/*/key`,
			`cat /proc/$OUTSIDE/task/*/cwd/$(basename $H)/key`,
			`cat /proc/self/fd/*/key`,
			`cat /proc/$PPID/root$H/key`,
			`umount $H && cat $H/key`,
			`umount -l $H && cat $H/key`,
			`mount --bind / /mnt && cat /mnt$H/key`,
			`unshare -m sh -c "umount $H && cat $H/key"`,
			`unshare -Urm sh -c "umount $H && cat $H/key"`,
			`nsenter -t $OUTSIDE -m cat $H/key`,
			`nsenter -t 1 -m cat $H/key`,
			`chmod 777 $H && ls -A $H | grep .`,
			`touch $H/new`,
			`mv $H $H.moved`,
			`rmdir $H`,
			`ln -s $H ./link && cat ./link/key`,
			`cd $H/.. && cat ./$(basename $H)/key`,
		} {
			if p.method == confine.Landlock && strings.HasPrefix(command, "ls -A") {
				continue // names can be listed
			}
			out, err := p.run(command)
			require.Error(p.T, err, "%s\n%s", command, out)
			require.NotContains(p.T, out, "secret", command)
		}
		require.FileExists(p.T, filepath.Join(p.hidden, "key"))
	})
}

func TestConfine_HidesTheEnvironmentOfOthersFromAnOrdinaryUser(t *testing.T) {
	eachMethod(t, func(p *fixture) {
		if p.method == confine.Mount {
			return // new kernels let root read it whatever a Landlock domain says
		}
		out, err := p.run(`cat /proc/$OUTSIDE/environ`)
		require.Error(p.T, err, out)
	})
}

func TestConfine_LeavesTheRestAsItIs(t *testing.T) {
	eachMethod(t, func(p *fixture) {
		require.Equal(p.T, fmt.Sprintf("%d\n", os.Getuid()), p.must("id -u"))
		p.must(`mkdir -p a b && echo x > a/f && mv a/f b/g && ln b/g a/h && cat a/h && rm -r a b`)
		p.must(`echo made > f && test "$(cat f)" = made`)
		data, err := os.ReadFile(filepath.Join(p.open, "f"))
		require.NoError(p.T, err)
		require.Equal(p.T, "made\n", string(data), "what is written shows outside")
		p.must(`echo x > /dev/null && test -e /proc/self/status && kill -0 $$`)
		require.Equal(p.T, "0\n1\n2\n3\n", p.must(`exec ls /proc/self/fd`), "3 is the listing itself")
		require.Contains(p.T, p.must(`grep CapInh /proc/self/status`), "0000000000000000")
		out, err := p.run("exit 7")
		require.Equal(p.T, exitError(7), err, out)
	})
}

func TestConfine_GivesAnOrdinaryUserNoPower(t *testing.T) {
	if os.Getuid() == 0 {
		return // root keeps what it has; the runner's suite also runs as somebody else
	}
	eachMethod(t, func(p *fixture) {
		require.Contains(p.T, p.must(`grep CapEff /proc/self/status`), "0000000000000000")
	})
}

// TestConfine_BearsWhatTheRuntimeDoesMeanwhile starts commands while memory is collected all the time: the collector
// polls for input on the thread that happens to begin.
func TestConfine_BearsWhatTheRuntimeDoesMeanwhile(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	eachMethod(t, func(p *fixture) {
		for range 20 {
			p.must("true")
		}
	})
}

func TestConfine_DoesNotExecuteWhatItCannotConfine(t *testing.T) {
	eachMethod(t, func(p *fixture) {
		if p.method == confine.Landlock {
			return // a domain within a domain is possible
		}
		out, err := p.run(fmt.Sprintf("%s confine-probe '%s' %s/key '{}'", os.Args[0], p.method, p.hidden))
		require.Error(p.T, err, "in the sandbox no further one can be built")
		require.NotRegexp(p.T, "visible|hidden", out, "nothing was executed")
	})
}

func TestFind_ProvesThatTheFolderIsHidden(t *testing.T) {
	hidden := t.TempDir()
	witness := filepath.Join(hidden, "witness")
	require.NoError(t, os.WriteFile(witness, nil, 0o600))
	method, err := confine.Find(confine.Policy{Hide: []confine.Hidden{{Path: hidden}}}, witness)
	if err != nil {
		t.Skipf("NOT RUN: no method works here: %v", err)
	}
	require.NotEqual(t, confine.None, method)
	_, err = confine.Find(confine.Policy{Hide: []confine.Hidden{{Path: t.TempDir()}}}, witness)
	require.ErrorContains(t, err, "stayed visible")
}
