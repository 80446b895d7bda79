package conversation

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
)

// LastStep returns the newest step of a conversation whose request is stored. It returns NotFound if there is none yet.
func (s *Store) LastStep(ctx context.Context, key chat.SessionKey) (chat.Step, error) {
	row, err := dbsqlc.Q.ContextLastStep(ctx, s.db.Pool, key)
	if err != nil {
		return chat.Step{}, pg.Classify(fmt.Errorf("look for the last step of %s: %w", key, err))
	}
	return chat.Step{Session: key, Turn: row.TurnID, N: int(row.Step)}, nil
}

// Compactions returns the newest compactions of a conversation, newest first, also those that a rewind has voided.
func (s *Store) Compactions(ctx context.Context, key chat.SessionKey, limit int) ([]chat.Control, error) {
	rows, err := dbsqlc.Q.ContextCompactions(ctx, s.db.Pool, dbsqlc.ContextCompactionsParams{SessionKey: key, Limit: int32(limit)})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list compactions: %w", err))
	}
	out := make([]chat.Control, len(rows))
	for i, r := range rows {
		if out[i], err = controlOf(dbsqlc.ControlByKeyRow(r)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// PromptParts returns the separately stored parts of a session's system prompt, such as instructions of its project and
// memory, by their keys.
func (s *Store) PromptParts(ctx context.Context, key chat.SessionKey) ([]chat.Part, error) {
	rows, err := dbsqlc.Q.ContextParts(ctx, s.db.Pool, key)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read parts of the prompt: %w", err))
	}
	out := make([]chat.Part, len(rows))
	for i, r := range rows {
		out[i] = chat.Part{Key: r.Key, Body: r.Body}
	}
	return out, nil
}

// SetContextMode chooses how a session's context is limited, from its next step on: one of chat.Context*, or empty for
// the setting of the installation.
func (s *Store) SetContextMode(ctx context.Context, key chat.SessionKey, mode string) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := dbsqlc.Q.ContextSetMode(ctx, tx, dbsqlc.ContextSetModeParams{Key: key, ContextMode: mode}); err != nil {
			return fmt.Errorf("set context mode: %w", err)
		}
		row, err := dbsqlc.Q.SessionGet(ctx, tx, key)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil // it was deleted
		}
		if err != nil {
			return fmt.Errorf("read session: %w", err)
		}
		tx.Emit(key, chat.EventSession, s.SessionOf(row))
		return nil
	})
}
