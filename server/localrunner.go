package server

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"xbot/internal/chat"
	"xbot/internal/config"
	"xbot/internal/fault"
	"xbot/internal/sandbox/resolver"
	"xbot/internal/secret"
)

const (
	// runnerRestart is the pause before a runner that died is started again. It doubles while the runner ends at once,
	// up to runnerRestartMost; one that lived for runnerLived had started.
	runnerRestart     = 200 * time.Millisecond
	runnerRestartMost = 30 * time.Second
	runnerLived       = 5 * time.Second
	// runnerStop is what a runner gets to end by itself. Its commands go on under their shims in any case.
	runnerStop = 3 * time.Second
	// lifelineFD is where the runner finds the pipe that closes when we are gone, however we went.
	lifelineFD = 3
)

// runLocalRunner keeps the runner of this host alive, as a process of its own, until ctx ends. Commands outlive it.
func (c *core) runLocalRunner(ctx context.Context, cfg config.Runner, server string) error {
	binary, err := besideSelf("xbot-runner")
	if err != nil {
		return err
	}
	tokenFile, err := c.localRunnerToken(ctx)
	if err != nil {
		return err
	}
	workspace := cfg.Workspace
	if workspace == "" {
		if workspace, err = os.UserHomeDir(); err != nil {
			return fault.Errorf(fault.Invalid, "the home folder is unknown: set XBOT_WORKSPACE")
		}
	}
	state := filepath.Join(c.home, "runner", resolver.Local)
	args := []string{
		"--server", "ws" + strings.TrimPrefix(server, "http") + "/api/runners/connect", "--token-file", tokenFile,
		"--name", resolver.Local, "--state", state, "--workspace", workspace, "--deny", c.home,
		"--lifeline-fd", strconv.Itoa(lifelineFD), "--confine", cfg.Confine,
	}
	if c.envFile != "" {
		args = append(args, "--deny", c.envFile)
	}
	for _, dir := range cfg.Writable {
		args = append(args, "--write", dir)
	}
	if socket := socketFolder(c.dsn); socket != "" && !strings.HasPrefix(socket, c.home+string(filepath.Separator)) {
		args = append(args, "--deny", socket) // a long home has its socket elsewhere
	}
	keepAlive{log: c.log}.run(ctx, func() error { return c.runRunner(ctx, "local", binary, args) })
	return nil
}

// keepAlive starts a runner again whenever it ends, and says each reason once.
type keepAlive struct{ log *slog.Logger }

func (k keepAlive) run(ctx context.Context, runner func() error) {
	said := ""
	for pause := runnerRestart; ; pause = min(2*pause, runnerRestartMost) {
		began := time.Now()
		err := runner()
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) >= runnerLived {
			pause, said = runnerRestart, ""
		}
		if reason := fmt.Sprint(err); reason != said {
			k.log.Warn("the local runner ended and is started again, ever more slowly while it ends at once", "error", err)
			said = reason
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// again does what ought not to end, and does it again after a pause whenever it ended, until ctx ends.
func (c *core) again(ctx context.Context, pause time.Duration, complaint string, do func() error) error {
	for ctx.Err() == nil {
		err := do()
		if ctx.Err() != nil {
			break
		}
		c.log.Warn(complaint, "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
	return nil
}

// socketFolder returns the folder of the Unix socket that a connection string names, empty if it names a host.
func socketFolder(dsn string) string {
	cfg, err := pgconn.ParseConfig(dsn)
	if err != nil || !strings.HasPrefix(cfg.Host, "/") {
		return ""
	}
	return cfg.Host
}

// localRunnerToken makes a fresh token for the runner of this host, in a file that only its owner can read.
func (c *core) localRunnerToken(ctx context.Context) (string, error) {
	admin, err := c.store.EnsureAdmin(ctx, c.admin)
	if err != nil {
		return "", err
	}
	return c.runnerToken(ctx, admin.ID, resolver.Local, "local")
}

// runnerToken makes a fresh token for a runner of ours, in a file that only its owner can read. Files of several are
// told apart by what.
func (c *core) runnerToken(ctx context.Context, user chat.UserID, name, what string) (string, error) {
	token, hash := secret.NewToken()
	if _, err := c.store.EnsureRunner(ctx, user, name, hash); err != nil {
		return "", err
	}
	path := filepath.Join(c.home, "run", "runner-"+what+".token")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("make the run folder: %w", err)
	}
	if err := os.WriteFile(path, []byte(token+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("write the runner's token: %w", err)
	}
	return path, nil
}

// runRunner runs a runner of ours until it ends; its log is named after it.
func (c *core) runRunner(ctx context.Context, name, binary string, args []string) error {
	log, err := os.OpenFile(runnerLog(c.home, name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close() // the runner has its own handle
	lifeline, ours, err := os.Pipe()
	if err != nil {
		return err
	}
	defer ours.Close()     // nothing is written to it
	defer lifeline.Close() // the runner has its own handle
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.ExtraFiles = []*os.File{lifeline}
	cmd.Stderr = log
	cmd.Env = cleanEnv()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // Ctrl-C is ours alone
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = runnerStop
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w; its last words: %s", err, cmp.Or(LastWords(c.home, name), "none"))
	}
	return nil
}

// LastWords returns the last line of the log of a runner of ours, bounded and without its time; empty if there is none.
func LastWords(home, name string) string {
	f, err := os.Open(runnerLog(home, name))
	if err != nil {
		return ""
	}
	defer f.Close() // read only
	const most = 1 << 10
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return ""
	}
	tail, err := io.ReadAll(io.NewSectionReader(f, max(0, end-most), most))
	if err != nil {
		return ""
	}
	tail = bytes.TrimSpace(tail)
	line := string(tail[bytes.LastIndexByte(tail, '\n')+1:])
	if _, words, ok := strings.Cut(line, " "); ok && strings.HasPrefix(line, "time=") {
		return words
	}
	return line
}

func runnerLog(home, name string) string { return filepath.Join(home, "logs", "runner-"+name+".log") }

// cleanEnv is what the runner gets of our environment: nothing that was meant for the server. How the container engine
// is reached counts for runners that keep a container, and where agents listen for what is hidden; commands get none of it.
func cleanEnv() []string {
	var out []string
	for _, name := range []string{
		"PATH", "HOME", "LANG", "LC_ALL", "TZ", "USER", "SHELL", "TMPDIR",
		"DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH", "XDG_RUNTIME_DIR",
		"SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS",
	} {
		if v, ok := os.LookupEnv(name); ok {
			out = append(out, name+"="+v)
		}
	}
	return out
}

// besideSelf finds another program of ours: beside this one, else on PATH.
func besideSelf(name string) (string, error) {
	self, err := os.Executable()
	if err == nil {
		if path := filepath.Join(filepath.Dir(self), name); isFile(path) {
			return path, nil
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fault.Errorf(fault.NotFound, "%s is neither beside xbot nor on PATH: run \"make build\", or install it there", name)
	}
	return path, nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}
