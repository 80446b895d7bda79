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

// SetAlias makes a name stand for a conversation, whatever it stood for before. Channels call it with the thread that
// an answer opened, and with the ids of the answers, so that replies to them find their work session.
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

// DropAlias forgets a name.
func (s *Store) DropAlias(ctx context.Context, alias string) error {
	return classify(s.q.AliasDelete(ctx, s.pool, alias))
}
