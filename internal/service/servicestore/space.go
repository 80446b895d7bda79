package servicestore

import (
	"context"
	"fmt"

	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/service"
	"xbot/internal/service/dbsqlc"
)

// maxEnded bounds how many conversations are deleted for a new one. A service may have many more than it may: its limit was lowered, or the share
// of a key became less with another key. Their number falls then by so many with each one that begins.
const maxEnded = 20

// share returns how many conversations of a service one key may have while other keys are valid, so that none of them takes all.
func share(most int) int { return max(1, most*3/4) }

// freeConversation has idle conversations deleted until a key may begin another one. The caller holds the service. It returns Conflict if too few are idle.
func (s *Store) freeConversation(ctx context.Context, tx *pg.Tx, of service.Service, key string) error {
	n, err := dbsqlc.Q.ServiceConversationCount(ctx, tx, dbsqlc.ServiceConversationCountParams{ServiceID: of.ID, KeyID: key})
	if err != nil {
		return fmt.Errorf("count conversations of %s: %w", of.ID, err)
	}
	ended := 0
	if over := int(n.Own) + 1 - share(of.MaxConversations); n.Others && over > 0 {
		over = min(over, maxEnded)
		if ended, err = endIdle(ctx, tx, dbsqlc.ServiceConversationsIdleParams{ServiceID: of.ID, KeyID: key, Own: true}, over); err != nil {
			return err
		}
		if ended < over {
			return fault.Errorf(fault.Conflict, "this key has as many conversations of the service as it may, %d: delete one, or ask whoever runs the service for more",
				share(of.MaxConversations))
		}
	}
	if over := int(n.Every) - ended + 1 - of.MaxConversations; over > 0 {
		over = min(over, maxEnded)
		more, err := endIdle(ctx, tx, dbsqlc.ServiceConversationsIdleParams{ServiceID: of.ID, KeyID: key}, over)
		if err != nil {
			return err
		}
		if more < over {
			return fault.Errorf(fault.Conflict, "the service has as many conversations as it may, %d: delete one, or ask whoever runs the service for more", of.MaxConversations)
		}
		ended += more
	}
	if ended > 0 { // streams of readers learn of it
		return tx.NotifyAccess(ctx)
	}
	return nil
}

// endIdle promises that so many idle conversations are deleted, or fewer where there are no more.
func endIdle(ctx context.Context, tx *pg.Tx, which dbsqlc.ServiceConversationsIdleParams, wanted int) (int, error) {
	which.Most = int32(wanted)
	idle, err := dbsqlc.Q.ServiceConversationsIdle(ctx, tx, which)
	if err != nil {
		return 0, fmt.Errorf("look for idle conversations of %s: %w", which.ServiceID, err)
	}
	for _, consumer := range idle {
		if err := end(ctx, tx, consumer); err != nil {
			return 0, err
		}
	}
	return len(idle), nil
}
