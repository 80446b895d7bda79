// Package store keeps what people wrote and read in Postgres. It owns the transactions that make the product's
// promises: accept, claim, step, call, finish. The kernel is pg; queries are compiled by sqlc into dbsqlc, which only the
// packages below this one import.
package store

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"xbot/internal/chat"
	"xbot/internal/llm/limits"
	"xbot/internal/store/pg"
)

// Store is the repositories over one pool. It is safe for concurrent use.
type Store struct {
	db *pg.DB

	// Limits says how much the models take that sessions are shown with; set it before the store is used. The zero value
	// is what is known of models by their names.
	Limits limits.Table

	// Policies says how much may run at once; nil is the defaults. Line is told who was handed a turn; nil where nobody is
	// to be woken. Set them before the store is used.
	Policies Policies
	Line     Line
	// ServerZone is the timezone in which people read times whose profile, and the policy, name none; empty is UTC. Set it before
	// the store is used.
	ServerZone string
	// Courier is told that something is to be delivered; nil where the relay is soon enough.
	Courier interface{ Outbound(key chat.SessionKey) }

	// HooksKeep is how long what hooks said is kept once its turn has ended; 0: as long as the conversation. Set it before
	// hooks are asked.
	HooksKeep time.Duration

	zone       atomic.Pointer[string] // timezone that the policy names, as it was read last
	lastPrompt atomic.Value           // [sha256.Size]byte of the prompt that was committed last
	lately     lately                 // prompts that a crash of Postgres may forget
	crowded    atomic.Bool            // the last claim found nearly as many turns as there may be
}

// New returns a store. The caller owns the pool. feed may be nil where nobody listens.
func New(pool *pgxpool.Pool, feed pg.Feed) *Store {
	s := &Store{}
	s.db = pg.New(pool, feed, s)
	return s
}

// Ping reports whether Postgres answers.
func (s *Store) Ping(ctx context.Context) error { return s.db.Ping(ctx) }

// Committed does after a commit what it made possible: deliveries begin, those who were handed a turn are woken, and a turn
// that ended is handed on. That is no part of the transaction, so that it sees who came into line meanwhile.
func (s *Store) Committed(ctx context.Context, tx *pg.Tx) {
	if tx.After.Outbound && s.Courier != nil {
		for _, key := range tx.Sessions() {
			s.Courier.Outbound(key)
		}
	}
	if len(tx.After.Granted) > 0 && s.Line != nil {
		s.Line.Granted(tx.After.Granted)
	}
	if tx.After.SlotFreed {
		_, _ = s.HandOutTurns(ctx) // the relay does it again within a second
	}
}

// Migrate brings the database to the schema of this binary.
func Migrate(ctx context.Context, dsn string) error { return pg.Migrate(ctx, dsn) }

// MigrationsHash names the schema of this binary, for template databases of tests.
func MigrationsHash() string { return pg.MigrationsHash() }

// SchemaVersions returns the version the database has and the one this binary wants.
func SchemaVersions(ctx context.Context, dsn string) (has, wants int64, err error) {
	return pg.SchemaVersions(ctx, dsn)
}

// Clean makes text storable: valid UTF-8 without NUL, which Postgres cannot hold.
func Clean(text string) string { return pg.Clean(text) }
