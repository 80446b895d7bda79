package servicestore

import (
	"context"
	"fmt"
	"time"

	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/service/dbsqlc"
)

// Followed returns the message of a conversation whose answer continues after an event: the first one that ended later, else what runs or
// waits now. After 0 it is what runs now. 0: nothing does.
func (s *Store) Followed(ctx context.Context, key chat.SessionKey, after int64) (chat.InboxID, error) {
	id, err := dbsqlc.Q.ServiceFollowed(ctx, s.db.Pool, dbsqlc.ServiceFollowedParams{SessionKey: key, After: after})
	if err != nil {
		return 0, pg.Classify(fmt.Errorf("look what goes on in %s: %w", key, err))
	}
	return chat.InboxID(id), nil
}

// Sent is a message or a file of a consumer.
type Sent struct {
	Text  string // as they wrote it
	At    time.Time
	Files []SentFile
}

// SentFile is a file of a message of a consumer.
type SentFile struct {
	Name    string
	Size    int64            // bytes
	Path    string           // in the conversation's file system; empty: it is a picture alone
	Picture *chat.PictureRef // nil: it is none, or was not looked at yet
}

// Sent returns what a consumer sent with messages of a conversation.
func (s *Store) Sent(ctx context.Context, key chat.SessionKey, ids []chat.InboxID) (map[chat.InboxID]Sent, error) {
	plain := make([]int64, len(ids))
	for i, id := range ids {
		plain[i] = int64(id)
	}
	words, err := dbsqlc.Q.ServiceWords(ctx, s.db.Pool, dbsqlc.ServiceWordsParams{SessionKey: key, Ids: plain})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read what a consumer wrote in %s: %w", key, err))
	}
	files, err := dbsqlc.Q.ServiceFiles(ctx, s.db.Pool, dbsqlc.ServiceFilesParams{SessionKey: key, Ids: plain})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read what a consumer sent in %s: %w", key, err))
	}
	out := make(map[chat.InboxID]Sent, len(words))
	for _, w := range words {
		out[w.ID] = Sent{Text: w.Body, At: w.AcceptedAt}
	}
	for _, f := range files {
		one := out[chat.InboxID(f.InboxID)]
		one.Files = append(one.Files, SentFile{Name: f.Name, Size: f.Size, Path: f.Path, Picture: f.Picture})
		out[chat.InboxID(f.InboxID)] = one
	}
	return out, nil
}

// TurnStates returns the states of turns of a conversation.
func (s *Store) TurnStates(ctx context.Context, key chat.SessionKey, ids []chat.TurnID) (map[chat.TurnID]chat.TurnState, error) {
	plain := make([]string, len(ids))
	for i, id := range ids {
		plain[i] = string(id)
	}
	rows, err := dbsqlc.Q.ServiceTurnStates(ctx, s.db.Pool, dbsqlc.ServiceTurnStatesParams{SessionKey: key, Ids: plain})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read how turns of %s stand: %w", key, err))
	}
	out := make(map[chat.TurnID]chat.TurnState, len(rows))
	for _, r := range rows {
		out[r.ID] = r.State
	}
	return out, nil
}
