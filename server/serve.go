package server

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"

	"github.com/charmbracelet/x/term"

	"xbot/internal/fault"
	"xbot/internal/host/config"
	"xbot/internal/host/localstack"
	"xbot/internal/host/telemetry"
	"xbot/internal/host/temporalclient"
	"xbot/internal/pg"
	"xbot/server/serverlock"
)

// Open opens everything in one process, with its own Postgres and Temporal where none is configured.
func Open(ctx context.Context, cfg config.Serve, version string) (*Server, error) {
	model, err := NewModel(cfg.LLM)
	if err != nil {
		return nil, err
	}
	build, err := buildOf(config.Versions{}, version) // it is replaced in its place, so its worker has no version
	if err != nil {
		return nil, err
	}
	out, closeLog, err := logFile(cfg.Dir)
	if err != nil {
		return nil, err
	}
	s := &Server{}
	s.onClose(closeLog)
	listener, err := s.listen(cfg.HTTP)
	if err != nil {
		return s.opened(err)
	}
	servers, err := startServers(ctx, &cfg, out)
	if err != nil {
		return s.opened(err)
	}
	s.onClose(servers.stop)
	progress{os.Stderr}.Step("applying the schema of xbot's database, and loading what is stored")
	c, err := newCore(ctx, ofServe(cfg, version, model, servers, listener, out), s)
	if err != nil {
		return s.opened(err)
	}
	var lock *serverlock.Lock
	err = c.proc.untilPostgres(ctx, func(ctx context.Context) (err error) {
		lock, err = servers.lock(ctx)
		return pg.Classify(err)
	})
	if err != nil {
		return s.opened(err)
	}
	s.onClose(lock.Close)
	in, err := newIngressPart(c, ingressSettings{cfg.HTTP, cfg.OIDC, cfg.Runner, cfg.Docker, cfg.Context, addresses{cfg.HTTP, listener}, servers.ui, lock.Exclusive})
	if err != nil {
		return s.opened(err)
	}
	s.serve(
		c.db.listenFeed, c.temporal.learnAttributes, c.indexWords, c.temporal.outages.Run, in.agents.catchUp, in.run, (&workerPart{in.core, in.agents, cfg.Agent, cfg.Context, build, lock}).run, in.agents.exportTraces, servers.watch,
		func(ctx context.Context) error {
			return c.proc.untilPostgres(ctx, func(ctx context.Context) error { return c.hostRunners().RunLocal(ctx, cfg.Runner, in.at.own()) })
		},
		func(ctx context.Context) error { return in.announce(ctx, os.Stdout) },
	)
	return s, nil
}

// servers are Postgres and Temporal, our own or given ones.
type servers struct {
	stack    *localstack.Stack // nil if given ones are used
	log      *slog.Logger
	dsn      string
	temporal temporalclient.Config
	ui       temporalUI
}

func startServers(ctx context.Context, cfg *config.Serve, out io.Writer) (*servers, error) {
	given := cfg.Database.URL != "" || cfg.Address != ""
	if !given {
		return startLocal(ctx, cfg, out)
	}
	if err := needServers(cfg.Database, cfg.Temporal); err != nil {
		return nil, err
	}
	s := &servers{log: startLog(cfg, out), dsn: cfg.Database.URL, temporal: temporalclient.Config{Address: cfg.Address, Namespace: cfg.Namespace}}
	var err error
	s.ui, err = givenUI(cfg.Temporal)
	return s, err
}

// givenUI reads the address of an external Temporal UI.
func givenUI(cfg config.Temporal) (temporalUI, error) {
	if cfg.UI == "" {
		return temporalUI{}, nil
	}
	u, err := url.Parse(cfg.UI)
	if err != nil || u.Host == "" {
		return temporalUI{}, fault.Errorf(fault.Invalid, "XBOT_TEMPORAL_UI_URL is not a web address")
	}
	return temporalUI{u, cfg.UIToken, cfg.UI}, nil
}

