// Package hostrunner runs the runners that a server starts itself: that of its host, and one for each container of a user.
package hostrunner

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
	"strings"
	"syscall"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/sandbox/resolver"
	"xbot/internal/sandbox/runners"
	"xbot/internal/secret"
	"xbot/internal/user/users"
	"xbot/runner/cli"
)

const (
	// runnerRestart is the pause before a runner that died is started again. It doubles while the runner ends at once,
	// up to runnerRestartMost; one that lived for runnerLived had started.
	runnerRestart     = 200 * time.Millisecond
	runnerRestartMost = 30 * time.Second
	runnerLived       = 5 * time.Second
	// runnerStop is how long a runner may take to stop before it is killed. Its commands continue under their shims in any
	// case.
	runnerStop = 3 * time.Second
	// lifelineFD is where the runner finds the pipe that closes when we are gone, however we went.
	lifelineFD = 3
)

// Notices notifies administrators.
type Notices interface {
	NotifyAdministrator(ctx context.Context, of chat.NoticeKey, say func(i18n.Lang) string) (told bool, err error)
}

// Runners registers the runners of this host, and reads the sandbox setting of the host.
type Runners interface {
	EnsureRunner(ctx context.Context, user chat.UserID, name string, tokenHash []byte) (int64, error)
	// LocalSandbox returns what an administrator chose for commands of this host.
	LocalSandbox(ctx context.Context) (chat.RunnerSandbox, error)
	RunnersOf(ctx context.Context, user chat.UserID, host bool) ([]runners.Runner, error)
}

// Users reads users, and ensures that there is an administrator.
type Users interface {
	// Deleted returns which of these users were deleted.
	Deleted(ctx context.Context, ids []chat.UserID) ([]chat.UserID, error)
	EnsureAdmin(ctx context.Context, name string) (users.User, error)
}

// Changes notifies of committed changes, among them of what LocalSandbox returns.
type Changes interface {
	AccessChanges() (changes <-chan struct{}, leave func())
}

// Host starts runners on the machine of the server.
type Host struct {
	Notices Notices
	Runners Runners
	Users   Users
	Changes Changes
	Log     *slog.Logger
	DSN     string // of the database
	Home    string // XBOT_HOME
	EnvFile string // of settings, if one was named
	Admin   string // name of the first administrator, whose runner the local one is
}

// token makes a fresh token for a runner of this host, in a file that only its owner can read. what distinguishes the files
// of several.
func (h *Host) token(ctx context.Context, user chat.UserID, name, what string) (string, error) {
	token, hash := secret.NewToken()
	if _, err := h.Runners.EnsureRunner(ctx, user, name, hash); err != nil {
		return "", err
	}
	path := filepath.Join(h.Home, "run", "runner-"+what+".token")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("make the run folder: %w", err)
	}
	if err := os.WriteFile(path, []byte(token+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("write the runner's token: %w", err)
	}
	return path, nil
}

// run runs a runner of this host until it ends; its log is named after it.
func (h *Host) run(ctx context.Context, name, binary string, args []string) error {
	log, err := os.OpenFile(runnerLog(h.Home, name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
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
	cmd.Env = append(cleanEnv(), h.plugins(name)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // Ctrl-C is ours alone
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = runnerStop
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w; its last words: %s", err, cmp.Or(LastWords(h.Home, name), "none"))
	}
	return nil
}

// PluginFolder returns where the files and the data of plugins are.
func PluginFolder(home string) string { return filepath.Join(home, "plugins") }

// plugins returns the variable with the plugin folder for the runner of this host, and nil for others.
func (h *Host) plugins(name string) []string {
	if name != resolver.Local {
		return nil
	}
	return []string{cli.PluginsVariable + "=" + PluginFolder(h.Home)}
}

// LastWords returns the last line of the log of a runner of this host, bounded and without its time; empty if there is none.
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

// cleanEnv returns the part of our environment that the runner gets: nothing that was meant for the server. Runners that keep a
// container need the address of the container engine, and all of them the sockets of agents, which they hide; commands get
// none of these variables.
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

// findProgram finds another program of xbot: in the folder of this one, else on PATH.
func findProgram(name string) (string, error) {
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
