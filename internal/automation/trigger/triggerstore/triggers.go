package triggerstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/automation/dbsqlc"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/secret/secretstore"
	"xbot/internal/turn/inbox"
)

// MaxTriggers limits the triggers of a user.
const MaxTriggers = 100

// OwnedTrigger is a trigger with its internal fields.
type OwnedTrigger struct {
	chat.Trigger

	Owner  chat.UserID
	Secret []byte // sealed
	MadeBy string // the request that made it, such as a tool call; empty: a user
}

// AddTrigger stores a new trigger. A repeated tool call finds the trigger that it made. It returns Conflict if the owner has one of that
// name, or the maximum.
func (s *Store) AddTrigger(ctx context.Context, t OwnedTrigger) (chat.Trigger, error) {
	var made dbsqlc.Trigger
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := dbsqlc.Q.TriggerOwnerLock(ctx, tx, t.Owner); err != nil {
			return fmt.Errorf("lock the owner: %w", err)
		}
		known, err := dbsqlc.Q.TriggerFind(ctx, tx, dbsqlc.TriggerFindParams{UserID: t.Owner, Word: t.Name})
		switch {
		case err == nil && t.MadeBy != "" && known.MadeBy == t.MadeBy:
			made = known
			return nil
		case err == nil:
			return triggerNameTaken(t.Name)
		case !errors.Is(err, pgx.ErrNoRows):
			return fmt.Errorf("look for the name: %w", err)
		}
		n, err := dbsqlc.Q.TriggerCount(ctx, tx, t.Owner)
		if err != nil {
			return fmt.Errorf("count triggers: %w", err)
		}
		if n >= MaxTriggers {
			return fault.Errorf(fault.Conflict, "you have %d triggers, which is as many as there may be; remove one first", n)
		}
		if err := secretstore.NoteKey(ctx, tx, t.Secret); err != nil {
			return err
		}
		if _, err := dbsqlc.Q.TriggerAdd(ctx, tx, dbsqlc.TriggerAddParams{
			ID: t.ID, UserID: t.Owner, Name: chat.Clean(t.Name), Source: t.Source, Secret: t.Secret, SessionKey: t.Session, AnswerIn: t.AnswerIn,
			Template: chat.Clean(t.Template), OneShot: t.OneShot, PerMinute: int32(t.PerMinute), MadeBy: t.MadeBy,
		}); err != nil {
			return fmt.Errorf("add trigger: %w", err)
		}
		made, err = dbsqlc.Q.TriggerGet(ctx, tx, t.ID)
		return err
	})
	return triggerOf(made).Trigger, err
}

func triggerNameTaken(name string) error {
	return fault.Errorf(fault.Conflict, "there is a trigger named %q already; choose another name", name)
}

// Trigger returns the trigger of an id: NotFound if there is none.
func (s *Store) Trigger(ctx context.Context, id string) (OwnedTrigger, error) {
	row, err := dbsqlc.Q.TriggerGet(ctx, s.db.Pool, id)
	return foundTrigger(row, err)
}

// FindTrigger returns a trigger of a user by its id or name: NotFound if there is none.
func (s *Store) FindTrigger(ctx context.Context, user chat.UserID, word string) (OwnedTrigger, error) {
	row, err := dbsqlc.Q.TriggerFind(ctx, s.db.Pool, dbsqlc.TriggerFindParams{UserID: user, Word: chat.Clean(word)})
	return foundTrigger(row, err)
}

func foundTrigger(row dbsqlc.Trigger, err error) (OwnedTrigger, error) {
	if errors.Is(err, pgx.ErrNoRows) {
		return OwnedTrigger{}, noTrigger()
	}
	if err != nil {
		return OwnedTrigger{}, pg.Classify(fmt.Errorf("read trigger: %w", err))
	}
	return triggerOf(row), nil
}

func noTrigger() error { return fault.Errorf(fault.NotFound, "there is no such trigger") }

