package triggerstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/automation/dbsqlc"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/inbox"
	"xbot/internal/turn/session"
	"xbot/internal/user/users"
)

// Delivery is an authentic call of a trigger.
type Delivery struct {
	Trigger string
	Key     string // of the delivery, unique for its trigger; the same key is the same call at any distance in time
	Event   string
	Bytes   int
	Text    string // message for the conversation
	Note    string // message for its owner
}

// Called is the result of a delivery.
type Called struct {
	Session   chat.SessionKey
	Duplicate bool // it came before, and nothing new happened
}

// callsWindow is the time over which the calls of a trigger are counted.
const callsWindow = time.Minute

// CallTrigger accepts an authentic call: it writes its row and its message to the conversation in one transaction. A repeated call finds
// the existing row, even if the trigger is off by now. Calls of one trigger are serialized, so that all replicas together respect its
// limit. It returns NotFound if the trigger is gone, and Conflict if it is off, or its conversation is gone. RateLimited has the time to retry.
func (s *Store) CallTrigger(ctx context.Context, d Delivery) (out Called, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		row, err := dbsqlc.Q.TriggerLock(ctx, tx, d.Trigger)
		if errors.Is(err, pgx.ErrNoRows) {
			return noTrigger()
		}
		if err != nil {
			return fmt.Errorf("lock trigger: %w", err)
		}
		out.Session = row.SessionKey
		n, err := dbsqlc.Q.TriggerRepeated(ctx, tx, dbsqlc.TriggerRepeatedParams{TriggerID: d.Trigger, Key: d.Key})
		if err != nil || n > 0 {
			out.Duplicate = n > 0
			return err
		}
		if !row.Enabled {
			return fault.Errorf(fault.Conflict, "this trigger is switched off")
		}
		if out, err := users.Disabled(ctx, tx, row.UserID); err != nil {
			return err
		} else if out {
			return fault.Errorf(fault.Conflict, "the account of this trigger's owner is disabled")
		}
		if err := withinRate(ctx, tx, row); err != nil {
			return err
		}
		return s.tellCalled(ctx, tx, row, d)
	})
	return out, err
}

func withinRate(ctx context.Context, t *pg.Tx, row dbsqlc.Trigger) error {
	ago, err := dbsqlc.Q.TriggerNth(ctx, t, dbsqlc.TriggerNthParams{TriggerID: row.ID, N: row.PerMinute})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil // there were not so many yet
	}
	if err != nil {
		return fmt.Errorf("count calls: %w", err)
	}
	if wait := callsWindow - time.Duration(ago)*time.Millisecond; wait > 0 {
		return fault.Limited(wait, "this trigger accepts %d calls in a minute", row.PerMinute)
	}
	return nil
}

func (s *Store) tellCalled(ctx context.Context, tx *pg.Tx, row dbsqlc.Trigger, d Delivery) error {
	to, err := s.answersIn(ctx, tx, row)
	if err != nil {
		return err
	}
	if err := s.calledSession(ctx, tx, row, to); err != nil {
		return err
	}
	told := chat.InternalMessage{Session: row.SessionKey, Key: d.Trigger + "/" + d.Key, Origin: chat.OriginHook, Text: d.Text, To: to}
	id, err := inbox.PostRow(ctx, tx, told, "")
	if err != nil {
		return err
	}
	if err := dbsqlc.Q.TriggerDelivered(ctx, tx, dbsqlc.TriggerDeliveredParams{
		TriggerID: d.Trigger, Key: d.Key, Event: chat.Clean(d.Event), Bytes: int32(d.Bytes), Note: chat.Clean(d.Note), InboxID: int64(id),
	}); err != nil {
		return fmt.Errorf("note delivery: %w", err)
	}
	tx.WakeTurn(row.SessionKey, chat.OriginHook, "hook "+row.Name)
	return dbsqlc.Q.TriggerFired(ctx, tx, d.Trigger)
}

// answersIn returns the address of replies on a platform, or nil if there is none. A conversation that is not its owner's any more gets none.
func (s *Store) answersIn(ctx context.Context, tx *pg.Tx, row dbsqlc.Trigger) (*chat.Address, error) {
	key := cmp.Or(row.AnswerIn, row.SessionKey)
	owner, err := dbsqlc.Q.TriggerSessionOwner(ctx, tx, key)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && owner != row.UserID {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for the conversation that is answered in: %w", err)
	}
	return inbox.CurrentAddress(ctx, tx, key)
}

// calledSession checks that the conversation of a trigger exists and belongs to its owner. A separate one of the trigger is created, on
// the channel that its replies are for.
func (s *Store) calledSession(ctx context.Context, tx *pg.Tx, row dbsqlc.Trigger, to *chat.Address) error {
	if row.SessionKey == hookConversation(row.ID) {
		origin := chat.Origin{Label: row.Name, Provider: "hook"}
		if to != nil {
			origin.Provider, origin.Account = to.Channel, to.Account
		}
		if _, err := conversation.Create(ctx, tx, conversation.NewSession{
			Key: row.SessionKey, Owner: row.UserID, Channel: origin.Provider, Title: row.Name, Agent: session.DefaultAgent, ChatType: chat.ChatHook, Origin: origin,
		}); err != nil {
			return fmt.Errorf("make the conversation of a trigger: %w", err)
		}
	}
	owner, err := dbsqlc.Q.TriggerSessionOwner(ctx, tx, row.SessionKey)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && owner != row.UserID {
		return fault.Errorf(fault.Conflict, "the conversation of this trigger is gone; its owner has to choose another one")
	}
	return err
}

// hookConversation returns the key of the conversation of a trigger.
func hookConversation(id string) chat.SessionKey {
	return session.Key{Kind: session.KindHook, ID: id}.String()
}

// TriggerRefused stores for the owner of a trigger why a call was refused, at most once in a second.
func (s *Store) TriggerRefused(ctx context.Context, id, why string) error {
	return pg.Classify(dbsqlc.Q.TriggerRefused(ctx, s.db.Pool, dbsqlc.TriggerRefusedParams{ID: id, Why: chat.Clean(why)}))
}

// TriggerFires lists the newest calls of a trigger that were accepted, the newest first. It returns NotFound if the user has no such trigger.
func (s *Store) TriggerFires(ctx context.Context, user chat.UserID, id string, limit int) ([]chat.Fire, error) {
	t, err := s.Trigger(ctx, id)
	if err != nil {
		return nil, err
	}
	if t.Owner != user {
		return nil, noTrigger()
	}
	rows, err := dbsqlc.Q.TriggerDeliveries(ctx, s.db.Pool, dbsqlc.TriggerDeliveriesParams{TriggerID: id, N: int32(limit)})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list calls: %w", err))
	}
	out := make([]chat.Fire, len(rows))
	for i, r := range rows {
		out[i] = chat.Fire{
			Delivery: r.Key, At: r.ReceivedAt, Event: r.Event, Bytes: int(r.Bytes), Repeats: int(r.Repeats), Note: r.Note,
			Session: chat.SessionKey(r.SessionKey), Turn: chat.TurnID(r.TurnID), Outcome: fireOutcome(r),
		}
	}
	return out, nil
}

func fireOutcome(r dbsqlc.TriggerDeliveriesRow) string {
	switch {
	case r.SessionKey == "":
		return "gone"
	case r.State == "" && r.Outcome == "stopped":
		return "stopped"
	case r.State == string(chat.TurnLost):
		return string(chat.TurnFailed)
	}
	return cmp.Or(r.State, "waiting")
}
