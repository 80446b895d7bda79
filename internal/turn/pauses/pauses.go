// Package pauses notifies users, once for each, of runs that an administrator has paused in the Temporal UI.
package pauses

import (
	"context"
	"errors"
	"fmt"
	"xbot/internal/turn/dbsqlc"

	"github.com/jackc/pgx/v5"

	"xbot/internal/automation/cron/cronstore"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/turn/conversation"
	"xbot/internal/user/users"
)

// Store keeps the pauses that users were notified of.
type Store struct{ db *pg.DB }

// New returns a store over a database.
func New(db *pg.DB) *Store { return &Store{db: db} }

// NotifyDeliveryPaused notifies a conversation, once for each pause, that an administrator has paused the delivery of its answers.
func (s *Store) NotifyDeliveryPaused(ctx context.Context, run string, key chat.SessionKey) error {
	return s.tellPaused(ctx, run, []string{string(key)}, i18n.DeliveryPaused)
}

// NotifyJobPaused notifies the owner of a job, once for each pause, that an administrator has paused it in the Temporal UI.
func (s *Store) NotifyJobPaused(ctx context.Context, run string, j cronstore.Job) error {
	return s.tellPaused(ctx, run, []string{string(j.Target), string(j.Home), string(cronstore.OwnConversation(j.ID))}, i18n.JobPaused, j.Name)
}

// tellPaused notifies the first of the conversations that exists, if any does.
func (s *Store) tellPaused(ctx context.Context, run string, keys []string, say i18n.ID, args ...any) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		n, err := dbsqlc.Q.PauseTold(ctx, tx, run)
		if err != nil || n == 0 {
			return err
		}
		where, err := dbsqlc.Q.PauseWhere(ctx, tx, keys)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("look where to say that run %s is paused: %w", run, err)
		}
		lang, err := users.LanguageOf(ctx, tx, where.UserID, where.Key, "")
		if err != nil {
			return err
		}
		return conversation.AppendNotice(ctx, tx, where.Key, "", i18n.Say(lang, say, args...))
	})
}

// ForgetPauses deletes the records of runs that are not among those paused now.
func (s *Store) ForgetPauses(ctx context.Context, paused []string) error {
	return pg.Classify(dbsqlc.Q.PauseForget(ctx, s.db.Pool, paused))
}
