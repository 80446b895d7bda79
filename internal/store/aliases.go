package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/store/dbsqlc"
)

// Alias returns the conversation that another name stands for; ok is false where it stands for none.
func (s *Store) Alias(ctx context.Context, alias string) (key chat.SessionKey, ok bool, err error) {
	key, err = s.q.AliasGet(ctx, s.pool, alias)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", false, nil
	}
	if err != nil {
		return "", false, classify(fmt.Errorf("look up alias: %w", err))
	}
	return key, true, nil
}

// SetAlias makes a name stand for a conversation, whatever it stood for before.
func (s *Store) SetAlias(ctx context.Context, alias string, key chat.SessionKey) error {
	if err := s.q.AliasSet(ctx, s.pool, dbsqlc.AliasSetParams{Alias: alias, SessionKey: key}); err != nil {
		return classify(fmt.Errorf("set alias: %w", err))
	}
	return nil
}

// AddAliases makes names stand for a conversation where they stand for none yet.
func (s *Store) AddAliases(ctx context.Context, key chat.SessionKey, aliases ...string) error {
	return s.inTx(ctx, func(tx *tx) error {
		for _, alias := range aliases {
			if err := s.q.AliasAdd(ctx, tx, dbsqlc.AliasAddParams{Alias: alias, SessionKey: key}); err != nil {
				return fmt.Errorf("add alias: %w", err)
			}
		}
		return nil
	})
}

// NameAnswers lets replies to answers find their conversation, if it is one that has such names: a work session.
func (s *Store) NameAnswers(ctx context.Context, key chat.SessionKey, aliases ...string) error {
	err := s.q.AliasAnswers(ctx, s.pool, dbsqlc.AliasAnswersParams{SessionKey: key, Aliases: aliases})
	if err != nil {
		return classify(fmt.Errorf("name answers: %w", err))
	}
	return nil
}

// DropAlias forgets a name.
func (s *Store) DropAlias(ctx context.Context, alias string) error {
	return classify(s.q.AliasDelete(ctx, s.pool, alias))
}
