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
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/fault"
	"xbot/internal/host/localstack"
	"xbot/internal/sandbox/escapetest"
)

// nobody is an account without rights that every system has.
const nobody = 65534

// leastSound is how many attempts must have been possible outside, so that their refusal means something.
const leastSound = 250

// prison is a server whose commands try to get out.
type prison struct {
	*talk
	uid     int
	lacks   []string // what the kernel seems to be without
	probe   string
	outside string // folder that the server's user may write and commands may not; its home folder
	names   map[string]string
	within  string   // what commands begin with: variables of attempts
	without []string // the same variables outside
}

// Each of the ways in which commands are confined, by what the kernel seems to lack to the server and all it starts.
var lacking = map[string]string{"every wall": "", "Landlock alone": "namespaces", "no Landlock": "landlock"}

func TestEscape_RootsCommandsReachNothingOutside(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("NOT RUN: this needs root; the test beside it runs as this user")
	}
	eachMode(t, 0)
}

func TestEscape_AnOrdinaryUsersCommandsReachNothingOutside(t *testing.T) {
	t.Parallel()
	uid := os.Getuid()
	if uid == 0 {
		uid = nobody
	}
	eachMode(t, uid)
}

// eachMode tries to get out of every kind of walls that this machine offers, and says how often.
func eachMode(t *testing.T, uid int) {
	t.Helper()
	for name, lacks := range lacking {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPrisonWithout(t, uid, lacks)
			sound := p.attempt(escapetest.Attempts())
			require.GreaterOrEqual(t, sound, leastSound)
		})
	}
}

// TestEscape_OlderVersionsOfLandlock makes the attempts at processes, signals, shared objects and files' modes on kernels whose Landlock does not
// hold signals, or that files are shortened.
func TestEscape_OlderVersionsOfLandlock(t *testing.T) {
	t.Parallel()
	users := map[string]int{"as this user": os.Getuid()}
	if os.Getuid() == 0 {
		users["as another user"] = nobody
	}
	for user, uid := range users {
		for _, k := range []kernel{{landlock: 1}, {landlock: 3}, {landlock: 5}, {landlock: 2, lacks: "namespaces"}, {landlock: 3, lacks: "namespaces"}, {landlock: 5, lacks: "namespaces"}} {
			t.Run(fmt.Sprintf("%s, %d %s", user, k.landlock, k.lacks), func(t *testing.T) {
				t.Parallel()
				p := newPrisonOn(t, k, uid)
				sound := p.attempt(slices.DeleteFunc(escapetest.Attempts(), func(a escapetest.Attempt) bool {
					return !slices.Contains([]string{"threads", "every process", "signals", "shared by all processes", "new namespaces", escapetest.FileChanges}, a.Group)
				}))
				require.Greater(t, sound, 80)
			})
		}
	}
}

// unconfinable is a server on a machine that has neither namespaces nor Landlock.
func unconfinable(t *testing.T, setting string) *prison {
	t.Helper()
	return newPrisonOn(t, kernel{lacks: "namespaces,landlock"}, os.Getuid(), "XBOT_CONFINE="+setting)
}

// commandResult runs a command and returns its result.
func (p *prison) commandResult(command string) string {
	p.t.Helper()
	id := p.send(fmt.Sprintf("call Shell {\"command\":%q}", command), "say went on")
	require.Equal(p.t, chat.TurnDone, p.untilEnded(3*time.Minute, id).State)
	results := p.toolResults()
	return results[len(results)-1]
}

// untilConfinement waits until the server's own runner is connected and reports how it confines commands.
func (p *prison) untilConfinement(says string) (local chat.Runner) {
	p.t.Helper()
	require.Eventually(p.t, func() bool {
		all, err := p.client.ListRunners(p.t.Context())
		if err != nil || len(all.Runners) == 0 {
			return false
		}
		local = all.Runners[0]
		return local.Online && strings.Contains(local.Confinement, says)
	}, time.Minute, 50*time.Millisecond)
	return local
}

