package cli

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/alecthomas/kong"

	"xbot/runner"
	"xbot/runner/container"
	"xbot/runner/job"
	"xbot/runner/pipe"
)

// modeDocker runs commands in a container.
const modeDocker = "docker"

// dockerFlags say which container and how; they count in docker mode only.
type dockerFlags struct {
	Image       string            `env:"XBOT_RUNNER_IMAGE" placeholder:"IMAGE" help:"Docker mode: image of the container; it needs /bin/sh."`
	Engine      string            `name:"docker" default:"docker" placeholder:"PROGRAM" help:"Docker mode: command line client of the container engine."`
	Container   string            `placeholder:"NAME" help:"Docker mode: name of the container (default: xbot-NAME)."`
	User        string            `placeholder:"UID:GID" help:"Docker mode: user in the container, never root (default: the user who starts this program; for root 100000:100000)."`
	Memory      string            `default:"2g" help:"Docker mode: memory of the container, without additional swap."`
	CPUs        float64           `name:"cpus" default:"2" help:"Docker mode: number of CPUs of the container."`
	PIDs        int               `name:"pids" default:"512" help:"Docker mode: maximum number of processes and threads in the container."`
	TmpSize     string            `default:"512m" help:"Docker mode: size of /tmp, which counts as memory."`
	Network     string            `default:"none" help:"Docker mode: none, bridge, or the name of a network of the engine."`
	Idle        time.Duration     `default:"30m" help:"Docker mode: stop the container after this time without requests and commands; the next request starts it again."`
	HostPath    map[string]string `placeholder:"DIR=HOSTDIR" help:"Docker mode, if this program runs in a container itself: DIR is HOSTDIR on the engine's machine. Repeatable."`
	Program     string            `name:"container-program" placeholder:"FILE" help:"Docker mode: static xbot-runner for Linux to copy into the container (default: this program)."`
	Deaf        time.Duration     `default:"30s" hidden:"" help:"Kill the container after this time in which no runner could be started in it."`
	EndWhenIdle bool              `hidden:"" help:"End when the container was stopped for idleness."`
}

// checkMode refuses what would give a container the home folder, keys included, and finds the program to put in.
func (f *flags) checkMode() error {
	if f.Mode != modeDocker {
		return nil
	}
	if f.Workspace == "" {
		return errors.New("docker mode needs --workspace: the folder of this machine that commands may use")
	}
	if f.LLM.Provider != "" {
		return errors.New("docker mode offers no model: give --llm-provider to a runner in native mode")
	}
	if f.Program != "" {
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return errors.New("this program cannot find itself: give --container-program")
	}
	f.Program = self
	return nil
}

// relay makes the configuration of docker mode. The folders are those of native mode.
func (f *flags) relay(cfg runner.Config, stderr io.Writer) container.RelayConfig {
	if f.Container == "" {
		f.Container = "xbot-" + stateName(f.Name)
	}
	if f.User == "" {
		f.User = container.DefaultUser()
	}
	return container.RelayConfig{
		Config: container.Config{
			Engine: f.Engine, Name: f.Container, Image: f.Image, User: f.User,
			Limits:    container.Limits{Memory: f.Memory, CPUs: f.CPUs, PIDs: f.PIDs, Temp: f.TmpSize, Network: f.Network},
			Workspace: f.Workspace, State: cfg.State, Program: f.Program, HostPaths: f.HostPath, Idle: f.Idle, Deaf: f.Deaf,
		},
		Server: cfg.Server, Token: cfg.Token, Runner: f.Name, EndWhenIdle: f.EndWhenIdle, Output: stderr, Log: cfg.Log,
	}
}

// runRelay runs docker mode until ctx ends.
func runRelay(ctx context.Context, cfg container.RelayConfig, stderr io.Writer) int {
	err := container.Run(ctx, cfg)
	switch {
	case err == nil, errors.Is(err, container.ErrIdle):
		return 0
	case errors.Is(err, job.ErrInUse):
		return sayInUse(stderr, err, cfg.State)
	}
	return say(stderr, exitFailed, err)
}

// both closes two streams.
type both [2]io.Closer

func (b both) Close() error { return errors.Join(b[0].Close(), b[1].Close()) }

type insideFlags struct {
	Name string
}

// runInside serves the frames of a relay over the standard streams, inside a container.
func runInside(args []string, version string, in io.ReadCloser, out io.WriteCloser, stderr io.Writer) int {
	var f insideFlags
	parser, err := kong.New(&f, kong.Name("xbot-runner inside"), kong.Writers(stderr, stderr))
	if err != nil {
		return say(stderr, exitFailed, err)
	}
	if _, err := parser.Parse(args); err != nil {
		return say(stderr, exitUsage, err)
	}
	streams := pipe.New(in, out, both{in, out})
	err = runner.Serve(context.Background(), runner.Config{
		Name: f.Name, State: container.InsideState, Workspace: container.InsideWorkspace, Deny: []string{container.InsideHome},
		Confine: runner.ConfineAuto, OwnIPC: true, Version: version,
		Log: slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}, streams)
	if errors.Is(err, io.EOF) {
		return 0
	}
	return say(stderr, exitFailed, err)
}
