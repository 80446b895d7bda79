package attachments

import (
	"context"
	"fmt"
	"xbot/internal/turn/dbsqlc"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
)

// Room is TooLarge where a person or group keeps too much for so many bytes more: of files that came with messages, and of pictures. The
// consumers of a service keep together what one person may; the user of the service stands for one who is to come.
// Several requests at once may exceed the limit by what they bring.
func (s *Store) Room(ctx context.Context, user chat.UserID, more int64) error {
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
	case kept.Outside: // who reads it knows nothing of the house
		return fault.Errorf(fault.TooLarge, "this service keeps as many files and pictures of its conversations as it may; "+
			"delete conversations that have some, or ask whoever runs the service")
	}
	return fault.Errorf(fault.TooLarge, "%d of %d MB of files and pictures are kept for this person, as much as may be (limits.person.storage of the policy); "+
		"delete conversations that have files to make room", kept.Bytes>>20, most>>20)
}
