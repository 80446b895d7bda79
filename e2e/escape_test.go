//go:build linux

package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/localstack"
	"xbot/internal/sandbox/escapetest"
)

// nobody is an account without rights that every system has.
const nobody = 65534

// leastSound is how many attempts must have been possible outside, so that their refusal means something.
const leastSound = 60

// prison is a server whose commands try to get out.
type prison struct {
	*talk
	uid     int
	probe   string
	outside string // folder that the server's user may write and commands may not; its home folder
	names   map[string]string
	within  string   // what commands begin with: variables of attempts
	without []string // the same variables outside
}

func TestEscape_RootsCommandsReachNothingOutside(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("NOT RUN: this needs root; the test beside it runs as this user")
	}
	p := newPrison(t, 0)
	sound := p.attempt(escapetest.Attempts())
	require.GreaterOrEqual(t, sound, leastSound)
}

func TestEscape_AnOrdinaryUsersCommandsReachNothingOutside(t *testing.T) {
	uid := os.Getuid()
	if uid == 0 {
		uid = nobody
	}
	p := newPrison(t, uid)
	sound := p.attempt(escapetest.Attempts())
	require.GreaterOrEqual(t, sound, leastSound)
}

func TestEscape_FileToolsReachNothingOutside(t *testing.T) {
	p := newPrison(t, os.Getuid())
	secret, err := os.ReadFile(filepath.Join(p.home, "secret.key"))
	require.NoError(t, err)
	require.NoError(t, os.Symlink(p.home, filepath.Join(p.names["WORK"], "soft")))
	require.NoError(t, os.Symlink(p.outside, filepath.Join(p.names["WORK"], "out")))
	calls := p.fileCalls()
	id := p.send(append(calls, "say tried")...)
	require.Equal(t, chat.TurnDone, p.untilEnded(3*time.Minute, id).State)
	got := lastCalls(p.talk)
	require.Len(t, got, len(calls))
	for i, c := range got {
		require.NotContains(t, c.Result, strings.TrimSpace(string(secret)), calls[i])
		require.NotContains(t, c.Result, "sk-test-secret", calls[i])
		if c.Name == "Glob" || c.Name == "Grep" {
			require.NotContains(t, c.Result, "secret.key", calls[i])
			continue // finding nothing is an answer
		}
		require.True(t, c.IsError, "%s\n%s", calls[i], c.Result)
	}
	for _, name := range []string{"planted", ".profile"} {
		require.NoFileExists(t, filepath.Join(p.home, name))
		require.NoFileExists(t, filepath.Join(p.outside, name))
	}
	id = p.send(`call FileCreate {"path":"fine","content":"x"}`, "say done")
	require.Equal(t, chat.TurnDone, p.untilEnded(3*time.Minute, id).State)
	require.False(t, lastCalls(p.talk)[0].IsError, "the tools work where they may")
}

// fileCalls are calls of file tools that must find, read and change nothing.
func (p *prison) fileCalls() []string {
	call := func(name string, arguments map[string]any) string {
		data, err := json.Marshal(arguments)
		require.NoError(p.t, err)
		return "call " + name + " " + string(data)
	}
	serve, runner := p.names["SERVE"], p.names["RUNNER"]
	var out []string
	for _, path := range []string{
		p.home + "/secret.key", "soft/secret.key", p.home + "/run/serve.json", p.home + "/localstack.json", "../" + p.home + "/secret.key",
		"/proc/" + serve + "/environ", "/proc/" + runner + "/environ", "/proc/self/environ", "/proc/" + serve + "/root" + p.home + "/secret.key",
		"/proc/" + serve + "/cwd/secret.key", "/dev/mem", "/proc/kcore", "/run/docker.sock", p.home + "/secret.key\x00x",
	} {
		out = append(out, call("Read", map[string]any{"path": path}))
	}
	for _, path := range []string{
		p.home + "/planted", "soft/planted", p.outside + "/planted", p.outside + "/.profile", "out/planted", "/etc/cron.d/xbot-planted",
		"/etc/systemd/system/xbot-planted.service", "/usr/local/bin/xbot-planted", "/proc/self/oom_score_adj",
	} {
		out = append(out, call("FileCreate", map[string]any{"path": path, "content": "x"}))
	}
	out = append(out,
		call("FileReplace", map[string]any{"path": p.outside + "/file", "old_string": "content", "new_string": "changed"}),
		call("Cd", map[string]any{"path": p.home}), call("Cd", map[string]any{"path": "soft"}),
	)
	for _, root := range []string{p.home, "soft", "/proc/" + serve} {
		out = append(out, call("Grep", map[string]any{"pattern": ".", "path": root}), call("Glob", map[string]any{"pattern": "**/*.key", "path": root}))
	}
	return out
}

