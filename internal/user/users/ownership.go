package users

import (
	"context"
	"fmt"
	"xbot/internal/user/dbsqlc"

	"xbot/internal/chat"
	"xbot/internal/pg"
)

// giveBack ends the handovers of a user who is no administrator any more: the agents of services answer again.
func giveBack(ctx context.Context, tx *pg.Tx, id chat.UserID) error {
	rows, err := dbsqlc.Q.ServiceHandoversOf(ctx, tx, int64(id))
	if err != nil {
		return fmt.Errorf("give back the conversations that user %d has taken: %w", id, err)
	}
	for _, r := range rows {
		tx.Emit(r.SessionKey, chat.EventHandover, chat.Handover{})
		tx.WakeTurn(r.SessionKey, r.Channel, "given back")
		tx.WakeTrack()
	}
	return nil
}