func startLocal(ctx context.Context, cfg *config.Serve, out io.Writer) (*servers, error) {
	log := startLog(cfg, out)
	stack, err := localstack.Start(ctx, localstack.Config{
		Home: cfg.Dir, TemporalPort: cfg.TemporalPort, UIPort: cfg.UIPort, Namespace: cfg.Namespace,
		PostgresBin: cfg.PostgresBin, Log: log, Progress: progress{os.Stderr},
	})
	if err != nil {
		return nil, err
	}
	e := stack.Endpoints()
	cfg.Namespace = e.Temporal.Namespace
	return &servers{
		stack: stack, log: log, dsn: e.DatabaseURL,
		temporal: LocalTemporal(e),
		ui:       temporalUI{target: &url.URL{Scheme: "http", Host: e.Temporal.UIAddress}, token: e.Temporal.UIToken},
	}, nil
}

// startLog returns the log until the process has its own.
func startLog(cfg *config.Serve, out io.Writer) *slog.Logger {
	return telemetry.NewLogger(telemetry.Config{Level: cfg.LogLevel, Format: cfg.LogFormat, Out: out})
}

// LocalTemporal returns how the Temporal of the local stack is reached.
func LocalTemporal(e localstack.Endpoints) temporalclient.Config {
	return temporalclient.Config{
		Address: e.Temporal.Address, Namespace: e.Temporal.Namespace, ServerName: e.Temporal.ServerName,
		CAFile: e.Temporal.CAFile, CertFile: e.Temporal.CertFile, KeyFile: e.Temporal.KeyFile,
	}
}

// lock takes the lock of servers on a given Postgres. A Postgres of this server is locked with its data folder.
func (s *servers) lock(ctx context.Context) (*serverlock.Lock, error) {
	if s.stack != nil {
		return &serverlock.Lock{Exclusive: true}, nil
	}
	return serverlock.Take(ctx, s.dsn, s.log)
}

// watch ends when one of our own servers cannot be kept alive.
func (s *servers) watch(ctx context.Context) error {
	if s.stack == nil {
		return nil
	}
	select {
	case <-ctx.Done():
		return nil
	case <-s.stack.Done():
		return s.stack.Err()
	}
}

func (s *servers) stop() {
	if s.stack == nil {
		return
	}
	if err := s.stack.Stop(context.Background()); err != nil {
		s.log.Warn("local servers did not stop cleanly", "error", err)
	}
}

func needServers(db config.Database, t config.Temporal) error {
	switch {
	case db.URL == "" && t.Address == "":
		return fault.Errorf(fault.Invalid, "set XBOT_DATABASE_URL and TEMPORAL_ADDRESS, or run \"xbot serve\", which starts its own servers")
	case db.URL == "":
		return fault.Errorf(fault.Invalid, "TEMPORAL_ADDRESS is set but XBOT_DATABASE_URL is not; set both, or neither for xbot serve to start its own servers")
	case t.Address == "":
		return fault.Errorf(fault.Invalid, "XBOT_DATABASE_URL is set but TEMPORAL_ADDRESS is not; set both, or neither for xbot serve to start its own servers")
	}
	return nil
}

// maxLogBytes is the size at which a log file is rotated at start.
const maxLogBytes = 20 << 20

// logFile opens the log of a server whose terminal belongs to users.
func logFile(home string) (io.Writer, func(), error) {
	path := filepath.Join(home, "logs", "xbot.log")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, nil, fault.Errorf(fault.Invalid, "the log folder cannot be made: %w", err)
	}
	if info, err := os.Stat(path); err == nil && info.Size() > maxLogBytes {
		if err := os.Rename(path, path+".1"); err != nil {
			return nil, nil, fault.Errorf(fault.Invalid, "the log file cannot be put aside: %w", err)
		}
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, fault.Errorf(fault.Invalid, "the log file cannot be opened: %w", err)
	}
	return f, func() { _ = f.Close() }, nil // written through already
}

// progress prints the steps of a start on a terminal, and elsewhere only the reasons to wait.
type progress struct{ out *os.File }

// Step prints a step.
func (p progress) Step(text string) {
	if term.IsTerminal(p.out.Fd()) {
		say(p.out, "start     %s", text)
	}
}

// Waiting prints what the start waits for, also without a terminal.
func (p progress) Waiting(text string) { say(p.out, "Waiting for %s", text) }

// say prints a line to the operator.
func say(w io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(w, format+"\n", args...) } // a closed terminal is no reason to stop