// TestConfine_WhereNothingConfinesThemCommandsAreRefused runs commands with XBOT_CONFINE=off only, which no choice of an administrator changes.
func TestConfine_WhereNothingConfinesThemCommandsAreRefused(t *testing.T) {
	t.Parallel()
	p := unconfinable(t, "auto")
	refused := p.commandResult("echo ran >> ran; echo it ran")
	require.Contains(t, refused, "commands are refused: this machine cannot confine them")
	require.Contains(t, refused, "XBOT_CONFINE=off")
	require.NoFileExists(t, filepath.Join(p.names["WORK"], "ran"))
	out, _ := p.operate("doctor") // other lines may warn, too
	require.Contains(t, out, "WARNING, commands are refused: none: ")
	_, err := p.client.SetRunnerSandbox(t.Context(), chat.ConfineOff)
	require.Equal(t, fault.Conflict, fault.KindOf(err))
	require.ErrorContains(t, err, "XBOT_CONFINE=auto")
	said, err := p.operateWith("\n\n\n", "setup")
	require.NoError(t, err, said)
	require.Contains(t, said, "The setting XBOT_CONFINE=auto decides that.")
	p.crash()
	p.env = append(p.env, "XBOT_CONFINE=off")
	p.boot()
	require.Contains(t, p.commandResult("echo ran >> ran; echo it ran"), "it ran")
	require.Equal(t, &chat.RunnerSandbox{Confine: chat.ConfineOff, Setting: true}, p.untilConfinement("switched off").Sandbox)
}

// TestConfine_AnAdministratorChoosesToRunCommandsWithoutASandbox chooses in xbot setup, on the same server, and takes it back as the page does.
func TestConfine_AnAdministratorChoosesToRunCommandsWithoutASandbox(t *testing.T) {
	t.Parallel()
	p := unconfinable(t, "")
	refused := p.commandResult("echo it ran")
	require.Contains(t, refused, "commands are refused: this machine cannot confine them")
	require.Contains(t, refused, "on the page (Settings, Runners), in xbot setup")
	require.True(t, p.untilConfinement("none: ").Refused)

	said, err := p.operateWith("\n\n\n\n", "setup")
	require.NoError(t, err, said)
	require.Contains(t, said, "a command has all rights of the user who runs xbot", "it says what it means")
	require.True(t, p.untilConfinement("none: ").Refused, "Enter alone chooses nothing")
	said, err = p.operateWith("\n\n2\n\n", "setup")
	require.NoError(t, err, said)
	local := p.untilConfinement("switched off")
	require.False(t, local.Refused)
	require.Equal(t, "admin", local.Sandbox.ChangedBy)
	require.WithinDuration(t, time.Now(), *local.Sandbox.ChangedAt, time.Hour)
	require.Contains(t, p.commandResult("echo it ran"), "it ran")
	out, _ := p.operate("doctor")
	require.Contains(t, out, "commands run without a sandbox, as admin chose on ")
	changes, err := p.client.ListChanges(t.Context(), apiclient.ListChangesParams{Installation: true, Kind: "sandbox"})
	require.NoError(t, err)
	require.Len(t, changes, 1)
	require.JSONEq(t, `{"confine":"off"}`, string(changes[0].After))
	require.Equal(t, "admin", changes[0].ChangedBy)

	p.crash()
	p.boot()
	require.Contains(t, p.commandResult("echo it ran again"), "it ran again", "the choice outlives a kill")
	going := p.send(`call Shell {"command":"touch began; until [ -e go ]; do sleep 0.1; done; echo it went on"}`, "say went on")
	require.Eventually(t, func() bool { _, err := os.Stat(filepath.Join(p.names["WORK"], "began")); return err == nil }, time.Minute, 20*time.Millisecond)
	_, err = p.client.SetRunnerSandbox(t.Context(), chat.ConfineAuto)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return p.untilConfinement("none: ").Refused }, time.Minute, 50*time.Millisecond)
	require.NoError(t, os.WriteFile(filepath.Join(p.names["WORK"], "go"), nil, 0o644))
	require.Equal(t, chat.TurnDone, p.untilEnded(3*time.Minute, going).State)
	results := p.toolResults()
	require.Contains(t, results[len(results)-1], "it went on", "a command keeps what it began with")
	require.Contains(t, p.commandResult("echo it ran"), "commands are refused")
}

