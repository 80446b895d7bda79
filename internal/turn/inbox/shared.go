package inbox

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
)

// AskedTurn reports whether somebody wrote one of the messages that the running turn of a conversation answers; where none runs, one of those
// that wait, unless none does.
func (s *Store) AskedTurn(ctx context.Context, key chat.SessionKey, user chat.UserID) (bool, error) {
	asked, err := dbsqlc.Q.InboxMayStop(ctx, s.db.Pool, dbsqlc.InboxMayStopParams{SessionKey: key, UserID: user})
	return asked, pg.Classify(err)
}

// OthersWrote reports whether anybody else wrote to the bot in a conversation, on a platform.
func (s *Store) OthersWrote(ctx context.Context, key chat.SessionKey, user chat.UserID) (bool, error) {
	wrote, err := dbsqlc.Q.InboxOthersWrote(ctx, s.db.Pool, dbsqlc.InboxOthersWroteParams{SessionKey: key, UserID: user})
	return wrote, pg.Classify(err)
}