// attempt makes attempts and returns how many of them were possible outside.
func (p *prison) attempt(attempts []escapetest.Attempt) int {
	p.t.Helper()
	sound, idle := escapetest.Run(p.t, escapetest.World{
		Names: p.names, Secrets: p.secrets(), Inside: p.inside, Outside: p.beside,
	}, attempts)
	p.t.Logf("as user %d: %d attempts refused, and %d more that this user could not make outside either", p.uid, sound, idle)
	return sound
}

// newPrison starts a server as a user, and around it what its commands must not reach.
func newPrison(t *testing.T, uid int, env ...string) *prison {
	t.Helper()
	p := &prison{uid: uid, outside: homeOutside(t, uid)}
	s := prepareServer(t,
		"HOME="+p.outside, "GITHUB_TOKEN=sk-test-secret-token", "SSH_AUTH_SOCK=/run/ssh-agent", "PGPASSWORD=sk-test-secret-pg", "TEMPORAL_NAMESPACE=default",
		"AWS_SECRET_ACCESS_KEY=sk-test-secret-aws", "DOCKER_HOST=unix:///run/docker.sock", "XBOT_CONFINE=require")
	work := t.TempDir()
	s.env = append(append(s.env, "XBOT_WORKSPACE="+work), env...)
	if uid != os.Getuid() {
		s.as, s.bin = &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}, copyBinaries(t)
		for _, dir := range []string{s.home, work} {
			require.NoError(t, os.Chown(dir, uid, uid))
		}
		require.NoError(t, os.Chmod(filepath.Dir(work), 0o755)) // the way to it
	}
	p.probe = escapetest.Probe(t, work)
	require.NoError(t, os.WriteFile(filepath.Join(s.home, "config.json"), []byte("{}"), 0o644))
	s.boot()
	p.talk = s.newTalk()
	require.NoError(t, os.MkdirAll(filepath.Join(s.home, "workspaces", "2"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(s.home, "workspaces", "2", "private"), []byte("sk-test-secret of another user"), 0o644))
	p.names = map[string]string{"HOME": s.home, "WORK": work, "OUT": p.outside, "PROBE": p.probe, "URL": s.url}
	p.nameServers()
	p.nameProcesses()
	p.nameSockets()
	return p
}

// homeOutside makes a home folder that is neither the workspace nor in a folder for temporary files.
func homeOutside(t *testing.T, uid int) string {
	t.Helper()
	above := "/opt"
	if os.Getuid() != 0 {
		home, err := os.UserHomeDir()
		require.NoError(t, err)
		above = home
	}
	dir, err := os.MkdirTemp(above, "xbot-escape-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), []byte("content"), 0o600))
	for _, path := range []string{dir, filepath.Join(dir, "file")} {
		require.NoError(t, os.Chown(path, uid, -1))
	}
	return dir
}

// copyBinaries puts the binaries where every user can execute them.
func copyBinaries(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "xbin")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o755))
	for _, name := range []string{"xbot", "xbot-runner", "xbot-temporal"} {
		from, err := os.Open(filepath.Join(bin, name))
		require.NoError(t, err)
		to, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_WRONLY, 0o755)
		require.NoError(t, err)
		_, err = io.Copy(to, from)
		require.NoError(t, errors.Join(err, to.Close(), from.Close()))
	}
	return dir
}

func (p *prison) nameServers() {
	p.t.Helper()
	e, err := localstack.Read(p.home)
	require.NoError(p.t, err)
	p.names["TEMPORAL_GRPC"], p.names["TEMPORAL_UI"] = e.Temporal.Address, e.Temporal.UIAddress
	p.names["CERT"], p.names["KEY"] = e.Temporal.CertFile, e.Temporal.KeyFile
	p.names["PGSOCK"] = filepath.Join(p.home, "postgres")
}

