// Package server puts the parts of the program together: everything in one process (Serve), or the part that talks to
// people (Ingress) and the part that works (Worker) as processes of their own.
package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.temporal.io/sdk/client"

	"xbot/ingress/wake"
	"xbot/internal/accounts"
	"xbot/internal/channel"
	"xbot/internal/config"
	"xbot/internal/cron"
	"xbot/internal/fault"
	"xbot/internal/feed"
	"xbot/internal/llm/catalogue"
	"xbot/internal/llm/limits"
	"xbot/internal/logs"
	"xbot/internal/memory/archive"
	policies "xbot/internal/policy"
	"xbot/internal/prompt"
	"xbot/internal/rotation"
	"xbot/internal/sandbox/resolver"
	"xbot/internal/secret"
	"xbot/internal/store"
	"xbot/internal/telemetry"
	"xbot/internal/temporalclient"
	"xbot/internal/trigger"
)

// parts is what every long-running process is made of.
type parts struct {
	version  string
	home     string
	envFile  string                   // of settings, if one was named
	env      func(name string) string // reads a variable that is no setting, as settings are read
	memory   string                   // provider of memory where the policy names none
	archive  *archive.Archive
	admin    string // name of the first administrator
	dsn      string
	tele     *telemetry.Telemetry
	logs     *logs.File
	log      *slog.Logger
	key      *secret.Ring
	pool     *pgxpool.Pool
	bus      *feed.Bus
	store    *store.Store
	temporal client.Client
	codec    *temporalclient.Codec // of what stands in Temporal's histories
	policy   policy
	policies *policies.Live   // how conversations are routed, queued and limited
	models   *catalogue.Live  // what conversations can choose among; made by newCatalogue
	line     *wake.NextInLine // made by wakeLine
	courier  *wake.Courier    // made by startCourier
	jobs     *cron.Jobs       // what is done at certain times; opened by openDesk
	accounts *accounts.Store  // which bots there are on platforms
	channels *channel.Live    // these bots
	template *prompt.Template
	resolver *resolver.Resolver // made by newResolver
	triggers *trigger.Store

	attributes atomic.Bool // whether the namespace knows our search attributes
	waits      atomic.Bool // whether it knows AttrWaits and AttrParent, too
}

// settings are the groups that every process has.
type settings struct {
	config.Home
	config.Secrets
	config.Telemetry
	config.Prompt
	config.Memory

	version  string
	temporal temporalclient.Config
	encrypts bool         // what goes into Temporal's histories
	limits   limits.Table // where sessions are shown
	dsn      string
	out      io.Writer
}

// The Postgres connections of one process. Each costs Postgres about 10 MB once it has prepared all statements, and more
// of them than a few for each core only wait for each other.
const (
	connectionsLeast   = 10
	connectionsMost    = 40
	connectionsPerCore = 4
	connectionIdle     = 2 * time.Minute
	statementsKept     = 128 // prepared, of each connection: a turn and the relay use about a hundred
)

