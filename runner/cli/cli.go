// Package cli is the command line of xbot-runner.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"xbot/runner"
	"xbot/runner/confine"
	"xbot/runner/connect"
	"xbot/runner/container"
	"xbot/runner/job"
	"xbot/runner/opencode"
	"xbot/runner/shim"
)

// Exit codes of the daemon.
const (
	exitFailed = 1 // it could not start, or failed
	exitUsage  = 2 // the flags are wrong
	exitInUse  = 3 // another daemon uses the state folder
)

// tokenVariable may hold the token, for containers; a file is better.
const tokenVariable = "XBOT_RUNNER_TOKEN"

// PluginsVariable names the folder of plugins to the runner of the server's own host. People's runners have none.
const PluginsVariable = "XBOT_RUNNER_PLUGINS"

// serverFlags say how the server is reached.
type serverFlags struct {
	Server         string `required:"" env:"XBOT_RUNNER_SERVER" placeholder:"URL" help:"Address of the server: wss://host/api/runners/connect."`
	PrivateNetwork bool   `env:"XBOT_RUNNER_PRIVATE_NETWORK" help:"The way to the server is a private network, such as that of containers on one machine: do not warn of a ws:// address."`
}

// warn logs that others may read the token on its way.
func (f serverFlags) warn(log *slog.Logger) {
	if connect.IsPlain(f.Server) && !f.PrivateNetwork {
		log.Warn("the token travels unencrypted: use a wss:// address", "server", f.Server)
	}
}

type flags struct {
	serverFlags
	TokenFile string     `env:"XBOT_RUNNER_TOKEN_FILE" placeholder:"FILE" help:"File with the token, read again for each connection; default: the variable XBOT_RUNNER_TOKEN."`
	Token     string     `placeholder:"TOKEN" help:"Token. Others on this machine see it in the process list, so prefer --token-file."`
	Name      string     `env:"XBOT_RUNNER_NAME" help:"Name of this runner; default: the name that its token was made for, and no other is possible."`
	State     string     `placeholder:"DIR" help:"Folder for the state of commands (default: XBOT_HOME/runner/NAME)."`
	Workspace string     `env:"XBOT_RUNNER_WORKSPACE" placeholder:"DIR" help:"Folder in which commands run, and to which paths are relative (default: the home folder)."`
	Deny      []string   `placeholder:"DIR" sep:"none" help:"Folder that commands cannot see, where the system allows it, and that file operations refuse. Repeatable."`
	Write     []string   `placeholder:"DIR" sep:"none" help:"Folder that commands may change besides the workspace and the folders for temporary files; all others are read-only. Repeatable."`
	Lifeline  int        `name:"lifeline-fd" hidden:"" help:"Inherited descriptor; the daemon ends when its other end closes."`
	Confine   string     `default:"auto" enum:"auto,require,off" help:"Sandbox commands (hide the folders of --deny, make others read-only). auto: and refuse commands where the system cannot; require: do not start there; off: run them without a sandbox (commands with sudo need this)."`
	LogLevel  slog.Level `default:"info" help:"Log level: debug, info, warn or error."`
	Mode      string     `default:"native" enum:"native,docker" env:"XBOT_RUNNER_MODE" help:"native: run commands on this machine; docker: run them in a container."`
	dockerFlags
	Limits  limits           `embed:"" prefix:"limit-"`
	LLM     modelFlags       `embed:"" prefix:"llm-"`
	Version kong.VersionFlag `help:"Print the version and exit."`
}

// Main runs xbot-runner with the arguments of the process, program name included, and returns its exit code.
func Main(args []string, version string) int {
	// These come before anything else, since they start for every command.
	if len(args) == 3 && args[1] == "shim" {
		return shim.Main(args[2])
	}
	if len(args) == 2 && args[1] == shim.StdioVerb {
		return shim.RunStdio()
	}
	if confine.IsVerb(args) {
		return confine.Main(args)
	}
	if IsBridge(args) {
		return opencode.Main(args[2:], os.Stdin, os.Stdout)
	}
	job.SealDescriptors()
	if container.IsPause(args) {
		return container.Pause()
	}
	if len(args) > 1 && args[1] == "inside" {
		return runInside(args[2:], version, os.Stdin, os.Stdout, os.Stderr)
	}
	return run(args[1:], version, os.Stdout, os.Stderr)
}

// IsShim reports whether the daemon of this program started it as the shim of a command or process.
func IsShim(args []string) bool {
	return (len(args) == 3 && args[1] == "shim") || (len(args) == 2 && args[1] == shim.StdioVerb)
}

// IsBridge reports whether the program was started as a bridge to a coding agent.
func IsBridge(args []string) bool { return len(args) > 1 && args[1] == opencode.Verb }

