package inbox

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
)

// WroteToTurn reports whether a user wrote one of the messages that the running turn of a conversation answers. If none runs: whether they
// wrote one of those that wait, or none waits.
func (s *Store) WroteToTurn(ctx context.Context, key chat.SessionKey, user chat.UserID) (bool, error) {
	asked, err := dbsqlc.Q.InboxMayStop(ctx, s.db.Pool, dbsqlc.InboxMayStopParams{SessionKey: key, UserID: user})
	return asked, pg.Classify(err)
}

// OthersWrote reports whether another user wrote to the bot in a conversation, on a platform.
func (s *Store) OthersWrote(ctx context.Context, key chat.SessionKey, user chat.UserID) (bool, error) {
	wrote, err := dbsqlc.Q.InboxOthersWrote(ctx, s.db.Pool, dbsqlc.InboxOthersWroteParams{SessionKey: key, UserID: user})
	return wrote, pg.Classify(err)
}
