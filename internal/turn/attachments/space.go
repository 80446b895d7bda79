package attachments

import (
	"context"
	"fmt"
	"xbot/internal/turn/dbsqlc"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
)

// CheckSpace returns TooLarge if a user or group stores too much for so many bytes more: files of messages, and pictures. The consumers of a
// service share the storage of one user; the user of the service is passed for a new consumer.
// Concurrent requests may exceed the limit by what they add.
func (s *Store) CheckSpace(ctx context.Context, user chat.UserID, more int64) error {
	caps, err := s.quota.Caps(ctx)
	if err != nil {
		return err
	}
	kept, err := dbsqlc.Q.StorageUsed(ctx, s.db.Pool, user)
	if err != nil {
		return pg.Classify(fmt.Errorf("count what is kept for user %d: %w", user, err))
	}
	most := int64(caps.Person.Storage) << 20
	switch {
	case kept.Bytes+more <= most:
		return nil
	case kept.Outside: // a consumer reads it
		return fault.Errorf(fault.TooLarge, "this service keeps as many files and pictures of its conversations as it may; "+
			"delete conversations that have some, or ask whoever runs the service")
	}
	return fault.Errorf(fault.TooLarge, "%d of %d MB of files and pictures are kept for this person, as much as may be (limits.person.storage of the policy); "+
		"delete conversations that have files to make room", kept.Bytes>>20, most>>20)
}
