package hostrunner

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"xbot/internal/host/config"
	"xbot/internal/host/logs"
	"xbot/internal/sandbox/resolver"
)

// RunLocal keeps the runner of this host alive, as a separate process, until ctx ends. Commands outlive it.
func (h *Host) RunLocal(ctx context.Context, cfg config.Runner, server string) error {
	binary, err := findProgram("xbot-runner")
	if err != nil {
		return err
	}
	admin, err := h.Users.EnsureAdmin(ctx, h.Admin)
	if err != nil {
		return err
	}
	workspace := cfg.Workspace
	if workspace == "" {
		if workspace, err = h.workspace(ctx, admin.ID); err != nil {
			return err
		}
	}
	tokenFile, err := h.token(ctx, admin.ID, resolver.Local, "local")
	if err != nil {
		return err
	}
	state := filepath.Join(h.Home, "runner", resolver.Local)
	args := []string{
		"--server", "ws" + strings.TrimPrefix(server, "http") + "/api/runners/connect", "--token-file", tokenFile,
		"--name", resolver.Local, "--state", state, "--workspace", workspace, "--deny", h.Home,
		"--lifeline-fd", strconv.Itoa(lifelineFD),
	}
	args = append(args, limitFlags(cfg)...)
	if h.EnvFile != "" {
		args = append(args, "--deny", h.EnvFile)
	}
	for _, dir := range cfg.Writable {
		args = append(args, "--write", dir)
	}
	if socket := socketFolder(h.DSN); socket != "" && !strings.HasPrefix(socket, h.Home+string(filepath.Separator)) {
		args = append(args, "--deny", socket) // a long home has its socket elsewhere
	}
	keepAlive{log: h.Log}.run(ctx, func() error {
		return h.withConfinement(ctx, cfg.Confine, func(ctx context.Context, confine string) error {
			return h.run(ctx, resolver.Local, binary, append(slices.Clone(args), "--confine", confine))
		})
	})
	return nil
}

// limitFlags returns the limits that settings name; the others are the runner's defaults.
func limitFlags(cfg config.Runner) []string {
	var out []string
	for _, limit := range []struct{ flag, value string }{
		{"processes", cfg.Processes}, {"memory", cfg.Memory}, {"file-size", cfg.FileSize}, {"free", cfg.KeepFree},
	} {
		if limit.value != "" {
			out = append(out, "--limit-"+limit.flag+"="+limit.value)
		}
	}
	return out
}

// keepAlive starts a runner again whenever it ends, and logs each reason once.
type keepAlive struct{ log *slog.Logger }

func (k keepAlive) run(ctx context.Context, runner func() error) {
	var failures logs.Repeats
	for pause := runnerRestart; ; pause = min(2*pause, runnerRestartMost) {
		began := time.Now()
		err := runner()
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) >= runnerLived {
			pause = runnerRestart
			failures.Reset()
		}
		if failures.Changed(fmt.Sprint(err)) {
			k.log.Warn("the local runner ended and is started again, ever more slowly while it ends at once", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// socketFolder returns the folder of the Unix socket that a connection string names, empty if it names a host.
func socketFolder(dsn string) string {
	cfg, err := pgconn.ParseConfig(dsn)
	if err != nil || !strings.HasPrefix(cfg.Host, "/") {
		return ""
	}
	return cfg.Host
}