// assemble migrates the database and opens the parts. The caller closes them.
func assemble(ctx context.Context, process string, s settings) (*parts, error) {
	p := &parts{version: s.version, home: s.Dir, dsn: s.dsn, memory: s.MemoryProvider}
	var err error
	if p.env, err = config.Variables(os.Environ()); err != nil {
		return nil, err
	}
	if p.logs, err = logs.Open(s.Dir, strings.TrimPrefix(process, "xbot ")); err != nil {
		return nil, err
	}
	p.tele, err = telemetry.New(ctx, telemetry.Config{
		Process: process, Version: p.version, Level: s.LogLevel, Format: s.LogFormat, OTLP: s.OTLP, Out: s.out, File: p.logs,
	})
	if err != nil {
		return nil, err
	}
	p.log, p.envFile = p.tele.Log, s.EnvFile
	if path := config.IgnoredEnvFile(os.Environ()); path != "" {
		p.log.Warn("a .env in the working folder is not read", "file", path, "do", IgnoredAdvice)
	}
	p.template = prompt.NewTemplate(TemplatePath(s.Dir, s.Prompt), p.log)
	if s.Pprof != "" {
		if err := telemetry.ServeProfiles(s.Pprof); err != nil {
			return nil, err
		}
	}
	if err := waitDatabase(ctx, s.dsn); err != nil {
		return nil, err
	}
	if err := store.Migrate(ctx, s.dsn); err != nil {
		return nil, err
	}
	if p.pool, err = openPool(ctx, s.dsn); err != nil {
		return nil, err
	}
	p.bus = feed.New(p.log)
	p.store = store.New(p.pool, p.bus)
	p.store.Limits = s.limits
	if err := p.openKey(ctx, s.Home, s.Key); err != nil {
		return nil, err
	}
	if p.archive, err = newArchive(p.store, s.Memory, p.log); err != nil {
		return nil, err
	}
	p.policies = &policies.Live{Source: p.store}
	p.store.Policies, p.store.ServerZone = p.policies, cron.ServerZone()
	p.jobs = &cron.Jobs{Store: p.store, Zone: p.zone}
	p.accounts = &accounts.Store{Store: p.store, Key: p.key, Drivers: Drivers()}
	p.channels = p.newChannels()
	p.triggers = &trigger.Store{Store: p.store, Key: p.key}
	s.temporal.Metrics, s.temporal.Log = p.tele.Temporal(), Quiet(p.log)
	if s.temporal.Interceptors, err = p.tele.Interceptors(); err != nil {
		return nil, err
	}
	if p.codec, err = p.newCodec(ctx, s.encrypts); err != nil {
		return nil, err
	}
	s.temporal.Codec, s.temporal.Identity = p.codec, identity(process, p.version)
	p.temporal, err = temporalclient.New(s.temporal)
	return p, err
}

// IgnoredAdvice is what to do about a .env that is not read.
const IgnoredAdvice = "settings come from .env in XBOT_HOME, or from the file that --env-file (XBOT_ENV_FILE) names; move it there, or name it"

func openPool(ctx context.Context, dsn string) (*pgxpool.Pool, error) {
	cfg, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, fault.Errorf(fault.Invalid, "XBOT_DATABASE_URL is not a Postgres connection string")
	}
	cfg.MaxConns = int32(min(max(connectionsLeast, connectionsPerCore*runtime.NumCPU()), connectionsMost))
	cfg.MinConns, cfg.MaxConnIdleTime = 4, connectionIdle
	cfg.ConnConfig.StatementCacheCapacity = statementsKept
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	return pool, nil
}

// databaseWait is how long a process waits at its start for Postgres to answer.
const databaseWait = 20 * time.Second

func waitDatabase(ctx context.Context, dsn string) error {
	deadline := time.Now().Add(databaseWait)
	for {
		_, _, err := store.SchemaVersions(ctx, dsn)
		if err == nil || !fault.Is(err, fault.Unavailable) {
			return err
		}
		if time.Now().After(deadline) {
			return fault.Errorf(fault.Unavailable, "Postgres does not answer: %w; check XBOT_DATABASE_URL", err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// openKey reads the key, and refuses one that opens nothing of what is stored.
func (p *parts) openKey(ctx context.Context, s config.Home, given string) (err error) {
	if p.key, err = secret.OpenRing(s.Dir, given); err != nil {
		return err
	}
	return rotation.Check(ctx, p.key, p.store)
}

func (p *parts) close(ctx context.Context) {
	if p.line != nil {
		p.line.Wait()
	}
	if p.courier != nil {
		p.courier.Wait()
	}
	p.temporal.Close()
	p.pool.Close()
	if err := p.tele.Close(ctx); err != nil && !errors.Is(err, context.Canceled) {
		p.log.Debug("telemetry not closed", "error", err)
	}
	_ = p.logs.Close() // nothing is logged any more
}

// Quiet drops the SDK's chatter below warnings.
func Quiet(log *slog.Logger) *slog.Logger { return slog.New(levelled{log.Handler(), slog.LevelWarn}) }

type levelled struct {
	slog.Handler
	least slog.Level
}

func (l levelled) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= l.least && l.Handler.Enabled(ctx, level)
}

func (l levelled) WithAttrs(attrs []slog.Attr) slog.Handler {
	return levelled{l.Handler.WithAttrs(attrs), l.least}
}

func (l levelled) WithGroup(name string) slog.Handler {
	return levelled{l.Handler.WithGroup(name), l.least}
}
