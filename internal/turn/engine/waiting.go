package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
	"xbot/internal/turn/edits"
	"xbot/internal/turn/groupmessages"
)

// Amendments changes messages of platforms, queued or read.
type Amendments struct{ Store *Store }

// RecallDelivered recalls a message of a platform: a queued one ends, one that a turn has read goes to edits.RecallRead. It reports
// false if the message is unknown, or was recalled before.
func (a Amendments) RecallDelivered(ctx context.Context, m edits.Message) (changed bool, err error) {
	err = a.Store.db.InTx(ctx, func(tx *pg.Tx) error {
		changed = false
		for _, id := range m.IDs {
			row, err := findDelivered(ctx, tx, m.Channel, m.Account, m.User, id)
			if fault.Is(err, fault.NotFound) {
				continue
			}
			if err != nil {
				return err
			}
			one, err := recallQueued(ctx, tx, row.ID)
			if err == nil && !one {
				one, err = edits.RecallRead(ctx, tx, m.Key, row.ID)
			}
			if err != nil {
				return err
			}
			changed = changed || one
		}
		return nil
	})
	return changed, err
}

// EditDelivered changes the text of a message of a platform: of a queued one before it is read, of one that a turn has read by
// edits.EditRead. It returns NotFound if there is no such message.
func (a Amendments) EditDelivered(ctx context.Context, m edits.Message, text string) (changed bool, err error) {
	err = a.Store.db.InTx(ctx, func(tx *pg.Tx) error {
		row, err := findDelivered(ctx, tx, m.Channel, m.Account, m.User, m.IDs[0])
		if err != nil {
			return err
		}
		if changed, err = editQueued(ctx, tx, row.ID, text); err == nil && !changed {
			changed, err = edits.EditRead(ctx, tx, m.Key, row.ID, text)
		}
		return err
	})
	return changed, err
}

// RecallOverheard recalls a message that was not for the bot: it deletes one that waits to be read, and informs the model of one it has read.
func (a Amendments) RecallOverheard(ctx context.Context, key edits.Key, o groupmessages.Message) (changed bool, err error) {
	if changed, err = a.Store.stores.GroupMessages.RecallOverheard(ctx, o); err != nil || changed {
		return changed, err
	}
	known, err := a.Store.stores.GroupMessages.OverheardBefore(ctx, o)
	if err != nil || !known {
		return false, err
	}
	err = a.Store.db.InTx(ctx, func(tx *pg.Tx) error {
		changed, err = edits.RecallOverheard(ctx, tx, key, o.Session, o.Sender)
		return err
	})
	return changed, err
}

// EditWaiting changes the text of a queued message of a session. It is a Conflict once a turn has claimed it.
func (s *Store) EditWaiting(ctx context.Context, key chat.SessionKey, id chat.InboxID, text string) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		row, err := findWaiting(ctx, tx, key, id)
		if err != nil {
			return err
		}
		if row.Kind == kindControl {
			return fault.Errorf(fault.Conflict, "a command cannot be changed while it waits; take it back and send another one")
		}
		changed, err := editQueued(ctx, tx, id, text)
		if err == nil && !changed {
			return tooLate
		}
		return err
	})
}

// RecallWaiting recalls a queued message or command of a session. It is a Conflict once a turn has
// claimed it.
func (s *Store) RecallWaiting(ctx context.Context, key chat.SessionKey, id chat.InboxID) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if _, err := findWaiting(ctx, tx, key, id); err != nil {
			return err
		}
		changed, err := recallQueued(ctx, tx, id)
		if err == nil && !changed {
			return tooLate
		}
		return err
	})
}

// tooLate is the error for a message that does not wait any more.
var tooLate = fault.Errorf(fault.Conflict, "the message does not wait any more, so it cannot be changed or taken back; stop the turn or send another message")

func findDelivered(ctx context.Context, t *pg.Tx, channel, account string, user chat.UserID, platformID string) (dbsqlc.InboxByPlatformIDRow, error) {
	row, err := dbsqlc.Q.InboxByPlatformID(ctx, t, dbsqlc.InboxByPlatformIDParams{Channel: channel, Account: account, UserID: user, PlatformID: platformID})
	if errors.Is(err, pgx.ErrNoRows) {
		return row, fault.Errorf(fault.NotFound, "there is no message %q", platformID)
	}
	if err != nil {
		return row, fmt.Errorf("look up message id: %w", err)
	}
	return row, nil
}

// findWaiting finds a message or command of a session that may still wait.
func findWaiting(ctx context.Context, t *pg.Tx, key chat.SessionKey, id chat.InboxID) (dbsqlc.QueueFindRow, error) {
	row, err := dbsqlc.Q.QueueFind(ctx, t, dbsqlc.QueueFindParams{ID: id, SessionKey: key})
	if errors.Is(err, pgx.ErrNoRows) || err == nil && row.Kind != kindMessage && row.Kind != kindControl {
		return row, fault.Errorf(fault.NotFound, "there is no message %d in this conversation", id)
	}
	if err != nil {
		return row, fmt.Errorf("look up message %d: %w", id, err)
	}
	return row, nil
}

// editQueued changes a queued message and emits its new text under the same id.
func editQueued(ctx context.Context, t *pg.Tx, id chat.InboxID, text string) (bool, error) {
	r, err := dbsqlc.Q.QueueEdit(ctx, t, dbsqlc.QueueEditParams{ID: id, Body: chat.Clean(text)})
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("change message %d: %w", id, err)
	}
	t.Touch()
	t.Emit(r.SessionKey, chat.EventQueued, chat.Queued{
		Inbox: id, ClientMessageID: r.PlatformID, Text: r.Body, Mode: r.Mode, Sender: r.Sender, Throttled: r.Throttled,
	})
	return true, nil
}

// recallQueued ends a queued message. The messages that it had superseded stay out of the queue, and get into the transcript with
// another message.
func recallQueued(ctx context.Context, t *pg.Tx, id chat.InboxID) (bool, error) {
	r, err := dbsqlc.Q.QueueEnd(ctx, t, dbsqlc.QueueEndParams{ID: id, Outcome: outcomeRecalled})
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("take message %d back: %w", id, err)
	}
	var got Accepted
	if err := dropQueued(ctx, t, r.SessionKey, &got, id, r.Body, outcomeRecalled, i18n.Recalled); err != nil {
		return false, err
	}
	return true, disownQueued(ctx, t, id, false)
}

// SetQueue sets how messages wait in a session; empty members follow the policy.
func (s *Store) SetQueue(ctx context.Context, key chat.SessionKey, q chat.Queue) error {
	body, err := json.Marshal(q)
	if err != nil {
		return fmt.Errorf("encode queue: %w", err)
	}
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		n, err := dbsqlc.Q.SessionSetQueue(ctx, tx, dbsqlc.SessionSetQueueParams{Key: key, Queue: body})
		if err != nil {
			return fmt.Errorf("set queue: %w", err)
		}
		if n == 0 {
			return fault.Errorf(fault.NotFound, "there is no session %q", key)
		}
		row, err := dbsqlc.Q.SessionGet(ctx, tx, key)
		if err != nil {
			return fmt.Errorf("read session: %w", err)
		}
		tx.Emit(key, chat.EventSession, s.stores.Conversations.SessionOf(row))
		return nil
	})
}
