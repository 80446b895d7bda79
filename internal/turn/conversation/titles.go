package conversation

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
	"xbot/internal/turn/quota"
)

// titledChannels are the channels whose conversations a model may give a title: each has one subject, and users find it in a list by
// its title. A conversation on a platform never ends, and is listed by its place.
var titledChannels = []string{"web", "cli", "api", "openai", "openai-user"}

// titleOpen reports whether a model may give a new conversation its title.
func (n NewSession) titleOpen() bool {
	return n.Title == "" && n.Shelf == chat.Listed && (n.ChatType == "" || n.ChatType == chat.ChatDirect) && slices.Contains(titledChannels, n.Channel)
}

// titleRoomPause is the wait before the next check whether a model may be called for a title, in milliseconds.
const titleRoomPause = 2000

// Titles sets titles of conversations that models made.
type Titles struct{ conversations *Store }

// NewTitles returns the titles of the conversations of a store.
func NewTitles(s *Store) *Titles { return &Titles{s} }

// TitleSubject returns the subject of a turn, at most most characters of each text. false: the conversation needs no title, or
// there is no text.
func (t *Titles) TitleSubject(ctx context.Context, key chat.SessionKey, turn chat.TurnID, most int) (chat.TitleSubject, bool, error) {
	db := t.conversations.db
	row, err := dbsqlc.Q.TitleSubject(ctx, db.Pool, dbsqlc.TitleSubjectParams{SessionKey: key, TurnID: &turn, Most: int32(most)})
	if errors.Is(err, pgx.ErrNoRows) {
		return chat.TitleSubject{}, false, nil
	}
	if err != nil {
		return chat.TitleSubject{}, false, pg.Classify(fmt.Errorf("read what turn %s was about: %w", turn, err))
	}
	return chat.TitleSubject{Question: row.Question, Answer: row.Answer}, true, nil
}

// TitleCapacity returns RateLimited while as many calls to models run for the tenant of a conversation as allowed.
func (t *Titles) TitleCapacity(ctx context.Context, key chat.SessionKey) error {
	most, err := t.conversations.quota.Caps(ctx)
	if err != nil {
		return err
	}
	db := t.conversations.db
	free, err := dbsqlc.Q.TitleCapacity(ctx, db.Pool, dbsqlc.TitleCapacityParams{SessionKey: key, MostPersonal: int32(most.LLM.Personal), MostGlobal: int32(most.LLM.Global)})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return fault.Errorf(fault.NotFound, "there is no session %q", key)
	case err != nil:
		return pg.Classify(fmt.Errorf("count the calls of %s: %w", key, err))
	case !free:
		return quota.Full(titleRoomPause)
	}
	return nil
}

// GiveTitle gives a conversation the title that a model made, unless it was named before; empty: it keeps its current one, for
// good. It reports whether this call set the title.
func (t *Titles) GiveTitle(ctx context.Context, key chat.SessionKey, title string) (given bool, err error) {
	db := t.conversations.db
	err = db.InTx(ctx, func(tx *pg.Tx) error {
		rows, err := dbsqlc.Q.TitleGive(ctx, tx, dbsqlc.TitleGiveParams{SessionKey: key, Title: chat.Clean(title)})
		if err != nil {
			return fmt.Errorf("give a title: %w", err)
		}
		if given = rows == 1 && title != ""; !given {
			return nil
		}
		row, err := dbsqlc.Q.SessionGet(ctx, tx, key)
		if err != nil {
			return fmt.Errorf("read session: %w", err)
		}
		tx.Emit(key, chat.EventSession, t.conversations.SessionOf(row))
		return nil
	})
	return given, err
}
