package servicestore

import (
	"context"
	"fmt"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/service"
	"xbot/internal/service/dbsqlc"
	"xbot/internal/storage"
)

// FreezeServiceStorage starts the moves of at most n conversations whose files are elsewhere than the target, and returns their number. The files are read-only
// from then on.
func (s *Store) FreezeServiceStorage(ctx context.Context, target string, n int) (int, error) {
	rows, err := dbsqlc.Q.ServiceStorageFreeze(ctx, s.db.Pool, dbsqlc.ServiceStorageFreezeParams{Target: target, N: int32(n)})
	return int(rows), pg.Classify(err)
}

// ServiceStorageToMove returns at most n conversations that have been moving to a target for a time.
func (s *Store) ServiceStorageToMove(ctx context.Context, target string, after time.Duration, n int) ([]service.FileSystemMove, error) {
	rows, err := dbsqlc.Q.ServiceStorageToMove(ctx, s.db.Pool, dbsqlc.ServiceStorageToMoveParams{Target: target, After: pg.Interval(after), N: int32(n)})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list the files to move: %w", err))
	}
	out := make([]service.FileSystemMove, len(rows))
	for i, r := range rows {
		out[i] = service.FileSystemMove{User: r.UserID, FileSystem: service.FileSystem{Service: r.ServiceID, Conversation: r.ConversationID, Admin: r.AdminID, Runner: r.Runner, Storage: r.Storage}, Since: r.MoveAt}
	}
	return out, nil
}

// ServiceStorageMoved records that the files of a conversation are at the target: on the runner, or in object storage where runner is empty. Conflict: the
// move has ended meanwhile.
func (s *Store) ServiceStorageMoved(ctx context.Context, move service.FileSystemMove, target, runner string) error {
	p := dbsqlc.ServiceStorageMovedParams{ID: move.User, MoveAt: move.Since, Target: target, Runner: runner, Storage: target}
	if target == storage.Local {
		p.Storage = ""
	}
	n, err := dbsqlc.Q.ServiceStorageMoved(ctx, s.db.Pool, p)
	if err == nil && n == 0 {
		return fault.Errorf(fault.Conflict, "the move of the files was ended")
	}
	return pg.Classify(err)
}

// RecordServiceStorageCopy records that a runner is about to get copies of the files. Conflict: the move has ended meanwhile.
func (s *Store) RecordServiceStorageCopy(ctx context.Context, move service.FileSystemMove, runner string) error {
	n, err := dbsqlc.Q.ServiceStorageCopy(ctx, s.db.Pool, dbsqlc.ServiceStorageCopyParams{ID: move.User, MoveAt: move.Since, Runner: runner})
	if err == nil && n == 0 {
		return fault.Errorf(fault.Conflict, "the move of the files was ended")
	}
	return pg.Classify(err)
}

// ServiceStorageMoveFailed records why the files of a conversation could not be moved. They are writable again, and the migration retries after the given time.
func (s *Store) ServiceStorageMoveFailed(ctx context.Context, move service.FileSystemMove, problem string, after time.Duration) error {
	return pg.Classify(dbsqlc.Q.ServiceStorageMoveFailed(ctx, s.db.Pool, dbsqlc.ServiceStorageMoveFailedParams{ID: move.User, MoveAt: move.Since, Problem: chat.Clean(problem), After: pg.Interval(after)}))
}

// UnfreezeServiceStorage ends all moves that have not ended: a migration was stopped.
func (s *Store) UnfreezeServiceStorage(ctx context.Context) error {
	return pg.Classify(dbsqlc.Q.ServiceStorageUnfreeze(ctx, s.db.Pool))
}

// ServiceStorageLeftovers returns at most n conversations of which a runner still has a copy: FileSystem.LeftRunner.
func (s *Store) ServiceStorageLeftovers(ctx context.Context, n int) ([]service.FileSystemMove, error) {
	rows, err := dbsqlc.Q.ServiceStorageLeftovers(ctx, s.db.Pool, int32(n))
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list the copies of moved files: %w", err))
	}
	out := make([]service.FileSystemMove, len(rows))
	for i, r := range rows {
		out[i] = service.FileSystemMove{User: r.UserID, FileSystem: service.FileSystem{Service: r.ServiceID, Conversation: r.ConversationID, Admin: r.AdminID, LeftRunner: r.LeftRunner}}
	}
	return out, nil
}

// ServiceStorageLeftoverGone records that no runner has a copy any more.
func (s *Store) ServiceStorageLeftoverGone(ctx context.Context, user chat.UserID) error {
	return pg.Classify(dbsqlc.Q.ServiceStorageLeftoverGone(ctx, s.db.Pool, user))
}

// ServiceStorageLeftoverLater postpones the removal of a copy whose runner is offline.
func (s *Store) ServiceStorageLeftoverLater(ctx context.Context, user chat.UserID, after time.Duration) error {
	return pg.Classify(dbsqlc.Q.ServiceStorageLeftoverLater(ctx, s.db.Pool, dbsqlc.ServiceStorageLeftoverLaterParams{ID: user, After: pg.Interval(after)}))
}

// MoveProgress returns the progress of a migration to a target.
func (s *Store) MoveProgress(ctx context.Context, target string) (service.MoveProgress, error) {
	r, err := dbsqlc.Q.ServiceStorageProgress(ctx, s.db.Pool, target)
	if err != nil {
		return service.MoveProgress{}, pg.Classify(fmt.Errorf("count the files to move: %w", err))
	}
	return service.MoveProgress{Conversations: int(r.Conversations), Left: int(r.Remaining), Failed: int(r.Failed), Leftovers: int(r.Leftovers), Problem: r.Problem}, nil
}
