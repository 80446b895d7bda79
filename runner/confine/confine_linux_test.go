package confine_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/runner/confine"
	"xbot/runner/job"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == confine.Verb {
		os.Exit(confine.Main(os.Args[2:]))
	}
	job.SealDescriptors() // whoever runs the tests may have left some open
	os.Exit(m.Run())
}

// place is a folder that commands must not see, and a method that hides it.
type place struct {
	*testing.T
	method confine.Method
	hidden string
	open   string
}

// eachMethod runs a test with every method that works here. Missing ones are said aloud.
func eachMethod(t *testing.T, test func(p *place)) {
	for _, method := range []confine.Method{confine.Mount, confine.User} {
		t.Run(string(method), func(t *testing.T) {
			p := &place{T: t, method: method, hidden: t.TempDir(), open: t.TempDir()}
			require.NoError(t, os.WriteFile(filepath.Join(p.hidden, "key"), []byte("secret"), 0o600))
			out, err := p.run("true")
			if err != nil {
				t.Skipf("NOT RUN: %s does not work here: %v %s", method, err, out)
			}
			test(p)
		})
	}
}

func (p *place) run(command string) (string, error) {
	p.Helper()
	path, argv, attr := confine.Wrap(p.method, []string{p.hidden}, command)
	attr.Setpgid = true
	var out bytes.Buffer
	cmd := exec.Cmd{Path: path, Args: argv, SysProcAttr: attr, Dir: p.open, Stdout: &out, Stderr: &out,
		Env: []string{"PATH=" + os.Getenv("PATH"), "H=" + p.hidden, fmt.Sprintf("OUTSIDE=%d", os.Getpid())}}
	err := cmd.Run()
	return out.String(), err
}

func (p *place) must(command string) string {
	p.Helper()
	out, err := p.run(command)
	require.NoError(p.T, err, out)
	return out
}

func TestConfine_EscapesFail(t *testing.T) {
	eachMethod(t, func(p *place) {
		for _, command := range []string{
			`cat $H/key`,
			`ls -A $H | grep .`,
			`cat /proc/self/root$H/key`,
			`cat /proc/$OUTSIDE/root$H/key`,
			`cat /proc/1/root$H/key`,
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
			out, err := p.run(command)
			require.Error(p.T, err, "%s\n%s", command, out)
			require.NotContains(p.T, out, "secret", command)
		}
		require.FileExists(p.T, filepath.Join(p.hidden, "key"))
	})
}

func TestConfine_HidesTheEnvironmentOfOthersFromAnOrdinaryUser(t *testing.T) {
	eachMethod(t, func(p *place) {
		if p.method == confine.Mount {
			return // new kernels let root read it whatever a Landlock domain says
		}
		out, err := p.run(`cat /proc/$OUTSIDE/environ`)
		require.Error(p.T, err, out)
	})
}

func TestConfine_LeavesTheRestAsItIs(t *testing.T) {
	eachMethod(t, func(p *place) {
		require.Equal(p.T, fmt.Sprintf("%d\n", os.Getuid()), p.must("id -u"))
		p.must(`mkdir -p a b && echo x > a/f && mv a/f b/g && ln b/g a/h && cat a/h && rm -r a b`)
		p.must(`echo made > f && test "$(cat f)" = made`)
		data, err := os.ReadFile(filepath.Join(p.open, "f"))
		require.NoError(p.T, err)
		require.Equal(p.T, "made\n", string(data), "what is written shows outside")
		p.must(`echo x > /dev/null && test -e /proc/self/status && kill -0 $$`)
		require.Equal(p.T, "0 1 2 ", p.must(`ls /proc/$$/fd | tr '\n' ' '`))
		require.Contains(p.T, p.must(`grep CapInh /proc/self/status`), "0000000000000000")
		out, err := p.run("exit 7")
		require.Equal(p.T, 7, err.(*exec.ExitError).ExitCode(), out)
	})
}

func TestConfine_GivesAnOrdinaryUserNoPower(t *testing.T) {
	if os.Getuid() == 0 {
		return // root keeps what it has; the runner's suite also runs as somebody else
	}
	eachMethod(t, func(p *place) {
		require.Contains(p.T, p.must(`grep CapEff /proc/self/status`), "0000000000000000")
	})
}

func TestConfine_DoesNotExecuteWhatItCannotConfine(t *testing.T) {
	exe, err := os.Executable()
	require.NoError(t, err)
	if os.Getuid() == 0 {
		return // in this namespace root could cover the folder for everybody
	}
	out, err := exec.Command(exe, confine.Verb, t.TempDir(), "--", "echo ran").CombinedOutput()
	require.Equal(t, 126, err.(*exec.ExitError).ExitCode())
	require.True(t, strings.HasPrefix(string(out), "xbot-runner could not confine the command"), string(out))
}

func TestFind_ProvesThatTheFolderIsHidden(t *testing.T) {
	hidden := t.TempDir()
	witness := filepath.Join(hidden, "witness")
	require.NoError(t, os.WriteFile(witness, nil, 0o600))
	method, err := confine.Find([]string{hidden}, witness)
	if err != nil {
		t.Skipf("NOT RUN: no method works here: %v", err)
	}
	require.NotEqual(t, confine.None, method)
	_, err = confine.Find([]string{t.TempDir()}, witness)
	require.ErrorContains(t, err, "stayed visible")
}
