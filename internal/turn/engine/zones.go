package engine

import (
	"context"
	"fmt"
	"time"

	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/user/users"
)

// Zone returns the timezone of a user: that of their profile, else that of the policy, else that of the server.
func (s *Store) Zone(ctx context.Context, user chat.UserID) (zone *time.Location, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		zone, err = users.ZoneOf(ctx, tx, user, s.stores.Quota.Zones())
		return err
	})
	return zone, err
}

// ZoneOfSession returns the timezone of the owner of a conversation. The profile of a group has none.
func (s *Store) ZoneOfSession(ctx context.Context, key chat.SessionKey) (*time.Location, error) {
	owner, err := s.stores.Users.SessionOwner(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("find whose timezone %s has: %w", key, err)
	}
	return s.Zone(ctx, owner.ID)
}
