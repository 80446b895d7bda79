package routing

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
)

// Alias returns the conversation that an alias names; ok is false if it names none.
func (s *Store) Alias(ctx context.Context, alias string) (key chat.SessionKey, ok bool, err error) {
	key, err = dbsqlc.Q.AliasGet(ctx, s.db.Pool, alias)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", false, nil
	}
	if err != nil {
		return "", false, pg.Classify(fmt.Errorf("look up alias: %w", err))
	}
	return key, true, nil
}

// SetAlias makes an alias name a conversation, and replaces what it named before.
func (s *Store) SetAlias(ctx context.Context, alias string, key chat.SessionKey) error {
	if err := dbsqlc.Q.AliasSet(ctx, s.db.Pool, dbsqlc.AliasSetParams{Alias: alias, SessionKey: key}); err != nil {
		return pg.Classify(fmt.Errorf("set alias: %w", err))
	}
	return nil
}

// AddAliases names a conversation by those of the aliases that name none yet.
func (s *Store) AddAliases(ctx context.Context, key chat.SessionKey, aliases ...string) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		for _, alias := range aliases {
			if err := AddAlias(ctx, tx, alias, key); err != nil {
				return fmt.Errorf("add alias: %w", err)
			}
		}
		return nil
	})
}

// NameAnswers stores the ids of answers as aliases of their conversation, so that replies to them find it. Only work sessions
// have such aliases.
func (s *Store) NameAnswers(ctx context.Context, key chat.SessionKey, aliases ...string) error {
	err := dbsqlc.Q.AliasAnswers(ctx, s.db.Pool, dbsqlc.AliasAnswersParams{SessionKey: key, Aliases: aliases})
	if err != nil {
		return pg.Classify(fmt.Errorf("name answers: %w", err))
	}
	return nil
}

// DropAlias deletes an alias.
func (s *Store) DropAlias(ctx context.Context, alias string) error {
	return pg.Classify(dbsqlc.Q.AliasDelete(ctx, s.db.Pool, alias))
}

// AddAlias names a conversation by an alias if the alias names none yet.
func AddAlias(ctx context.Context, tx *pg.Tx, alias string, key chat.SessionKey) error {
	return dbsqlc.Q.AliasAdd(ctx, tx, dbsqlc.AliasAddParams{Alias: alias, SessionKey: key})
}
