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

// ServiceRoom returns the file system of a consumer. Not ok: the user is a person or a group, which have none. Denied: they have none any more.
func (s *Store) ServiceRoom(ctx context.Context, user chat.UserID) (room service.FileSystem, ok bool, err error) {
	if _, known := s.withoutRoom.Load(user); known {
		return room, false, nil
	}
	row, err := dbsqlc.Q.ServiceRoomGet(ctx, s.db.Pool, user)
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

// KeepServiceRoom keeps on which runner the files of a consumer are, and returns it: the one that was kept before, unless that is the one to
// be left.
func (s *Store) KeepServiceRoom(ctx context.Context, user chat.UserID, runner, leave string) (string, error) {
	kept, err := dbsqlc.Q.ServiceRoomKeep(ctx, s.db.Pool, dbsqlc.ServiceRoomKeepParams{ID: user, Runner: runner, Leave: leave})
	if errors.Is(err, pgx.ErrNoRows) {
		return "", fault.Errorf(fault.Denied, "the conversation is not there any more")
	}
	return kept, pg.Classify(err)
}

// StoreServiceRoom keeps that object storage has the files of a consumer, and returns where they are: there, or where it was kept before that
// they are.
func (s *Store) StoreServiceRoom(ctx context.Context, user chat.UserID, storage string) (kept, runner string, err error) {
	row, err := dbsqlc.Q.ServiceRoomStore(ctx, s.db.Pool, dbsqlc.ServiceRoomStoreParams{ID: user, Storage: storage})
	if errors.Is(err, pgx.ErrNoRows) {
		return "", "", fault.Errorf(fault.Denied, "the conversation is not there any more")
	}
	return row.Storage, row.Runner, pg.Classify(err)
}

// ServiceRoomLeft returns the file system of a consumer who is being deleted, as long as its folder is there. NotFound: it is gone.
func (s *Store) ServiceRoomLeft(ctx context.Context, user chat.UserID) (service.FileSystem, error) {
	row, err := dbsqlc.Q.ServiceRoomLeft(ctx, s.db.Pool, user)
	if errors.Is(err, pgx.ErrNoRows) {
		return service.FileSystem{}, fault.Errorf(fault.NotFound, "user %d has no room", user)
	}
	return service.FileSystem{Service: row.ServiceID, Conversation: row.ConversationID, Admin: row.AdminID, Runner: row.Runner, Storage: row.Storage, LeftRunner: row.LeftRunner}, pg.Classify(err)
}

// ServiceRoomGone records that the folder of a file system is gone.
func (s *Store) ServiceRoomGone(ctx context.Context, user chat.UserID) error {
	return pg.Classify(dbsqlc.Q.ServiceRoomGone(ctx, s.db.Pool, user))
}

// ServiceRoomHolds stores the size of a folder of a consumer's file system: of what they sent, or of what was made. TooLarge: the file systems of
// their service hold together as much as a user may keep.
func (s *Store) ServiceRoomHolds(ctx context.Context, user chat.UserID, sent bool, bytes int64) error {
	caps, err := s.quota.Caps(ctx)
	if err != nil {
		return err
	}
	all, err := dbsqlc.Q.ServiceRoomHolds(ctx, s.db.Pool, dbsqlc.ServiceRoomHoldsParams{ID: user, Sent: sent, Bytes: bytes})
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

// ServiceRoomGrows records how much was written into a folder of a consumer's file system.
func (s *Store) ServiceRoomGrows(ctx context.Context, user chat.UserID, sent bool, bytes int64) error {
	return pg.Classify(dbsqlc.Q.ServiceRoomGrows(ctx, s.db.Pool, dbsqlc.ServiceRoomGrowsParams{ID: user, Sent: sent, Bytes: bytes}))
}
