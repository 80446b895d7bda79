package notices

import (
	"context"
	"fmt"

	"xbot/internal/store/dbsqlc"
	"xbot/internal/store/pg"
)

// Topics of what is said once.
const (
	TopicDoor  = "door"  // to somebody who is not let in
	TopicCause = "cause" // to the administrator, of what keeps something from working
	TopicGroup = "group" // of a group that is not listened to, or lacks something
	TopicFiles = "files" // to a person whose files were not fetched
)

// Saying is a sentence that is said once, then at most daily.
type Saying struct {
	Topic            string
	Channel, Account string // where; empty for what has no place
	About            string // who or what
	What             string // which sentence; another one is said at once
	Asked            string // the message that it answers, said again if the platform brings that again; empty: it answers none
}

// Once reports whether a sentence is to be said, to one caller, and notes that it was.
func (s *Store) Once(ctx context.Context, say Saying) (bool, error) {
	n, err := s.db.Q.ToldOnce(ctx, s.db.Pool, dbsqlc.ToldOnceParams{
		Topic: say.Topic, Channel: say.Channel, Account: say.Account, About: pg.Clean(say.About), What: pg.Clean(say.What), Asked: pg.Clean(say.Asked),
	})
	if err == nil && n > 0 {
		err = s.db.Q.ToldOncePrune(ctx, s.db.Pool)
	}
	if err != nil {
		return false, pg.Classify(fmt.Errorf("note what was said once: %w", err))
	}
	return n > 0, nil
}
