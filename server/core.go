package server

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"strings"

	"xbot/internal/automation/cron"
	"xbot/internal/automation/trigger"
	"xbot/internal/channel"
	"xbot/internal/channel/accounts"
	"xbot/internal/extension/plugin/installed"
	"xbot/internal/extension/plugin/platform"
	"xbot/internal/host/config"
	"xbot/internal/host/logs"
	"xbot/internal/host/telemetry"
	"xbot/internal/llm/limits"
	"xbot/internal/media"
	"xbot/internal/store"
	"xbot/internal/turn/prompt"
	"xbot/server/metrics"
)

// core has the parts of every process. The groups are made in the order of these fields.
type core struct {
	proc      *process
	db        *database
	temporal  *orchestration
	models    *models
	stores    *store.Store
	memory    *memories
	media     *media.Generator
	platforms *platforms
	mcp       *mcpServers

	jobs     *cron.Jobs
	triggers *trigger.Store
	template *prompt.Template

	permissions config.Permissions
	admin       string // name of the first administrator
	copy        bool   // another xbot works with the original of the database
}

// newCore opens the core of a process. closer closes it.
func newCore(ctx context.Context, s settings, closer *Server) (*core, error) {
	c := &core{permissions: s.Permissions, admin: s.admin, copy: s.copy}
	var err error
	if c.proc, err = newProcess(ctx, s, closer); err != nil {
		return nil, err
	}
	if c.db, err = openDatabase(ctx, s, c.proc, closer); err != nil {
		return nil, err
	}
	if c.temporal, err = newOrchestration(ctx, s, c.proc, c.db, closer); err != nil {
		return nil, err
	}
	if c.models, err = newModels(s, c.proc, c.db); err != nil {
		return nil, err
	}
	stores := newStores(s, c)
	c.stores = stores
	c.media = newMedia(c.proc, c.db, stores, c.models.toolKeys, closer)
	if c.memory, err = newMemories(s, c); err != nil {
		return nil, err
	}
	if c.mcp, err = newMCPServers(s, c.proc, c.db, c.stores, closer); err != nil {
		return nil, err
	}
	c.template = prompt.NewTemplate(TemplatePath(s.Dir, s.Prompt), c.proc.log)
	c.platforms = newPlatforms(s, c.proc, c.db, c.stores, c.mcp.plugins)
	c.jobs = &cron.Jobs{
		Conversations: stores.Conversations, Cron: stores.Cron, Services: stores.Services,
		Zones: cron.Zones{Profiles: stores.Memory, Policies: c.db.policies}, Models: words{c.models.catalogue},
	}
	c.triggers = &trigger.Store{Triggers: stores.Triggers, Users: stores.Users, Key: c.db.key, Base: s.at.people()}
	return c, nil
}

// process has the parts that do not depend on any server: where it runs and what it logs.
type process struct {
	version string
	home    string
	envFile string            // of settings, if one was named
	env     map[string]string // variables that are no settings, read as settings are
	tele    *telemetry.Telemetry
	log     *slog.Logger
	// terminal shows the operator the reason why a start waits, where the log goes elsewhere.
	terminal io.Writer
	closer   *Server // closes the resources of the process
}

func newProcess(ctx context.Context, s settings, closer *Server) (*process, error) {
	p := &process{version: s.version, home: s.Dir, envFile: s.EnvFile, terminal: io.Discard, closer: closer}
	if s.out != os.Stderr {
		p.terminal = os.Stderr
	}
	var err error
	if p.env, err = config.Variables(os.Environ()); err != nil {
		return nil, err
	}
	file, err := logs.Open(s.Dir, strings.TrimPrefix(s.process, "xbot "))
	if err != nil {
		return nil, err
	}
	closer.onClose(func() { _ = file.Close() }) // nothing is logged any more
	p.tele, err = telemetry.New(ctx, telemetry.Config{
		Process: s.process, Version: s.version, Level: s.LogLevel, Format: s.LogFormat, OTLP: s.OTLP, Out: s.out, File: file,
	})
	if err != nil {
		return nil, err
	}
	p.log = p.tele.Log
	p.tele.Registry.MustRegister(metrics.NewBuild(s.process, s.version))
	slog.SetDefault(p.log) // libraries that write to the log of Go write to this one
	closer.onClose(func() {
		if err := p.tele.Close(ctx); err != nil && !errors.Is(err, context.Canceled) {
			p.log.Debug("telemetry not closed", "error", err)
		}
	})
	if path := config.IgnoredEnvFile(os.Environ()); path != "" {
		p.log.Warn("a .env in the working folder is not read", "file", path, "do", IgnoredAdvice)
	}
	names, err := config.EnvironmentOnly(os.Environ())
	if err != nil {
		return nil, err
	}
	if len(names) > 0 {
		p.log.Warn("variables of .env have no effect there: set them in the environment of the process", "names", names)
	}
	if s.Pprof != "" {
		return p, telemetry.ServeProfiles(s.Pprof)
	}
	return p, nil
}

// IgnoredAdvice is what to do about a .env that is not read.
const IgnoredAdvice = "settings come from .env in XBOT_HOME, or from the file that --env-file (XBOT_ENV_FILE) names; move it there, or name it"

// platforms are the bots on chat platforms.
type platforms struct {
	accounts *accounts.Store // their configuration
	channels *channel.Live   // their connections
	added    *platform.Hub   // those of plugins
}

func newPlatforms(s settings, p *process, db *database, st *store.Store, known *installed.Plugins) *platforms {
	hub := &platform.Hub{Installed: known}
	book := &accounts.Store{Channels: st.Channels, Key: db.key, Drivers: Drivers(), More: hub, Base: s.at.people()}
	if s.at.listener != nil {
		book.Env = p.env
	}
	return &platforms{accounts: book, channels: newChannels(st, book, s), added: hub}
}

// limitsOf returns the limits in the settings of the model that they name.
func limitsOf(s settings) limits.Table {
	out := limits.Table{Model: s.model.Model(), Context: s.MaxContext, Output: s.MaxOutput}
	if sees := s.LLM.Vision == "on"; s.LLM.Vision != "" {
		out.Vision = &sees
	}
	return out
}