// buildRunner builds a runner that uses no newer version of Landlock.
func buildRunner(t *testing.T, path string, landlock int) {
	t.Helper()
	require.NoError(t, os.Remove(path))
	out, err := exec.CommandContext(t.Context(), "go", "build", "-ldflags", fmt.Sprintf("-s -w -X xbot/runner/confine.newestABI=%d", landlock), "-o", path, "xbot/cmd/xbot-runner").CombinedOutput()
	require.NoError(t, err, string(out))
}

func TestEscape_FileToolsReachNothingOutside(t *testing.T) {
	t.Parallel()
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
		Names: p.names, Lacks: p.lacks, Secrets: p.secrets(), Inside: p.inside, Outside: p.beside,
	}, attempts)
	p.report(fmt.Sprintf("ATTEMPTS as user %d, %s: %d refused, and %d more that this user could not make outside either\n", p.uid, p.confinement(), sound, idle))
	return sound
}

// report logs a line, and adds it to the file that CI prints at its end: what a test that passes logs is not shown.
func (p *prison) report(line string) {
	p.t.Helper()
	p.t.Log(strings.TrimSpace(line))
	path := os.Getenv("XBOT_ESCAPE_COUNTS")
	if path == "" {
		return
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	require.NoError(p.t, err)
	_, err = file.WriteString(line)
	require.NoError(p.t, errors.Join(err, file.Close()))
}

// newPrison starts a server as a user, and around it what its commands must not reach.
func newPrison(t *testing.T, uid int, env ...string) *prison {
	t.Helper()
	return newPrisonOn(t, kernel{}, uid, env...)
}

// newPrisonWithout does it as on a kernel that lacks something.
func newPrisonWithout(t *testing.T, uid int, lacks string, env ...string) *prison {
	t.Helper()
	return newPrisonOn(t, kernel{lacks: lacks}, uid, env...)
}

// kernel is what the kernel seems to be to a server.
type kernel struct {
	lacks    string
	landlock int // version; 0: what it is
}

// walls returns the kinds of confinement that the kernel lacks.
func (k kernel) walls() []string {
	var out []string
	if k.lacks != "" {
		out = strings.Split(k.lacks, ",")
	}
	switch {
	case k.landlock == 1:
		out = append(out, "landlock", "scope") // the runner does without so old a version
	case k.landlock > 0 && k.landlock < 6 || k.lacks == "landlock":
		out = append(out, "scope")
	}
	return out
}

// newPrisonOn does it as on another kernel.
func newPrisonOn(t *testing.T, k kernel, uid int, env ...string) *prison {
	t.Helper()
	lacks := k.lacks
	p := &prison{uid: uid, lacks: k.walls(), outside: homeOutside(t, uid)}
	work, err := os.MkdirTemp("", "xw") // short: there is a socket some levels down
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(work)) })
	s := prepareServerIn(t, p.settle(t, work), append([]string{
		"HOME=" + p.outside, "GITHUB_TOKEN=sk-test-secret-token", "SSH_AUTH_SOCK=" + p.outside + "/agent", "DBUS_SESSION_BUS_ADDRESS=unix:guid=1,path=" + p.outside + "/bus", "PGPASSWORD=sk-test-secret-pg", "TEMPORAL_NAMESPACE=default",
		"AWS_SECRET_ACCESS_KEY=sk-test-secret-aws", "DOCKER_HOST=unix:///run/docker.sock", "XBOT_CONFINE=require", "XBOT_WORKSPACE=" + work}, env...)...)
	giveStack(t, s.home)
	if uid != os.Getuid() {
		chown(t, s.home, uid)
		s.as, s.bin = &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}, copyBinaries(t)
		require.NoError(t, os.Chown(work, uid, uid))
		for _, dir := range []string{work, filepath.Dir(t.TempDir())} { // the latter holds the folders that attempts outside begin in
			require.NoError(t, os.Chmod(dir, 0o755))
		}
	}
	if k.landlock > 0 {
		if uid == os.Getuid() {
			s.bin = copyBinaries(t)
		}
		buildRunner(t, filepath.Join(s.bin, "xbot-runner"), k.landlock)
	}
	p.probe = escapetest.Probe(t, work)
	if lacks != "" {
		s.via = []string{p.probe, "without", lacks}
	}
	require.NoError(t, os.WriteFile(filepath.Join(s.home, "config.json"), []byte("{}"), 0o644))
	s.boot()
	p.talk = s.newTalk()
	require.NoError(t, os.MkdirAll(filepath.Join(s.home, "workspaces", "2"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(s.home, "workspaces", "2", "private"), []byte("sk-test-secret of another user"), 0o644))
	p.names = map[string]string{"HOME": s.home, "WORK": work, "OUT": p.outside, "PROBE": p.probe, "URL": s.url}
	twin := p.nameAbove()
	chown(t, filepath.Dir(filepath.Dir(twin)), uid)
	p.nameServers()
	p.nameProcesses()
	p.nameSockets()
	return p
}

