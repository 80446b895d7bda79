package runner

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"xbot/runner/confine"
	"xbot/runner/connect"
	"xbot/runner/model"
)

// Config is what a daemon needs to know.
type Config struct {
	Server    string // ws:// or wss:// address of the server's connect endpoint
	Token     connect.TokenSource
	Name      string         // name that the owner gives this runner; empty means the token's
	State     string         // folder of the job store; one daemon for one folder
	Workspace string         // where relative paths start and commands run; must exist
	Deny      []string       // folders that file operations refuse and, where possible, commands cannot see
	Write     []string       // folders that may be changed besides the workspace and those for temporary files
	Confine   string         // ConfineAuto, ConfineRequire or ConfineOff
	Hosted    bool           // a server started it: its administrators decide on Confine, not who starts the runner
	OwnIPC    bool           // System V shared memory is for commands alone here, as in a container
	Limits    confine.Limits // of each process of a command
	KeepFree  uint64         // bytes that commands leave on the disks they write to; 0: none
	Plugins   string         // folder of the files and the data of plugins, which commands do not see; empty: this runner runs none
	Model     *model.Model   // that the owner offers to their own turns; nil if none
	Version   string         // of the program
	Log       *slog.Logger
}

// Whether commands run in a sandbox.
const (
	ConfineAuto    = "auto"    // if the system can; if not, refuse commands
	ConfineRequire = "require" // do not start if the system cannot
	ConfineOff     = "off"
)

// unconfinedBy describes how commands can run without a sandbox, and who decides it.
func (c *Config) unconfinedBy() string {
	if c.Hosted {
		return "have an administrator choose to run commands without a sandbox: on the page (Settings, Runners), in xbot setup, or with the setting XBOT_CONFINE=off"
	}
	return "have the owner of this runner start it with --confine=off, which runs commands without a sandbox"
}

// check makes folders absolute and refuses what cannot work. The state folder is always denied.
func (c *Config) check() error {
	workspace, err := filepath.Abs(c.Workspace)
	if err != nil {
		return err
	}
	info, err := os.Stat(workspace)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the workspace %s does not exist: make it or choose another with --workspace", workspace)
	case err != nil:
		return fmt.Errorf("the workspace cannot be used: %w", err)
	case !info.IsDir():
		return fmt.Errorf("the workspace %s is not a folder: choose another with --workspace", workspace)
	}
	c.Workspace = workspace
	if c.State, err = filepath.Abs(c.State); err != nil {
		return err
	}
	c.Deny = append([]string{c.State}, c.Deny...)
	for i, dir := range c.Deny {
		if c.Deny[i], err = filepath.Abs(dir); err != nil {
			return err
		}
	}
	if c.Plugins != "" {
		if err := c.pluginFolder(); err != nil {
			return err
		}
	}
	c.Write, err = writable(c.Workspace, c.Write)
	return err
}

// writable returns the folders that commands may change, absolute and with links followed. Those for temporary files belong
// to them; a named one has to exist.
func writable(workspace string, named []string) ([]string, error) {
	out := []string{}
	for i, dir := range slices.Concat([]string{workspace}, named, []string{"/tmp", "/var/tmp", os.Getenv("TMPDIR")}) {
		optional := i > len(named)
		if optional && !filepath.IsAbs(dir) {
			continue
		}
		real, err := filepath.Abs(dir)
		if err == nil {
			real, err = filepath.EvalSymlinks(real)
		}
		switch {
		case err != nil && optional:
		case err != nil:
			return nil, fmt.Errorf("the writable folder %s cannot be used: %w; make it, or leave out its --write", dir, err)
		case !slices.Contains(out, real):
			out = append(out, real)
		}
	}
	return out, nil
}

// agentVariables name sockets whose owners act for every process that reaches them.
var agentVariables = []string{
	"SSH_AUTH_SOCK", "DOCKER_HOST", "CONTAINER_HOST", "CONTAINERD_ADDRESS", "BUILDKIT_HOST", "DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS",
	"PULSE_SERVER", "WAYLAND_DISPLAY", "TMUX", "KITTY_LISTEN_ON", "I3SOCK", "SWAYSOCK", "NVIM",
}

// agentSockets returns the sockets that the environment of this process names. An ssh agent's lies anywhere, and may be there later than this
// process.
func agentSockets(env func(name string) string) []string {
	var out []string
	for _, name := range agentVariables {
		for _, path := range socketPaths(env(name), env("XDG_RUNTIME_DIR")) {
			if path = filepath.Clean(path); filepath.IsAbs(path) && !slices.Contains(out, path) {
				out = append(out, path)
			}
		}
	}
	return out
}

// socketPaths returns the paths in a value: a path, a path with more behind a comma, an address such as unix:///run/docker.sock, or the
// addresses of a D-Bus server, such as unix:guid=1,path=/run/bus;unix:runtime=yes.
func socketPaths(value, runtimeDir string) []string {
	var out []string
	for address := range strings.SplitSeq(value, ";") {
		rest, isUnix := strings.CutPrefix(address, "unix:")
		for i, part := range strings.Split(rest, ",") {
			key, text, hasKey := strings.Cut(part, "=")
			if decoded, err := url.PathUnescape(text); err == nil {
				text = decoded
			}
			switch {
			case isUnix && hasKey && key == "path":
				out = append(out, text)
			case isUnix && hasKey && key == "runtime" && runtimeDir != "":
				out = append(out, filepath.Join(runtimeDir, "bus"))
			case i == 0:
				out = append(out, strings.TrimPrefix(part, "//"))
			}
		}
	}
	return out
}
