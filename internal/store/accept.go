package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/phrase"
	"xbot/internal/store/dbsqlc"
)

// Inbound is a message or a stop as a channel delivered it.
type Inbound struct {
	Session    chat.SessionKey
	User       chat.UserID
	Channel    string
	Account    string // empty where a channel has one account
	PlatformID string // unique per (channel, account, user); repeated deliveries carry the same one
	Text       string
	Control    bool // the text is a command for a turn to carry out, in its place in the queue
}

// kind returns the kind of the row.
func (in Inbound) kind() string {
	if in.Control {
		return kindControl
	}
	return kindMessage
}

// Accepted says what became of an Inbound.
type Accepted struct {
	ID        chat.InboxID
	Duplicate bool // it had been accepted before; nothing new happened
}

// MaxQueued is how many messages of a session may wait for a turn; further ones are refused (DESIGN §15). Messages that
// are accepted at the same instant may exceed it by as many.
const MaxQueued = 32

// Kinds and outcomes of inbox rows.
const (
	kindMessage    = "message"
	kindStop       = "stop"
	kindControl    = "control" // a command that waits for its place in the queue, to be carried out by a turn
	outcomeApplied = "applied"
)

// Accept commits a message. After it returns the message will be claimed by exactly one turn or end in one recorded
// outcome. The same platform id with the same text is a duplicate; with another text it is a Conflict. A full queue is
// RateLimited.
func (s *Store) Accept(ctx context.Context, in Inbound) (Accepted, error) {
	in.Text = Clean(in.Text)
	var got Accepted
	err := s.inTx(ctx, func(tx *tx) error {
		id, err := tx.insertInbox(ctx, in, in.kind(), nil, nil)
		if errors.Is(err, pgx.ErrNoRows) {
			if got, err = tx.duplicate(ctx, in, in.kind()); fault.Is(err, fault.NotFound) {
				return fault.Errorf(fault.RateLimited, "%d messages wait in this conversation already; send this one when some were answered, or stop the turn", MaxQueued)
			}
			return err
		}
		if err != nil {
			return fmt.Errorf("accept message: %w", err)
		}
		got = Accepted{ID: id}
		tx.touch = true
		tx.emit(in.Session, chat.EventQueued, chat.Queued{Inbox: id, ClientMessageID: in.PlatformID, Text: in.Text})
		return nil
	})
	return got, err
}

// Stopped says what a stop found.
type Stopped struct {
	Accepted
	Turn    chat.TurnID // the running turn it is for, empty if none ran
	Cleared int         // queued messages that will not get a turn
}

// Stop commits a stop: queued messages end as stopped at once, and the running turn, if there is one, gets a row that
// names it. The row is for that turn alone: if the turn ends first, the row goes stale and hits nothing else.
func (s *Store) Stop(ctx context.Context, in Inbound, lang phrase.Lang) (Stopped, error) {
	var got Stopped
	err := s.inTx(ctx, func(tx *tx) error {
		known, err := tx.duplicate(ctx, in, kindStop)
		if err == nil {
			got = Stopped{Accepted: known}
			return nil
		}
		if !fault.Is(err, fault.NotFound) {
			return err
		}
		cleared, err := s.q.InboxStopPending(ctx, tx, in.Session)
		if err != nil {
			return fmt.Errorf("clear queued messages: %w", err)
		}
		got.Cleared = len(cleared)
		for _, id := range cleared {
			tx.emit(in.Session, chat.EventDropped, chat.Dropped{Inbox: id, Outcome: "stopped", Text: phrase.Say(lang, phrase.StoppedQueued)})
		}
		target, outcome := (*chat.TurnID)(nil), new(outcomeApplied)
		turn, err := s.q.TurnRunning(ctx, tx, in.Session)
		if err == nil {
			got.Turn, target, outcome = turn, &turn, nil
		} else if !errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("find the running turn: %w", err)
		}
		got.ID, err = tx.insertInbox(ctx, in, kindStop, target, outcome)
		if errors.Is(err, pgx.ErrNoRows) {
			return fault.Errorf(fault.Conflict, "the id of this stop was used before")
		}
		return err
	})
	return got, err
}

// AcceptedBefore finds the message or queued command that was accepted under the same platform id. One that says
// something else is a Conflict.
func (s *Store) AcceptedBefore(ctx context.Context, in Inbound) (known Accepted, found bool, err error) {
	err = s.inTx(ctx, func(tx *tx) error {
		known, err = tx.duplicate(ctx, in, in.kind())
		return err
	})
	if fault.Is(err, fault.NotFound) {
		return Accepted{}, false, nil
	}
	return known, err == nil, err
}

func (t *tx) insertInbox(ctx context.Context, in Inbound, kind string, target *chat.TurnID, outcome *string) (chat.InboxID, error) {
	return t.q.InboxInsert(ctx, t, dbsqlc.InboxInsertParams{
		SessionKey: in.Session, UserID: in.User, Kind: kind,
		Channel: in.Channel, Account: in.Account, PlatformID: in.PlatformID,
		Body: in.Text, TargetTurn: target, Outcome: outcome, MaxQueued: MaxQueued,
	})
}

func (t *tx) duplicate(ctx context.Context, in Inbound, kind string) (Accepted, error) {
	row, err := t.q.InboxByPlatformID(ctx, t, dbsqlc.InboxByPlatformIDParams{
		Channel: in.Channel, Account: in.Account, UserID: in.User, PlatformID: in.PlatformID,
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return Accepted{}, fault.Errorf(fault.NotFound, "no such message")
	}
	if err != nil {
		return Accepted{}, fmt.Errorf("look up message id: %w", err)
	}
	if row.SessionKey != in.Session || row.Kind != kind || row.Body != in.Text {
		return Accepted{}, fault.Errorf(fault.Conflict, "message id %q was used before for another message; use a new id for a new message", in.PlatformID)
	}
	return Accepted{ID: row.ID, Duplicate: true}, nil
}