// settle makes the data folder some levels down in the workspace, where commands may rename what is above it if nothing
// holds it. Landlock alone cannot hide it there. It has to come before the server, which ends before the folder does.
func (p *prison) settle(t *testing.T, work string) (home string) {
	t.Helper()
	base := work
	if slices.Contains(p.lacks, "namespaces") {
		base = p.outside
	}
	home = filepath.Join(base, "apps", "deep", "home")
	require.NoError(t, os.MkdirAll(home, 0o755))
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(filepath.Join(base, "apps"))) })
	chown(t, filepath.Join(base, "apps"), p.uid)
	return home
}

// nameAbove names the folders above the data folder, and makes a twin of them that nobody hides.
func (p *prison) nameAbove() (twin string) {
	p.t.Helper()
	base := filepath.Join(p.home, "..", "..", "..")
	twin = filepath.Join(base, "twin", "deep", "home")
	require.NoError(p.t, os.MkdirAll(filepath.Join(twin, "empty"), 0o755))
	require.NoError(p.t, os.WriteFile(filepath.Join(twin, "secret.key"), []byte("x"), 0o600))
	for name, home := range map[string]string{"": p.home, "TWIN": twin} {
		above := filepath.Dir(home)
		if name == "" {
			p.names["ABOVE"], p.names["ABOVE2"] = above, filepath.Dir(above)
			continue
		}
		p.names["TWIN"], p.names["TWIN_ABOVE"], p.names["TWIN_ABOVE2"] = home, above, filepath.Dir(above)
	}
	return twin
}

// chown gives a tree to a user.
func chown(t *testing.T, root string, uid int) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, uid, -1)
	}))
}

// confinement is what the server's runner says of itself.
func (p *prison) confinement() string {
	p.t.Helper()
	runners, err := p.client.ListRunners(p.t.Context())
	require.NoError(p.t, err)
	for _, r := range runners.Runners {
		if r.Name == "local" {
			head, _, _ := strings.Cut(r.Confinement, ":")
			return head
		}
	}
	return "no runner"
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
	victim := exec.Command("env", "--block-signal", "sleep", "600") // so that it shows the signals that it gets
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
	for name, path := range map[string]string{"AGENT": p.outside + "/agent", "BUS": p.outside + "/bus"} {
		p.names[name] = path
		p.listen(path)
	}
	p.nameSharedMemory()
	p.names["DOCKER"] = "/run/docker.sock"
	if os.Getuid() != 0 {
		return // whether an engine is there or not
	}
	if _, err := os.Lstat("/run/docker.sock"); err != nil {
		p.listen("/run/docker.sock")
	}
}

