// Package edits stores which messages users have edited or recalled on platforms after a turn had read them, and informs the model.
package edits

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
)

// maxBody limits a new text in the model's context, in bytes.
const maxBody = 8000

// Key identifies a message of a platform by a hash.
type Key []byte

// KeyOf returns the key of a message. place is the chat, or for a direct chat the user; id is the platform's.
func KeyOf(channel, account string, t chat.ChatType, place, id string) Key {
	kind := "place"
	if t == chat.ChatDirect || t == "" {
		kind = "person"
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{channel, account, kind, place, id}, "\x00")))
	return sum[:]
}

// KeyIn returns the key of a message by the address of replies to it.
func KeyIn(channel, account string, to chat.Address) Key {
	if to.ChatType == chat.ChatDirect || to.ChatType == "" {
		return KeyOf(channel, account, to.ChatType, to.Peer, to.ReplyTo)
	}
	return KeyOf(channel, account, to.ChatType, to.Chat, to.ReplyTo)
}

// Message is a message of a platform that its sender edits or recalls.
type Message struct {
	Key              Key
	Channel, Account string
	User             chat.UserID // its sender
	IDs              []string    // on the platform, of the rows that may have been made of it
}

// Store keeps recalled messages. It is safe for concurrent use.
type Store struct{ db *pg.DB }

// New returns a store over a database.
func New(db *pg.DB) *Store { return &Store{db: db} }

// IsRecalled reports whether a message was recalled within 30 days.
func (s *Store) IsRecalled(ctx context.Context, key Key) (bool, error) {
	return IsRecalled(ctx, s.db.Pool, key)
}

// IsRecalled is Store.IsRecalled on a given connection.
func IsRecalled(ctx context.Context, db pg.DBTX, key Key) (bool, error) {
	gone, err := dbsqlc.Q.AmendedIsRecalled(ctx, db, key)
	return gone, pg.Classify(err)
}

// Recall records that a message was recalled. Call it before looking for the message: a transaction that accepts it at the same time
// checks the record afterwards, so that one of the two sees the other.
func (s *Store) Recall(ctx context.Context, key Key) error {
	if _, err := dbsqlc.Q.AmendedRecall(ctx, s.db.Pool, key); err != nil {
		return pg.Classify(fmt.Errorf("note that a message was taken back: %w", err))
	}
	return pg.Classify(dbsqlc.Q.AmendedForget(ctx, s.db.Pool))
}

// RecallRead recalls a message that no longer waits. A superseded message that no turn has read stays out of the transcript. If a turn has
// read the message, the model is informed with the next message, and the turn is stopped if it answers nothing else. RecallRead
// returns false if that changes nothing, for example because the message was recalled before.
func RecallRead(ctx context.Context, t *pg.Tx, key Key, id chat.InboxID) (changed bool, err error) {
	row, err := dbsqlc.Q.AmendedOutcome(ctx, t, id)
	if err != nil {
		return false, fmt.Errorf("look what became of message %d: %w", id, err)
	}
	if n, err := dbsqlc.Q.AmendedLeaveOut(ctx, t, id); err != nil || n > 0 {
		return n > 0, err
	}
	if row.Kind != "message" || row.Outcome != "claimed" && row.Outcome != "superseded" && row.Outcome != "summarized" {
		return false, nil
	}
	n, err := dbsqlc.Q.AmendedRecallRead(ctx, t, dbsqlc.AmendedRecallReadParams{Key: key, SessionKey: string(row.SessionKey), InboxID: (*int64)(&id)})
	if err != nil {
		return false, fmt.Errorf("note who has read message %d: %w", id, err)
	}
	stopped, err := dbsqlc.Q.AmendedStop(ctx, t, id)
	if err != nil {
		return false, fmt.Errorf("stop the turn that answers message %d: %w", id, err)
	}
	for _, r := range stopped {
		t.WakeTurn(r.SessionKey, r.Channel, "recalled")
	}
	return n > 0, nil
}

