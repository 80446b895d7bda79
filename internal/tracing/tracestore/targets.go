// Package tracestore stores the targets of traces, and the exports that wait for them. It reads the rows of turns that spans are built from.
package tracestore

import (
	"context"
	"fmt"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/secret/secretstore"
	"xbot/internal/tracing/dbsqlc"
)

// Target is a collector of traces as an administrator configured it.
type Target struct {
	Name      string
	Enabled   bool
	Endpoint  string
	PublicKey string
	Secrets   []byte // sealed
	KeyHint   string
	Content   bool
	Revision  int64
	ChangedAt time.Time
	ChangedBy string // empty: an account that is gone
}

// Store stores targets and exports. It is safe for concurrent use.
type Store struct{ db *pg.DB }

// New returns a store over a database.
func New(db *pg.DB) *Store { return &Store{db: db} }

// Targets lists the configured targets by name.
func (s *Store) Targets(ctx context.Context) ([]Target, error) {
	rows, err := dbsqlc.Q.TargetList(ctx, s.db.Pool)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read the targets of traces: %w", err))
	}
	out := make([]Target, len(rows))
	for i, r := range rows {
		out[i] = Target(r)
	}
	return out, nil
}

// SetTarget stores a target if the stored one has the revision of in; 0: there is none. It returns Conflict if it was changed, made or removed concurrently.
// What waits for it is due.
func (s *Store) SetTarget(ctx context.Context, in Target, by chat.UserID) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := secretstore.NoteKey(ctx, tx, in.Secrets); err != nil {
			return err
		}
		n, err := set(ctx, tx, in, by)
		if err != nil {
			return fmt.Errorf("store target %s: %w", in.Name, err)
		}
		if n == 0 {
			return fault.Errorf(fault.Conflict, "the target was changed or removed meanwhile: reload it")
		}
		return dbsqlc.Q.ExportResume(ctx, tx, in.Name)
	})
}

func set(ctx context.Context, tx *pg.Tx, in Target, by chat.UserID) (int64, error) {
	if in.Revision == 0 {
		return dbsqlc.Q.TargetAdd(ctx, tx, dbsqlc.TargetAddParams{
			Name: in.Name, Enabled: in.Enabled, Endpoint: in.Endpoint, PublicKey: in.PublicKey, Secrets: in.Secrets, KeyHint: in.KeyHint, Content: in.Content,
			ChangedBy: pg.Nullable(by),
		})
	}
	return dbsqlc.Q.TargetReplace(ctx, tx, dbsqlc.TargetReplaceParams{
		Name: in.Name, Revision: in.Revision, Enabled: in.Enabled, Endpoint: in.Endpoint, PublicKey: in.PublicKey, Secrets: in.Secrets, KeyHint: in.KeyHint,
		Content: in.Content, ChangedBy: pg.Nullable(by),
	})
}

// RemoveTarget removes a target: that of the environment is in force again. It returns NotFound if there is none.
func (s *Store) RemoveTarget(ctx context.Context, name string) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		n, err := dbsqlc.Q.TargetDelete(ctx, tx, name)
		if err == nil && n == 0 {
			return fault.Errorf(fault.NotFound, "this target is not configured here")
		}
		return err
	})
}