// nameSharedMemory makes a segment as the server's user, as Postgres has one.
func (p *prison) nameSharedMemory() {
	p.t.Helper()
	id, err := unix.SysvShmGet(unix.IPC_PRIVATE, os.Getpagesize(), unix.IPC_CREAT|0o600)
	require.NoError(p.t, err)
	p.t.Cleanup(func() {
		_, err := unix.SysvShmCtl(id, unix.IPC_RMID, nil)
		require.NoError(p.t, err)
	})
	var desc unix.SysvShmDesc
	_, err = unix.SysvShmCtl(id, unix.IPC_STAT, &desc)
	require.NoError(p.t, err)
	desc.Perm.Uid = uint32(p.uid)
	_, err = unix.SysvShmCtl(id, unix.IPC_SET, &desc)
	require.NoError(p.t, err)
	p.names["SHM"] = strconv.Itoa(id)
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

// How many commands one call of the Shell carries out, and how many calls one turn makes.
const (
	perCall = 10
	perTurn = 10
)

// inside lets a scripted model call the Shell with the commands.
func (p *prison) inside(commands []string) []escapetest.Outcome {
	p.t.Helper()
	var out []escapetest.Outcome
	for turn := range slices.Chunk(slices.Collect(slices.Chunk(commands, perCall)), perTurn) {
		var lines []string
		for _, some := range turn {
			lines = append(lines, p.shell("%s", p.within+strings.Join(wrapped(some), "\n")))
		}
		id := p.send(append(lines, "say tried")...)
		require.Equal(p.t, chat.TurnDone, p.untilEnded(3*time.Minute, id).State)
		calls := lastCalls(p.talk)
		require.Len(p.t, calls, len(turn))
		for i, c := range calls {
			out = append(out, outcomes(p.t, turn[i], c.Result)...)
		}
	}
	return out
}

// wrapped are commands that say how they ended, after the beginning of what they printed.
func wrapped(commands []string) []string {
	var out []string
	for _, command := range commands {
		out = append(out, "o=$( ( "+command+"\n) 2>&1 ); c=$?; printf %s \"$o\" | head -c 1500; printf '\\n@@code %s\\n' $c")
	}
	return out
}

// outcomes are how commands ended, out of what they printed.
func outcomes(t *testing.T, commands []string, printed string) []escapetest.Outcome {
	t.Helper()
	var out []escapetest.Outcome
	for _, command := range commands {
		output, rest, found := strings.Cut(printed, mark)
		require.True(t, found, "%s\n%s", command, printed)
		code, after, _ := strings.Cut(rest, "\n")
		number, err := strconv.Atoi(strings.TrimSpace(code))
		require.NoError(t, err, rest)
		out = append(out, escapetest.Outcome{Code: number, Output: output})
		printed = "\n" + after
	}
	return out
}

// beside executes a command outside, as the server's user.
func (p *prison) beside(t *testing.T, command string) (escapetest.Outcome, error) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	// Some commands change their parent. The outer shell is that parent: servers that the test program starts later would inherit its changed
	// priority, processors and limits.
	cmd := exec.CommandContext(ctx, "sh", "-c", `sh -c "$1" 2>&1; exit $?`, "sh", "( "+command+"\n)")
	cmd.Dir = t.TempDir()
	if p.as != nil {
		if err := os.Chown(cmd.Dir, p.uid, p.uid); err != nil {
			return escapetest.Outcome{}, err
		}
	}
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.outside}, p.without...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: p.as, Setpgid: true}
	if os.Getuid() == 0 {
		// In the namespace of the test program, a bind mount of the root folder would expose the state of other tests below /tmp.
		cmd.SysProcAttr.Unshareflags = syscall.CLONE_NEWNS
	}
	output, err := cmd.Output()
	if _, failed := errors.AsType[*exec.ExitError](err); failed {
		err = nil
	}
	return escapetest.Outcome{Code: cmd.ProcessState.ExitCode(), Output: string(output)}, err
}

// Once such a command left the test program with one processor and the lowest priority, and with it all servers of later tests.
func TestEscape_ACommandOutsideChangesItsShellAndNotTheTestProgram(t *testing.T) {
	t.Parallel()
	before, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	require.NoError(t, err)
	p := &prison{talk: &talk{server: &server{process: &process{}}}, outside: t.TempDir()}
	got, err := p.beside(t, "renice -n 19 -p $PPID && kill -CONT -$PPID")
	require.NoError(t, err)
	require.Zero(t, got.Code, got.Output)
	after, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	require.NoError(t, err)
	require.Equal(t, before, after)
}

// A bind mount of the root folder below /tmp made the sandboxes of parallel tests refuse to start.
func TestEscape_ACommandOutsideMountsNothingForOtherTests(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root mounts")
	}
	p := &prison{talk: &talk{server: &server{process: &process{}}}, outside: t.TempDir()}
	got, err := p.beside(t, "mkdir m && mount -t tmpfs x m && pwd && grep -c $PWD/m /proc/mounts")
	require.NoError(t, err)
	folder, count, _ := strings.Cut(got.Output, "\n")
	require.Equal(t, "1\n", count, got.Output)
	mounts, err := os.ReadFile("/proc/mounts")
	require.NoError(t, err)
	require.NotContains(t, string(mounts), folder)
}