// RecallOverheard records the recall of a message that came into a transcript although it was not for the bot.
func RecallOverheard(ctx context.Context, t *pg.Tx, key Key, session chat.SessionKey, sender string) (changed bool, err error) {
	n, err := dbsqlc.Q.AmendedRecallRead(ctx, t, dbsqlc.AmendedRecallReadParams{Key: key, SessionKey: string(session), Sender: chat.Clean(sender)})
	return n > 0, err
}

// EditRead records the new text of a message that a turn has read. It reports false for one that no turn has read, that was recalled, or
// that has this text already.
func EditRead(ctx context.Context, t *pg.Tx, key Key, id chat.InboxID, text string) (changed bool, err error) {
	n, err := dbsqlc.Q.AmendedEdit(ctx, t, dbsqlc.AmendedEditParams{Key: key, InboxID: id, Body: chat.Clean(text)})
	if err != nil {
		return false, fmt.Errorf("note the new text of message %d: %w", id, err)
	}
	return n > 0, nil
}

// ChangesForModel returns the changes that the model reads before the next message of a conversation; empty: nothing was changed. Each change is
// reported once, with the message of that turn.
func ChangesForModel(ctx context.Context, t *pg.Tx, key chat.SessionKey, turn chat.TurnID, zone *time.Location) (string, error) {
	rows, err := dbsqlc.Q.AmendedTake(ctx, t, dbsqlc.AmendedTakeParams{SessionKey: string(key), Turn: string(turn)})
	if err != nil {
		return "", fmt.Errorf("look what people changed: %w", err)
	}
	var b strings.Builder
	for _, r := range rows {
		b.WriteString("\n" + line(r, zone))
	}
	return b.String(), nil
}

// line returns the model's line about one message. Names and texts of users cannot end it.
func line(r dbsqlc.AmendedTakeRow, zone *time.Location) string {
	who, which := "The person", "a message of the chat that was not for you"
	if r.Name != "" {
		who = strings.NewReplacer("[", "(", "]", ")", "\n", " ").Replace(r.Name)
	}
	if r.AcceptedAt != nil {
		which = "the message of " + r.AcceptedAt.In(zone).Format("2006-01-02 Mon 15:04")
	}
	if r.Kind == "recalled" {
		return fmt.Sprintf("[%s took back %s: do not quote or repeat it, and do nothing more for it]", who, which)
	}
	text := strings.ReplaceAll(shorten(strings.TrimSpace(r.Body)), "\n", "\n  ")
	return fmt.Sprintf("[%s changed %s after you had read it. It now reads:]\n  %s\n[End of the changed message]", who, which, text)
}

func shorten(text string) string {
	if len(text) <= maxBody {
		return text
	}
	return strings.ToValidUTF8(text[:maxBody], "") + " …"
}

// Returned ends the messages that a turn gave back to the queue although they were recalled in the meantime, and returns them.
func Returned(ctx context.Context, t *pg.Tx, session chat.SessionKey) ([]dbsqlc.AmendedReturnedRow, error) {
	rows, err := dbsqlc.Q.AmendedReturned(ctx, t, session)
	if err != nil {
		return nil, fmt.Errorf("look what was taken back: %w", err)
	}
	return rows, nil
}

// Untell makes ChangesForModel report the changes of a turn again. Call it when the turn returns its messages to the queue.
func Untell(ctx context.Context, t *pg.Tx, turn chat.TurnID) error {
	if err := dbsqlc.Q.AmendedUntell(ctx, t, string(turn)); err != nil {
		return fmt.Errorf("tell again what people changed: %w", err)
	}
	return nil
}

// EndedTurn reports whether a turn had only recalled messages to answer.
func EndedTurn(ctx context.Context, db pg.DBTX, turn chat.TurnID) (bool, error) {
	ended, err := dbsqlc.Q.AmendedTurn(ctx, db, string(turn))
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return ended, pg.Classify(err)
}
