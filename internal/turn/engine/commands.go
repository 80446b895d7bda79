package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/dbsqlc"
)

// kindCommand is the kind of an inbox row that is no message to the model: a slash or bang command.
const kindCommand = "command"

// Command commits a slash command with its answer: the inbox row, which is applied at once, the user's text, and the
// answer as a notice, both of them for display only. The same platform id with the same text is a duplicate, for which
// answer is not called; with another text it is a Conflict. Sent twice at the same instant, the second waits for the first.
// If answer fails nothing is committed, so answer must be safe to repeat. It runs inside the transaction, on a separate
// connection: callers limit how many run at once.
func (s *Store) Command(ctx context.Context, in NewRow, answer func(context.Context) (string, error)) (Accepted, error) {
	in.Text = chat.Clean(in.Text)
	var got Accepted
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		id, err := insertInbox(ctx, tx, in, kindCommand, nil, new(outcomeApplied))
		if errors.Is(err, pgx.ErrNoRows) {
			got, err = findDuplicate(ctx, tx, in, kindCommand)
			return err
		}
		if err != nil {
			return fmt.Errorf("accept command: %w", err)
		}
		got = Accepted{ID: id}
		asked := chat.Message{
			Session: in.Session, Role: chat.RoleUser, Origin: chat.OriginCommand, Content: in.Text, Inbox: id, ClientMessageID: in.PlatformID,
		}
		if err := conversation.AppendMessage(ctx, tx, &asked, ""); err != nil {
			return err
		}
		said, err := answer(ctx)
		if err != nil {
			return err
		}
		notice := chat.Message{Session: in.Session, Role: chat.RoleNotice, Origin: chat.OriginCommand, Content: chat.Clean(said), Inbox: id}
		tx.Touch()
		if err := conversation.AppendMessage(ctx, tx, &notice, ""); err != nil {
			return err
		}
		return noteExpired(ctx, tx, in, id)
	})
	return got, err
}

// Delivered is a message that was accepted before.
type Delivered struct {
	Inbox   chat.InboxID
	Session chat.SessionKey
	Answer  string // of a command that was carried out at once
}

// Delivered finds what was accepted under a platform's id before, in any session and with any text: a platform may have changed
// a message that it delivers again, and the policy may route it elsewhere now.
func (s *Store) Delivered(ctx context.Context, in NewRow) (known Delivered, ok bool, err error) {
	row, err := dbsqlc.Q.InboxDelivered(ctx, s.db.Pool, dbsqlc.InboxDeliveredParams{Channel: in.Channel, Account: in.Account, UserID: in.User, PlatformID: in.PlatformID})
	if errors.Is(err, pgx.ErrNoRows) {
		return Delivered{}, false, nil
	}
	if err != nil {
		return Delivered{}, false, pg.Classify(fmt.Errorf("look up message id: %w", err))
	}
	known = Delivered{Inbox: row.ID, Session: row.SessionKey}
	if row.Kind == kindCommand {
		known.Answer, err = s.CommandAnswer(ctx, row.ID)
	}
	return known, err == nil, err
}

// CommandAnswer returns the answer to a command; empty if it has none yet.
func (s *Store) CommandAnswer(ctx context.Context, id chat.InboxID) (string, error) {
	said, err := dbsqlc.Q.CommandAnswer(ctx, s.db.Pool, &id)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return said, pg.Classify(err)
}

// maxRefused limits the stored text of a refused message, in characters: enough to recognize it.
const maxRefused = 400

// Of the messages of a user that a full queue refuses, refusalsTold are answered per refusalsWhile; more are only counted.
const (
	refusalsTold  = 20
	refusalsWhile = time.Minute
)

// Refusals records which messages of platforms were refused.
type Refusals struct{ Store *Store }

