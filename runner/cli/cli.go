// Package cli is the command line of xbot-runner.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
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
	"xbot/runner/container"
	"xbot/runner/job"
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

type flags struct {
	Server    string     `required:"" env:"XBOT_RUNNER_SERVER" placeholder:"URL" help:"Where to connect: wss://host/api/runners/connect."`
	TokenFile string     `env:"XBOT_RUNNER_TOKEN_FILE" placeholder:"FILE" help:"File that holds the token; read again at each connection. Otherwise XBOT_RUNNER_TOKEN is used."`
	Token     string     `placeholder:"TOKEN" help:"The token itself. Others on this machine can see it in the process list: prefer --token-file."`
	Name      string     `env:"XBOT_RUNNER_NAME" help:"Name of this runner; must be the one its token was made for. Empty takes that one."`
	State     string     `placeholder:"DIR" help:"Folder for running and finished commands (default: XBOT_HOME/runner/NAME)."`
	Workspace string     `env:"XBOT_RUNNER_WORKSPACE" placeholder:"DIR" help:"Folder in which commands run and relative paths start (default: the home folder)."`
	Deny      []string   `placeholder:"DIR" sep:"none" help:"Folder that file operations refuse and that commands cannot see, where the system allows it. May be given several times."`
	Write     []string   `placeholder:"DIR" sep:"none" help:"Folder that may be changed besides the workspace and the folders for temporary files; everything else is read-only. May be given several times."`
	Lifeline  int        `name:"lifeline-fd" hidden:"" help:"Inherited descriptor; the daemon ends when its other end closes."`
	Confine   string     `default:"auto" enum:"auto,require,off" help:"Keep commands in a sandbox (folders of --deny hidden, the rest read-only): auto does if the system can and says so if not, require refuses to start if it cannot, off does not (sudo in commands needs off)."`
	LogLevel  slog.Level `default:"info" help:"debug, info, warn or error."`
	Mode      string     `default:"native" enum:"native,docker" env:"XBOT_RUNNER_MODE" help:"native runs commands on this machine; docker runs them in a container of it."`
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
	job.SealDescriptors()
	if container.IsPause(args) {
		return container.Pause()
	}
	if len(args) > 1 && args[1] == "inside" {
		return runInside(args[2:], version, os.Stdin, os.Stdout, os.Stderr)
	}
	return run(args[1:], version, os.Stdout, os.Stderr)
}

// IsShim reports whether the program was started by its own daemon to stand between it and a command or process.
func IsShim(args []string) bool {
	return (len(args) == 3 && args[1] == "shim") || (len(args) == 2 && args[1] == shim.StdioVerb)
}

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

// follow ends the daemon with the process that started it, however that one ended. Commands go on under their shims.
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
		Deny:      f.secrets(home),
		Write:     f.Write,
		Confine:   f.Confine,
		Limits:    f.Limits.limits(),
		Version:   version,
		Log:       slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: f.LogLevel})),
	}, nil
}

// secrets are what neither commands nor file operations may see: what was named, the folder of keys and logins, and the
// files that this program was started with.
func (f *flags) secrets(home string) []string {
	out := append([]string{}, f.Deny...)
	if home != "" || os.Getenv("XBOT_HOME") != "" {
		out = append(out, xbotHome(home))
	}
	for _, file := range []string{f.TokenFile, f.LLM.KeyFile} {
		if file != "" {
			out = append(out, file)
		}
	}
	return out
}

func xbotHome(home string) string {
	if dir := os.Getenv("XBOT_HOME"); dir != "" {
		return dir
	}
	return filepath.Join(home, ".xbot")
}

// stateName makes a folder name of a runner's name.
func stateName(name string) string {
	name = strings.TrimLeft(strings.ReplaceAll(name, "/", "_"), ".")
	return cmp.Or(name, "default")
}

// token is where the token of a runner stands. The file wins over the flag and the flag over the variable.
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
