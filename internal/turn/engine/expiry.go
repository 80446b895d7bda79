package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/dbsqlc"
	"xbot/internal/user/users"
)

// expiredReason returns why the conversation had expired before a message. It takes a lock only if the conversation can expire:
// of two messages at the same time the second then sees the first.
func expiredReason(ctx context.Context, t *pg.Tx, in NewRow) (string, error) {
	if in.Expired == nil {
		return "", nil
	}
	if err := dbsqlc.Q.QueueLock(ctx, t, string(in.Session)); err != nil {
		return "", fmt.Errorf("lock the queue: %w", err)
	}
	last, err := dbsqlc.Q.SessionLastInteraction(ctx, t, in.Session)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", deleted(in.Session)
	}
	if err != nil {
		return "", fmt.Errorf("read when a person last wrote: %w", err)
	}
	return in.Expired(last), nil
}

// noteExpired stores with a command that the conversation had expired before it: the command counts as an interaction, so
// the next message could not detect it. Call it last, since it holds the lock of the queue.
func noteExpired(ctx context.Context, t *pg.Tx, in NewRow, id chat.InboxID) error {
	reason, err := expiredReason(ctx, t, in)
	if err != nil || reason == "" {
		return err
	}
	if err := dbsqlc.Q.ResetNote(ctx, t, dbsqlc.ResetNoteParams{ID: id, Reset: reason}); err != nil {
		return fmt.Errorf("note the end of the conversation: %w", err)
	}
	return nil
}

// expire starts the context over before a claimed message, if the conversation had expired when that one or an earlier one was
// accepted, and shows the reason. Repeated for the same message, it changes nothing.
func (s *Store) expire(ctx context.Context, tx *pg.Tx, key chat.SessionKey, row claimed) error {
	if row.Kind != kindMessage && row.Reset == "" {
		return nil
	}
	due, err := dbsqlc.Q.ResetDue(ctx, tx, dbsqlc.ResetDueParams{SessionKey: key, Upto: chat.InboxID(row.ID)})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look whether the conversation has ended: %w", err)
	}
	newest, err := dbsqlc.Q.ResetNewest(ctx, tx, key)
	if err != nil {
		return fmt.Errorf("look for what the model sees: %w", err)
	}
	if newest.Seen && due.Reset != chat.ResetRun {
		if err := s.tellExpired(ctx, tx, key, row, due); err != nil {
			return err
		}
	}
	return s.stores.Conversations.BeginAnew(ctx, tx, conversation.Reset{Key: key, Once: conversation.ResetKey(chat.InboxID(row.ID)), Reason: due.Reset})
}

// tellExpired shows a divider. It belongs to no turn, so that it stays if the claim is released.
func (s *Store) tellExpired(ctx context.Context, tx *pg.Tx, key chat.SessionKey, row claimed, due dbsqlc.ResetDueRow) error {
	lang, err := users.LanguageOf(ctx, tx, row.UserID, key, row.Body)
	if err != nil {
		return err
	}
	zone, err := users.ZoneOf(ctx, tx, row.UserID, s.stores.Quota.Zones())
	if err != nil {
		return err
	}
	say := i18n.ResetIdle
	if due.Reset == chat.ResetDaily {
		say = i18n.ResetDaily
	}
	divider := chat.Message{
		Session: key, Role: chat.RoleNotice, Origin: chat.OriginReset, Content: i18n.Say(lang, say, due.Last.In(zone).Format(minuteIn)+zone.String()),
	}
	return conversation.AppendMessage(ctx, tx, &divider, "")
}

// minuteIn is the format of times in notices, before the name of the timezone.
const minuteIn = "2006-01-02 15:04 "

// originOf returns the origin of a user's message.
func originOf(options json.RawMessage) string {
	var said chat.Options
	if json.Unmarshal(options, &said) == nil && said.Continue { // we wrote it; invalid options have no effect
		return chat.OriginContinue
	}
	if said.Client != nil && said.Client.Wordless {
		return chat.OriginClient
	}
	return ""
}
