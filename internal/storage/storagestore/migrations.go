package storagestore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/storage"
	"xbot/internal/storage/dbsqlc"
)

// MigrationAfter is how long a migration may do no step before its workflow is woken again. A workflow that works does steps more often.
const MigrationAfter = 10 * time.Minute

// BeginMigration records a migration, which the relay starts. Conflict: one is running.
func (s *Store) BeginMigration(ctx context.Context, target string) (chat.MigrationID, error) {
	id, err := dbsqlc.Q.StorageMigrationBegin(ctx, s.db.Pool, target)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, fault.Errorf(fault.Conflict, "a migration is running: wait for its end, or stop it")
	}
	return chat.MigrationID(id), pg.Classify(err)
}

// Migration returns a migration. NotFound: there is none.
func (s *Store) Migration(ctx context.Context, id chat.MigrationID) (storage.Migration, error) {
	row, err := dbsqlc.Q.StorageMigrationGet(ctx, s.db.Pool, int64(id))
	return migration(dbsqlc.StorageMigrationLastRow(row), err)
}

// LastMigration returns the newest migration. NotFound: there is none.
func (s *Store) LastMigration(ctx context.Context) (storage.Migration, error) {
	return migration(dbsqlc.Q.StorageMigrationLast(ctx, s.db.Pool))
}

func migration(row dbsqlc.StorageMigrationLastRow, err error) (storage.Migration, error) {
	if errors.Is(err, pgx.ErrNoRows) {
		return storage.Migration{}, fault.Errorf(fault.NotFound, "there is no migration")
	}
	if err != nil {
		return storage.Migration{}, pg.Classify(fmt.Errorf("read a migration of storage: %w", err))
	}
	return storage.Migration{ID: chat.MigrationID(row.ID), Target: row.Target, State: storage.MigrationState(row.State), Created: row.CreatedAt, Ended: row.EndedAt}, nil
}

// MigrationChecked records that the workflow of a migration is at work.
func (s *Store) MigrationChecked(ctx context.Context, id chat.MigrationID) error {
	return pg.Classify(dbsqlc.Q.StorageMigrationChecked(ctx, s.db.Pool, int64(id)))
}

// EndMigration ends a running migration. ok is false if it had ended.
func (s *Store) EndMigration(ctx context.Context, id chat.MigrationID, state storage.MigrationState) (ok bool, err error) {
	n, err := dbsqlc.Q.StorageMigrationEnd(ctx, s.db.Pool, dbsqlc.StorageMigrationEndParams{ID: int64(id), State: string(state)})
	return n > 0, pg.Classify(err)
}

// MigrationsToStart takes migrations on which no step was done for a while.
func (s *Store) MigrationsToStart(ctx context.Context) ([]chat.MigrationID, error) {
	rows, err := dbsqlc.Q.StorageMigrationsToStart(ctx, s.db.Pool, pg.Interval(MigrationAfter))
	out := make([]chat.MigrationID, len(rows))
	for i, id := range rows {
		out[i] = chat.MigrationID(id)
	}
	return out, pg.Classify(err)
}