// Triggers lists the triggers of a user by name.
func (s *Store) Triggers(ctx context.Context, user chat.UserID) ([]chat.Trigger, error) {
	rows, err := dbsqlc.Q.TriggerList(ctx, s.db.Pool, user)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list triggers: %w", err))
	}
	out := make([]chat.Trigger, len(rows))
	for i, r := range rows {
		out[i] = triggerOf(r.Trigger).Trigger
		out[i].Fires = int(r.Fires)
	}
	return out, nil
}

// ReplaceTrigger changes the fields of a trigger that its owner may change: everything but its source.
func (s *Store) ReplaceTrigger(ctx context.Context, user chat.UserID, id string, d chat.TriggerDraft) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		taken, err := dbsqlc.Q.TriggerNameTaken(ctx, tx, dbsqlc.TriggerNameTakenParams{UserID: user, Name: chat.Clean(d.Name), ID: id})
		if err != nil {
			return fmt.Errorf("look for the name: %w", err)
		}
		if taken {
			return triggerNameTaken(d.Name)
		}
		return changedTrigger(dbsqlc.Q.TriggerReplace(ctx, tx, dbsqlc.TriggerReplaceParams{
			ID: id, UserID: user, Name: chat.Clean(d.Name), SessionKey: d.Session, AnswerIn: d.AnswerIn, Template: chat.Clean(d.Template), OneShot: d.OneShot,
			PerMinute: int32(d.PerMinute), Enabled: !d.Off,
		}))
	})
}

// SetTriggerSecret replaces the sealed secret of a trigger: from then on, calls that are signed with the old one are refused.
func (s *Store) SetTriggerSecret(ctx context.Context, user chat.UserID, id string, sealed []byte) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := secretstore.NoteKey(ctx, tx, sealed); err != nil {
			return err
		}
		return changedTrigger(dbsqlc.Q.TriggerSecret(ctx, tx, dbsqlc.TriggerSecretParams{ID: id, UserID: user, Secret: sealed}))
	})
}

// DeleteTrigger removes a trigger and its history. The conversation that it called stays.
func (s *Store) DeleteTrigger(ctx context.Context, user chat.UserID, id string) error {
	return pg.Classify(changedTrigger(dbsqlc.Q.TriggerDelete(ctx, s.db.Pool, dbsqlc.TriggerDeleteParams{ID: id, UserID: user})))
}

func changedTrigger(n int64, err error) error {
	if err == nil && n == 0 {
		return noTrigger()
	}
	return err
}

// SessionPlace returns the address of a user's conversation on a platform, or nil if it is on none. It returns NotFound if the user has no such
// conversation.
func (s *Store) SessionPlace(ctx context.Context, user chat.UserID, key chat.SessionKey) (place *chat.Address, err error) {
	owner, err := dbsqlc.Q.TriggerSessionOwner(ctx, s.db.Pool, key)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && owner != user {
		return nil, fault.Errorf(fault.NotFound, "there is no session %q", key)
	}
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read session: %w", err))
	}
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		place, err = inbox.CurrentAddress(ctx, tx, key)
		return err
	})
	return place, err
}

func triggerOf(r dbsqlc.Trigger) OwnedTrigger {
	return OwnedTrigger{
		Trigger: chat.Trigger{
			ID: r.ID, CreatedAt: r.CreatedAt, FiredAt: r.FiredAt, RefusedAt: r.RefusedAt, Refused: r.Refused,
			TriggerDraft: chat.TriggerDraft{
				Name: r.Name, Source: r.Source, Session: r.SessionKey, AnswerIn: r.AnswerIn, Template: r.Template, OneShot: r.OneShot,
				PerMinute: int(r.PerMinute), Off: !r.Enabled,
			},
		},
		Owner: r.UserID, Secret: r.Secret, MadeBy: r.MadeBy,
	}
}
