// Package groupmessages stores messages of groups that do not address the bot, until one that does brings them into the transcript.
package groupmessages

import (
	"context"
	"fmt"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/dbsqlc"
	"xbot/internal/user/users"
)

const (
	// maxOverheard limits the stored text of one message, in bytes.
	maxOverheard = 4000
	// rememberOverheard is how long a message is recognized after it came into the transcript, so that a repeated delivery
	// is not stored as a new one. It is that of OverheardForget.
	rememberOverheard = 30 * 24 * time.Hour
)

// overheardHead precedes the group messages that did not address the bot.
const overheardHead = "[Chat messages since your last reply, for context]"

// Message is a message in a group that does not address the bot.
type Message struct {
	Session    chat.SessionKey
	Channel    string
	Account    string
	PlatformID string
	Sender     string // empty if the model gets no names
	Text       string
	SentAt     time.Time
}

// Store keeps messages that do not address the bot.
type Store struct{ db *pg.DB }

// New returns a store over a database.
func New(db *pg.DB) *Store { return &Store{db: db} }

// Overhear stores a message as context for the next one that addresses the bot, the newest limit ones of a session. kept is
// false for a message that is known already, even if it is in the transcript by now.
func (s *Store) Overhear(ctx context.Context, o Message, limit int) (kept bool, err error) {
	if limit <= 0 || time.Since(o.SentAt) > rememberOverheard {
		return false, nil
	}
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		n, err := dbsqlc.Q.OverheardAdd(ctx, tx, dbsqlc.OverheardAddParams{
			SessionKey: string(o.Session), Channel: o.Channel, Account: o.Account, PlatformID: o.PlatformID,
			Sender: users.CleanName(o.Sender), Body: shorten(chat.Clean(o.Text), maxOverheard), SentAt: o.SentAt,
		})
		if kept = n == 1; err != nil || !kept {
			return err
		}
		if err := dbsqlc.Q.OverheardTrim(ctx, tx, dbsqlc.OverheardTrimParams{SessionKey: o.Session, Keep: int32(limit)}); err != nil {
			return fmt.Errorf("keep the newest: %w", err)
		}
		return dbsqlc.Q.OverheardForget(ctx, tx, o.Session)
	})
	return kept, err
}

// OverheardBefore reports whether a message was stored within the last 30 days.
func (s *Store) OverheardBefore(ctx context.Context, o Message) (bool, error) {
	known, err := dbsqlc.Q.OverheardKnown(ctx, s.db.Pool, dbsqlc.OverheardKnownParams{Channel: o.Channel, Account: o.Account, SessionKey: o.Session, PlatformID: o.PlatformID})
	return known, pg.Classify(err)
}

// EditOverheard changes the text of a stored message. It reports false once it has come into the transcript, and if it
// was not stored.
func (s *Store) EditOverheard(ctx context.Context, o Message) (bool, error) {
	n, err := dbsqlc.Q.OverheardEdit(ctx, s.db.Pool, dbsqlc.OverheardEditParams{
		Channel: o.Channel, Account: o.Account, SessionKey: o.Session, PlatformID: o.PlatformID, Body: shorten(chat.Clean(o.Text), maxOverheard),
	})
	return n == 1, pg.Classify(err)
}

// RecallOverheard deletes a stored message. It reports false as EditOverheard does.
func (s *Store) RecallOverheard(ctx context.Context, o Message) (bool, error) {
	n, err := dbsqlc.Q.OverheardRecall(ctx, s.db.Pool, dbsqlc.OverheardRecallParams{Channel: o.Channel, Account: o.Account, SessionKey: o.Session, PlatformID: o.PlatformID})
	return n == 1, pg.Classify(err)
}

// Append moves the messages stored before a claimed message into the transcript, as one message before it. The
// texts are deleted from their table in the same transaction.
func Append(ctx context.Context, t *pg.Tx, key chat.SessionKey, turn chat.TurnID, before chat.InboxID) error {
	rows, err := dbsqlc.Q.OverheardTake(ctx, t, dbsqlc.OverheardTakeParams{SessionKey: key, Before: before})
	if err != nil {
		return fmt.Errorf("take what was overheard: %w", err)
	}
	if len(rows) == 0 {
		return nil
	}
	lines := make([]string, len(rows)+1)
	lines[0] = overheardHead
	for i, r := range rows {
		lines[i+1] = overheardLine(r.Sender, r.Body)
	}
	m := chat.Message{Session: key, Turn: turn, Role: chat.RoleUser, Origin: chat.OriginOverheard, Content: strings.Join(lines, "\n")}
	return conversation.AppendMessage(ctx, t, &m, "")
}

// overheardLine returns the line of one message. Its further lines are indented, so that a text cannot look like a message of
// another sender.
func overheardLine(sender, body string) string {
	body = strings.ReplaceAll(strings.TrimSpace(body), "\n", "\n  ")
	if sender == "" {
		return "- " + body
	}
	return sender + ": " + body
}

// shorten cuts a text at a rune within n bytes and marks the cut.
func shorten(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + " …"
}