// Refusal is the reason for refusing a message.
type Refusal struct {
	Say string // the answer to its sender
	// Flood marks a reason that may refuse very many messages: of each sender and conversation some a minute are stored and answered, the
	// last with a sentence in Lang that there will be no more. The others are only counted; the next answer has their number.
	Flood bool
	Lang  i18n.Lang
}

// Refuse records that a message of a platform was refused. The answer is delivered like a reply, and the platform's id finds it when the
// message is delivered again (Delivered). One that was only counted is a new message then. kept is false, and nothing is written, if no
// bot of this installation received it, or something else was accepted under its id: then the caller has to send the answer.
func (r Refusals) Refuse(ctx context.Context, in NewRow, why Refusal) (said string, kept bool, err error) {
	in.Text, why.Say = chat.FirstWords(chat.Clean(in.Text), maxRefused), chat.Clean(why.Say)
	err = r.Store.db.InTx(ctx, func(tx *pg.Tx) error {
		if known, err := dbsqlc.Q.ChannelAccountExists(ctx, tx, dbsqlc.ChannelAccountExistsParams{Channel: in.Channel, Account: in.Account}); err != nil || !known {
			return err
		}
		said, kept = why.Say, true
		if why.Flood {
			told, err := refusedInTurn(ctx, tx, in, why)
			if err != nil || told == "" {
				said = ""
				return err
			}
			said = told
		}
		id, err := insertInbox(ctx, tx, in, kindCommand, nil, new(outcomeApplied))
		if errors.Is(err, pgx.ErrNoRows) {
			kept, err = refusedBefore(ctx, tx, in, why.Say)
			return err
		}
		if err != nil {
			return fmt.Errorf("keep that a message was refused: %w", err)
		}
		notice := chat.Message{Session: in.Session, Role: chat.RoleNotice, Origin: chat.OriginCommand, Content: said, Inbox: id}
		return conversation.AppendMessage(ctx, tx, &notice, "")
	})
	return said, kept && err == nil, err
}

// refusedInTurn counts a message that a full queue refused, and returns the answer; empty if it is only counted.
func refusedInTurn(ctx context.Context, tx *pg.Tx, in NewRow, why Refusal) (string, error) {
	if err := dbsqlc.Q.RefusalLock(ctx, tx, dbsqlc.RefusalLockParams{SessionKey: string(in.Session), UserID: int64(in.User)}); err != nil {
		return "", fmt.Errorf("lock what was refused: %w", err)
	}
	_, err := dbsqlc.Q.InboxDelivered(ctx, tx, dbsqlc.InboxDeliveredParams{Channel: in.Channel, Account: in.Account, UserID: in.User, PlatformID: in.PlatformID})
	if err == nil {
		return why.Say, nil // another process was first
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return "", fmt.Errorf("look whether a message was refused: %w", err)
	}
	next, err := dbsqlc.Q.RefusalNext(ctx, tx, dbsqlc.RefusalNextParams{SessionKey: in.Session, UserID: in.User, Pause: pg.Interval(refusalsWhile), Most: refusalsTold})
	if err != nil || !next.Say {
		return "", err
	}
	switch {
	case next.Last:
		return why.Say + "\n\n" + i18n.Say(why.Lang, i18n.QueueFullLast), nil
	case next.Unsaid > 0:
		return why.Say + "\n\n" + i18n.Say(why.Lang, i18n.QueueUnsaid, next.Unsaid), nil
	}
	return why.Say, nil
}

// refusedBefore reports whether the message got the same answer before: two processes may refuse it at the same time.
func refusedBefore(ctx context.Context, tx *pg.Tx, in NewRow, say string) (bool, error) {
	row, err := dbsqlc.Q.InboxDelivered(ctx, tx, dbsqlc.InboxDeliveredParams{Channel: in.Channel, Account: in.Account, UserID: in.User, PlatformID: in.PlatformID})
	if err != nil {
		return false, err
	}
	said, err := dbsqlc.Q.CommandAnswer(ctx, tx, &row.ID)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return strings.HasPrefix(said, say), err
}
