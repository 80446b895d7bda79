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

// FreezeServiceRooms begins to move at most n conversations whose files are elsewhere than the target: they are only read from now on.
func (s *Store) FreezeServiceRooms(ctx context.Context, target string, n int) (int, error) {
	begun, err := dbsqlc.Q.ServiceRoomsFreeze(ctx, s.db.Pool, dbsqlc.ServiceRoomsFreezeParams{Target: target, N: int32(n)})
	return int(begun), pg.Classify(err)
}

// ServiceRoomsToMove returns at most n conversations that have been moving to a target for a time.
func (s *Store) ServiceRoomsToMove(ctx context.Context, target string, after time.Duration, n int) ([]service.RoomMove, error) {
	rows, err := dbsqlc.Q.ServiceRoomsToMove(ctx, s.db.Pool, dbsqlc.ServiceRoomsToMoveParams{Target: target, After: pg.Interval(after), N: int32(n)})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list the files to move: %w", err))
	}
	out := make([]service.RoomMove, len(rows))
	for i, r := range rows {
		out[i] = service.RoomMove{User: r.UserID, FileSystem: service.FileSystem{Service: r.ServiceID, Conversation: r.ConversationID, Admin: r.AdminID, Runner: r.Runner, Storage: r.Storage}, Since: r.MoveAt}
	}
	return out, nil
}

// ServiceRoomMoved records that the files of a conversation are at the target: on the runner, or in object storage where runner is empty. Conflict: the
// move was ended meanwhile.
func (s *Store) ServiceRoomMoved(ctx context.Context, room service.RoomMove, target, runner string) error {
	p := dbsqlc.ServiceRoomMovedParams{ID: room.User, MoveAt: room.Since, Target: target, Runner: runner, Storage: target}
	if target == storage.Local {
		p.Storage = ""
	}
	n, err := dbsqlc.Q.ServiceRoomMoved(ctx, s.db.Pool, p)
	if err == nil && n == 0 {
		return fault.Errorf(fault.Conflict, "the move of the files was ended")
	}
	return pg.Classify(err)
}

// CopyingServiceRoom records that a runner is about to get copies of the files. Conflict: the move was ended meanwhile.
func (s *Store) CopyingServiceRoom(ctx context.Context, room service.RoomMove, runner string) error {
	n, err := dbsqlc.Q.ServiceRoomCopying(ctx, s.db.Pool, dbsqlc.ServiceRoomCopyingParams{ID: room.User, MoveAt: room.Since, Runner: runner})
	if err == nil && n == 0 {
		return fault.Errorf(fault.Conflict, "the move of the files was ended")
	}
	return pg.Classify(err)
}

// ServiceRoomUnmoved records why the files of a conversation could not be moved. They can be written again, and are tried again after a time.
func (s *Store) ServiceRoomUnmoved(ctx context.Context, room service.RoomMove, problem string, after time.Duration) error {
	return pg.Classify(dbsqlc.Q.ServiceRoomUnmoved(ctx, s.db.Pool, dbsqlc.ServiceRoomUnmovedParams{ID: room.User, MoveAt: room.Since, Problem: chat.Clean(problem), After: pg.Interval(after)}))
}

// UnfreezeServiceRooms ends all moves that have not ended: a migration was stopped.
func (s *Store) UnfreezeServiceRooms(ctx context.Context) error {
	return pg.Classify(dbsqlc.Q.ServiceRoomsUnfreeze(ctx, s.db.Pool))
}

// LeftServiceRooms returns at most n conversations of which a runner still has a copy: FileSystem.LeftRunner.
func (s *Store) LeftServiceRooms(ctx context.Context, n int) ([]service.RoomMove, error) {
	rows, err := dbsqlc.Q.ServiceRoomsLeft(ctx, s.db.Pool, int32(n))
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list the copies of moved files: %w", err))
	}
	out := make([]service.RoomMove, len(rows))
	for i, r := range rows {
		out[i] = service.RoomMove{User: r.UserID, FileSystem: service.FileSystem{Service: r.ServiceID, Conversation: r.ConversationID, Admin: r.AdminID, LeftRunner: r.LeftRunner}}
	}
	return out, nil
}

// ServiceRoomLeftGone records that a runner has no copy any more.
func (s *Store) ServiceRoomLeftGone(ctx context.Context, user chat.UserID) error {
	return pg.Classify(dbsqlc.Q.ServiceRoomLeftGone(ctx, s.db.Pool, user))
}

// ServiceRoomLeftLater has the copy on a runner that is away removed later.
func (s *Store) ServiceRoomLeftLater(ctx context.Context, user chat.UserID, after time.Duration) error {
	return pg.Classify(dbsqlc.Q.ServiceRoomLeftLater(ctx, s.db.Pool, dbsqlc.ServiceRoomLeftLaterParams{ID: user, After: pg.Interval(after)}))
}

// MoveProgress returns the progress of a migration to a target.
func (s *Store) MoveProgress(ctx context.Context, target string) (service.MoveProgress, error) {
	r, err := dbsqlc.Q.ServiceRoomsProgress(ctx, s.db.Pool, target)
	if err != nil {
		return service.MoveProgress{}, pg.Classify(fmt.Errorf("count the files to move: %w", err))
	}
	return service.MoveProgress{Conversations: int(r.Conversations), Left: int(r.Remaining), Failed: int(r.Failed), Leftovers: int(r.Leftovers), Problem: r.Problem}, nil
}