func run(args []string, version string, stdout, stderr io.Writer) int {
	var f flags
	exited := -1
	parser, err := kong.New(&f,
		kong.Name("xbot-runner"),
		kong.Description("Runs commands and file operations on this machine for an xbot server."),
		kong.Vars{"version": version},
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { exited = code }),
	)
	if err != nil {
		return say(stderr, exitFailed, err)
	}
	if slices.Equal(args, []string{"version"}) { // a word, as for xbot
		args = []string{"--version"}
	}
	_, err = parser.Parse(args)
	if exited >= 0 {
		return exited // --help or --version
	}
	if err != nil {
		return say(stderr, exitUsage, fmt.Errorf("%w (xbot-runner --help lists what can be given)", err))
	}
	if err := f.checkMode(); err != nil {
		return say(stderr, exitUsage, err)
	}
	cfg, err := f.config(version, stderr)
	if err != nil {
		return say(stderr, exitUsage, err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if f.Lifeline > 0 {
		go follow(f.Lifeline, stop)
	}
	f.warn(cfg.Log)
	if f.Mode == modeDocker {
		return runRelay(ctx, f.relay(cfg, stderr), stderr)
	}
	err = runner.Run(ctx, cfg)
	switch {
	case errors.Is(err, job.ErrInUse):
		return sayInUse(stderr, err, cfg.State)
	case err != nil:
		return say(stderr, exitFailed, err)
	}
	return 0
}

// follow ends the daemon with the process that started it, however that one ended. Commands continue under their shims.
func follow(fd int, end func()) {
	syscall.CloseOnExec(fd)
	_, _ = io.Copy(io.Discard, os.NewFile(uintptr(fd), "lifeline")) // any end of it is the end
	end()
}

func sayInUse(w io.Writer, err error, state string) int {
	return say(w, exitInUse, fmt.Errorf("%w: %s: stop it, or choose another folder with --state", err, state))
}

func say(w io.Writer, code int, err error) int {
	fmt.Fprintf(w, "xbot-runner: %v\n", err)
	return code
}

// config fills in defaults.
func (f *flags) config(version string, stderr io.Writer) (runner.Config, error) {
	home, err := os.UserHomeDir()
	if err != nil && (f.Workspace == "" || (f.State == "" && os.Getenv("XBOT_HOME") == "")) {
		return runner.Config{}, errors.New("there is no home folder: give --workspace and --state")
	}
	if f.Workspace == "" {
		f.Workspace = home
	}
	if f.State == "" {
		f.State = filepath.Join(xbotHome(home), "runner", stateName(f.Name))
	}
	if f.TokenFile == "" && f.Token == "" && os.Getenv(tokenVariable) == "" {
		return runner.Config{}, errors.New("a token is needed: give --token-file or set " + tokenVariable)
	}
	offered, err := f.LLM.model()
	if err != nil {
		return runner.Config{}, err
	}
	return runner.Config{
		Model:     offered,
		Server:    f.Server,
		Token:     token{f.TokenFile, f.Token},
		Name:      f.Name,
		State:     f.State,
		Workspace: f.Workspace,
		Plugins:   os.Getenv(PluginsVariable),
		Deny:      f.secrets(home),
		Write:     f.Write,
		Confine:   f.Confine,
		Hosted:    f.Lifeline > 0,
		Limits:    f.Limits.limits(),
		KeepFree:  uint64(f.Limits.Free),
		Version:   version,
		Log:       slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: f.LogLevel})),
	}, nil
}

// secrets returns what neither commands nor file operations may see: what was named, the folder of keys and logins, and the
// files that this program was started with.
func (f *flags) secrets(home string) []string {
	out := append([]string{}, f.Deny...)
	named := os.Getenv("XBOT_HOME")
	if named != "" {
		out = append(out, named)
	}
	if usual := filepath.Join(home, defaultHome); home != "" && (named == "" || isDataFolder(usual)) {
		out = append(out, usual)
	}
	for _, file := range []string{f.TokenFile, f.LLM.KeyFile} {
		if file != "" {
			out = append(out, file)
		}
	}
	return out
}

// isDataFolder reports whether a folder has files of a server or of a runner. One that cannot be looked at counts as such.
func isDataFolder(dir string) bool {
	return slices.ContainsFunc([]string{"secret.key", "config.json", "runner"}, func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil || !errors.Is(err, fs.ErrNotExist)
	})
}

func xbotHome(home string) string {
	if dir := os.Getenv("XBOT_HOME"); dir != "" {
		return dir
	}
	return filepath.Join(home, defaultHome)
}

// defaultHome is the data folder of a server that names none, in the home folder.
const defaultHome = ".xbot"

// stateName makes a folder name of a runner's name.
func stateName(name string) string {
	name = strings.TrimLeft(strings.ReplaceAll(name, "/", "_"), ".")
	return cmp.Or(name, "default")
}

// token is the location of a runner's token. The file wins over the flag and the flag over the variable.
type token struct{ file, flag string }

// Token implements connect.TokenSource.
func (t token) Token() (string, error) {
	switch {
	case t.file != "":
		data, err := os.ReadFile(t.file)
		if err != nil {
			return "", fmt.Errorf("read the token: %w", err)
		}
		if token := strings.TrimSpace(string(data)); token != "" {
			return token, nil
		}
		return "", fmt.Errorf("the token file %s is empty", t.file)
	case t.flag != "":
		return t.flag, nil
	}
	return os.Getenv(tokenVariable), nil
}