func (p *prison) nameProcesses() {
	p.t.Helper()
	serve := p.cmd.Process.Pid
	p.names["SERVE"] = strconv.Itoa(serve)
	for name, text := range map[string]string{"RUNNER": "xbot-runner", "TEMPORAL": "xbot-temporal", "POSTGRES": "postgres -D"} {
		var pids []int
		require.Eventually(p.t, func() bool { pids = children(p.t, serve, text); return len(pids) > 0 }, startLimit, 20*time.Millisecond, text)
		p.names[name] = strconv.Itoa(pids[0])
	}
	victim := exec.Command("sleep", "600")
	victim.SysProcAttr = &syscall.SysProcAttr{Credential: p.as, Pdeathsig: syscall.SIGKILL}
	require.NoError(p.t, victim.Start())
	p.t.Cleanup(func() { _ = victim.Process.Kill(); _ = victim.Wait() }) // its end is of no interest
	p.names["VICTIM"] = strconv.Itoa(victim.Process.Pid)
}

// nameSockets opens sockets in place of services that have power.
func (p *prison) nameSockets() {
	p.t.Helper()
	tag := filepath.Base(p.outside)
	p.names["ABSTRACT"] = tag
	p.listen("@" + tag)
	for name, dir := range map[string]string{"SSH": "/tmp/ssh-" + tag, "TMUX": "/tmp/tmux-" + tag} {
		require.NoError(p.t, os.Mkdir(dir, 0o755))
		p.t.Cleanup(func() { require.NoError(p.t, os.RemoveAll(dir)) })
		p.names[name] = filepath.Join(dir, "socket")
		p.listen(p.names[name])
	}
	p.names["DOCKER"] = "/run/docker.sock"
	if os.Getuid() != 0 {
		return // whether an engine is there or not
	}
	if _, err := os.Lstat("/run/docker.sock"); err != nil {
		p.listen("/run/docker.sock")
	}
}

// listen accepts connections that everybody may make.
func (p *prison) listen(address string) {
	p.t.Helper()
	l, err := net.Listen("unix", address)
	require.NoError(p.t, err)
	p.t.Cleanup(func() { _ = l.Close() }) // it takes its file along
	if !strings.HasPrefix(address, "@") {
		require.NoError(p.t, os.Chmod(address, 0o666))
	}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_ = conn.Close() // that it came is enough
		}
	}()
}

// secrets are what no command may print.
func (p *prison) secrets() []string {
	p.t.Helper()
	out := []string{"sk-test-secret", "PRIVATE KEY"}
	for _, name := range []string{"secret.key", "run/runner-local.token", "secrets/postgres-xbot"} {
		data, err := os.ReadFile(filepath.Join(p.home, name))
		require.NoError(p.t, err)
		out = append(out, strings.TrimSpace(string(data)))
	}
	return out
}

// mark comes before the exit code of a command in its output.
const mark = "\n@@code "

// inside lets a scripted model call the Shell with each command.
func (p *prison) inside(commands []string) []escapetest.Outcome {
	p.t.Helper()
	var out []escapetest.Outcome
	for len(commands) > 0 {
		batch := commands[:min(30, len(commands))]
		commands = commands[len(batch):]
		var lines []string
		for _, command := range batch {
			lines = append(lines, p.shell("%s", p.within+"( "+command+"\n) 2>&1; printf '\\n@@code %s' $?"))
		}
		id := p.send(append(lines, "say tried")...)
		require.Equal(p.t, chat.TurnDone, p.untilEnded(3*time.Minute, id).State)
		calls := lastCalls(p.talk)
		require.Len(p.t, calls, len(batch))
		for i, c := range calls {
			output, code, found := strings.Cut(c.Result, mark)
			require.True(p.t, found, "%s\n%s", batch[i], c.Result)
			var outcome escapetest.Outcome
			_, err := fmt.Sscanf(code, "%d", &outcome.Code)
			require.NoError(p.t, err, c.Result)
			outcome.Output = output
			out = append(out, outcome)
		}
	}
	return out
}

// beside executes a command outside, as the server's user.
func (p *prison) beside(t *testing.T, command string) (escapetest.Outcome, error) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", "( "+command+"\n) 2>&1")
	cmd.Dir = t.TempDir()
	if p.as != nil {
		if err := os.Chown(cmd.Dir, p.uid, p.uid); err != nil {
			return escapetest.Outcome{}, err
		}
	}
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.outside}, p.without...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: p.as}
	output, err := cmd.Output()
	if _, failed := errors.AsType[*exec.ExitError](err); failed {
		err = nil
	}
	return escapetest.Outcome{Code: cmd.ProcessState.ExitCode(), Output: string(output)}, err
}
