package server

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"xbot/internal/automation/cron"
	"xbot/internal/fault"
	"xbot/internal/feed"
	"xbot/internal/host/logs"
	"xbot/internal/host/rotation"
	"xbot/internal/pg"
	"xbot/internal/secret"
	"xbot/internal/store"
	policies "xbot/internal/turn/policy"
	"xbot/server/metrics"
)

// database is Postgres, and the data that is read in it before anything is written.
type database struct {
	dsn      string
	pool     *pgxpool.Pool
	bus      *feed.Bus
	key      *secret.Keyring
	rows     *store.Store   // looks up rows that the store itself is made of; it publishes no changes
	policies *policies.Live // how conversations are routed, queued and limited
}

// openDatabase migrates the database and opens it.
func openDatabase(ctx context.Context, s settings, p *process, closer *Server) (*database, error) {
	if err := p.untilPostgres(ctx, func(ctx context.Context) error { return pg.Migrate(ctx, s.dsn) }); err != nil {
		if pg.Refused(err) {
			return nil, fault.Errorf(fault.Invalid, "XBOT_DATABASE_URL cannot be used: %w", err)
		}
		return nil, err
	}
	pool, err := openPool(ctx, s.dsn)
	if err != nil {
		return nil, err
	}
	closer.onClose(pool.Close)
	p.tele.Registry.MustRegister(metrics.NewPool(pool))
	d := &database{dsn: s.dsn, pool: pool, bus: feed.New(p.log), rows: store.New(pool, store.Options{})}
	d.policies = &policies.Live{Services: d.rows.Services, Settings: d.rows.Settings}
	if d.key, err = secret.OpenKeyring(s.Dir, s.Key); err != nil {
		return nil, err
	}
	return d, p.untilPostgres(ctx, func(ctx context.Context) error {
		return rotation.Check(ctx, d.key, d.rows.Secrets) // refuses a key that opens none of the stored secrets
	})
}

// listenFeed forwards events that other processes commit to the watchers of this process.
func (d *database) listenFeed(ctx context.Context) error { return d.bus.Run(ctx, d.dsn) }

// The Postgres connections of one process. Each costs Postgres about 12 MB once it has prepared all statements, and more
// of them than a few for each core only wait for each other.
const (
	connectionsLeast   = 6
	connectionsMost    = 40
	connectionsPerCore = 3
	connectionIdle     = 2 * time.Minute
	statementsKept     = 128 // prepared, of each connection: a turn and the relay use about a hundred
)

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

const (
	// firstPause and longPause bound the pause between two tries of a start to reach Postgres.
	firstPause = 100 * time.Millisecond
	longPause  = 5 * time.Second
	// reasonMost is how much of a reason to wait is shown, in bytes.
	reasonMost = 300
)

// untilPostgres calls do until Postgres answers it, or ctx ends: a start waits for Postgres as a running server does. It logs each reason to wait
// once. do must be safe to repeat.
func (p *process) untilPostgres(ctx context.Context, do func(ctx context.Context) error) error {
	var reasons logs.Repeats
	for pause := firstPause; ; pause = min(2*pause, longPause) {
		err := do(ctx)
		if err == nil || ctx.Err() != nil || !pg.Away(err) {
			return err
		}
		if reason := sentence(err); reasons.Changed(reason) {
			p.log.Warn("waiting for Postgres", "reason", reason)
			say(p.terminal, "Waiting for Postgres: %s", reason)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// sentence returns an error on one line.
func sentence(err error) string {
	text := strings.ToValidUTF8(strings.Join(strings.Fields(err.Error()), " "), "")
	if len(text) > reasonMost {
		text = strings.ToValidUTF8(text[:reasonMost], "") + "…"
	}
	return text
}

// newStores opens the stores of the modules, which publish to the feed and wake workflows after each commit.
func newStores(s settings, c *core) *store.Store {
	room := limitsOf(s)
	room.Others = c.models.catalogue
	return store.New(c.db.pool, store.Options{
		Feed: c.db.bus, Limits: room, Policies: c.db.policies, Wakes: c.temporal.wakes, Traces: c.traces.signals, ServerZone: cron.ServerZone(), HooksKeep: s.HooksKeep,
	})
}
