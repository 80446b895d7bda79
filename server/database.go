package server

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"xbot/internal/cron"
	"xbot/internal/fault"
	"xbot/internal/feed"
	"xbot/internal/memory/archive"
	"xbot/internal/memory/embed"
	policies "xbot/internal/policy"
	"xbot/internal/rotation"
	"xbot/internal/secret"
	"xbot/internal/store"
	"xbot/server/metrics"
)

// database is Postgres, and what is read in it before anything is written.
type database struct {
	dsn      string
	pool     *pgxpool.Pool
	bus      *feed.Bus
	key      *secret.Keyring
	rows     *store.Store   // looks rows up for what the store itself is made of; it tells nobody of what it writes
	policies *policies.Live // how conversations are routed, queued and limited
}

// openDatabase migrates the database and opens it.
func openDatabase(ctx context.Context, s settings, p *process, closer *Server) (*database, error) {
	if err := waitDatabase(ctx, s.dsn); err != nil {
		return nil, err
	}
	if err := store.Migrate(ctx, s.dsn); err != nil {
		return nil, err
	}
	pool, err := openPool(ctx, s.dsn)
	if err != nil {
		return nil, err
	}
	closer.onClose(pool.Close)
	p.tele.Registry.MustRegister(metrics.NewPool(pool))
	d := &database{dsn: s.dsn, pool: pool, bus: feed.New(p.log), rows: store.New(pool, store.Options{})}
	d.policies = &policies.Live{Source: d.rows}
	if d.key, err = secret.OpenKeyring(s.Dir, s.Key); err != nil {
		return nil, err
	}
	return d, rotation.Check(ctx, d.key, d.rows) // refuses a key that opens nothing of what is stored
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

// storage is where everything is kept.
type storage struct {
	store    *store.Store
	archive  *archive.Archive
	embedder embed.Embedder // nil: none
}

func newStorage(s settings, c *core) (*storage, error) {
	room := limitsOf(s)
	room.Others = c.catalogue
	st := store.New(c.pool, store.Options{
		Feed: c.bus, Limits: room, Policies: c.policies, Wakes: c.wakes, ServerZone: cron.ServerZone(), HooksKeep: s.HooksKeep,
	})
	e, err := newEmbedder(s.Memory)
	if err != nil {
		return nil, err
	}
	return &storage{st, newArchive(st, e, s.Memory, c.log), e}, nil
}
