package servicestore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/service"
	"xbot/internal/service/dbsqlc"
	"xbot/internal/user/users"
)

// ServiceStorage returns the file system of a consumer. Not ok: the user is a person or a group, which have none. It returns Denied if they have none any more.
func (s *Store) ServiceStorage(ctx context.Context, user chat.UserID) (room service.FileSystem, ok bool, err error) {
	if _, known := s.withoutRoom.Load(user); known {
		return room, false, nil
	}
	row, err := dbsqlc.Q.ServiceStorageGet(ctx, s.db.Pool, user)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return room, true, fault.Errorf(fault.Denied, "there is no user %d", user)
	case err != nil:
		return room, true, pg.Classify(fmt.Errorf("look for the room of user %d: %w", user, err))
	case row.Kind != users.KindConsumer && row.Kind != users.KindService:
		s.withoutRoom.Store(user, struct{}{})
		return room, false, nil
	case row.ServiceID == "":
		return room, true, fault.Errorf(fault.Denied, "the conversation has no files: its service is not there any more")
	}
	d := service.Definition{} // not the defaults: those allow everything
	if err := json.Unmarshal(row.Definition, &d); err != nil {
		return room, true, fmt.Errorf("decode service %s: %w", row.ServiceID, err)
	}
	return service.FileSystem{
		Service: row.ServiceID, Conversation: row.ConversationID, Session: chat.SessionKey(row.SessionKey), Admin: chat.UserID(row.AdminID), Runner: row.Runner,
		Storage: row.Storage, Moving: row.Moving, Docs: d.AllowedDocs, Scripts: d.AllowedScripts,
	}, true, nil
}

// KeepServiceStorage keeps on which runner the files of a consumer are, and returns it: the one that was kept before, unless that is the one to
// be left.
func (s *Store) KeepServiceStorage(ctx context.Context, user chat.UserID, runner, leave string) (string, error) {
	kept, err := dbsqlc.Q.ServiceStorageKeep(ctx, s.db.Pool, dbsqlc.ServiceStorageKeepParams{ID: user, Runner: runner, Leave: leave})
	if errors.Is(err, pgx.ErrNoRows) {
		return "", fault.Errorf(fault.Denied, "the conversation is not there any more")
	}
	return kept, pg.Classify(err)
}

// KeepServiceBackend stores the back end of object storage that holds the files of a consumer, unless one is stored already, and returns the
// stored back end.
func (s *Store) KeepServiceBackend(ctx context.Context, user chat.UserID, storage string) (backend, runner string, err error) {
	row, err := dbsqlc.Q.ServiceStorageKeepBackend(ctx, s.db.Pool, dbsqlc.ServiceStorageKeepBackendParams{ID: user, Storage: storage})
	if errors.Is(err, pgx.ErrNoRows) {
		return "", "", fault.Errorf(fault.Denied, "the conversation is not there any more")
	}
	return row.Storage, row.Runner, pg.Classify(err)
}

// ServiceStorageLeft returns the file system of a consumer who is being deleted, as long as its folder is there. It returns NotFound if it is gone.
func (s *Store) ServiceStorageLeft(ctx context.Context, user chat.UserID) (service.FileSystem, error) {
	row, err := dbsqlc.Q.ServiceStorageLeft(ctx, s.db.Pool, user)
	if errors.Is(err, pgx.ErrNoRows) {
		return service.FileSystem{}, fault.Errorf(fault.NotFound, "user %d has no room", user)
	}
	return service.FileSystem{Service: row.ServiceID, Conversation: row.ConversationID, Admin: row.AdminID, Runner: row.Runner, Storage: row.Storage, LeftRunner: row.LeftRunner}, pg.Classify(err)
}

// ServiceStorageGone records that the folder of a file system is gone.
func (s *Store) ServiceStorageGone(ctx context.Context, user chat.UserID) error {
	return pg.Classify(dbsqlc.Q.ServiceStorageGone(ctx, s.db.Pool, user))
}

// ServiceStorageHolds stores the size of a folder of a consumer's file system: of what they sent, or of what was made. It returns TooLarge if the file systems of
// their service hold together as much as a user may keep.
func (s *Store) ServiceStorageHolds(ctx context.Context, user chat.UserID, sent bool, bytes int64) error {
	caps, err := s.quota.Caps(ctx)
	if err != nil {
		return err
	}
	all, err := dbsqlc.Q.ServiceStorageHolds(ctx, s.db.Pool, dbsqlc.ServiceStorageHoldsParams{ID: user, Sent: sent, Bytes: bytes})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return fault.Errorf(fault.Denied, "the conversation is not there any more")
	case err != nil:
		return pg.Classify(fmt.Errorf("note what is in the room of user %d: %w", user, err))
	case all >= int64(caps.Person.Storage)<<20:
		return fault.Errorf(fault.TooLarge, "this service keeps as many files of its conversations as it may; delete some, or conversations that have some, or ask whoever runs the service")
	}
	return nil
}

// ServiceStorageGrows records how much was written into a folder of a consumer's file system.
func (s *Store) ServiceStorageGrows(ctx context.Context, user chat.UserID, sent bool, bytes int64) error {
	return pg.Classify(dbsqlc.Q.ServiceStorageGrows(ctx, s.db.Pool, dbsqlc.ServiceStorageGrowsParams{ID: user, Sent: sent, Bytes: bytes}))
}
