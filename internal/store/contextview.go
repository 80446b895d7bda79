package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/store/dbsqlc"
)

// LastStep returns the newest step of a conversation whose request is kept. NotFound: there is none yet.
func (s *Store) LastStep(ctx context.Context, key chat.SessionKey) (chat.Step, error) {
	row, err := s.q.ContextLastStep(ctx, s.pool, key)
	if err != nil {
		return chat.Step{}, classify(fmt.Errorf("look for the last step of %s: %w", key, err))
	}
	return chat.Step{Session: key, Turn: row.TurnID, N: int(row.Step)}, nil
}

// Compactions returns the newest compactions of a conversation, newest first, also those that a rewind has voided.
func (s *Store) Compactions(ctx context.Context, key chat.SessionKey, limit int) ([]chat.Control, error) {
	rows, err := s.q.ContextCompactions(ctx, s.pool, dbsqlc.ContextCompactionsParams{SessionKey: key, Limit: int32(limit)})
	if err != nil {
		return nil, classify(fmt.Errorf("list compactions: %w", err))
	}
	out := make([]chat.Control, len(rows))
	for i, r := range rows {
		if out[i], err = controlOf(dbsqlc.ControlByKeyRow(r)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// PromptParts returns the parts of a session's system prompt that are kept apart, such as instructions of its project and
// memory, by their keys.
func (s *Store) PromptParts(ctx context.Context, key chat.SessionKey) ([]chat.Part, error) {
	rows, err := s.q.ContextParts(ctx, s.pool, key)
	if err != nil {
		return nil, classify(fmt.Errorf("read parts of the prompt: %w", err))
	}
	out := make([]chat.Part, len(rows))
	for i, r := range rows {
		out[i] = chat.Part{Key: r.Key, Body: r.Body}
	}
	return out, nil
}

// SetContextMode chooses how a session's context is kept small, from its next step on: one of chat.Context*, or empty for
// what the installation says.
func (s *Store) SetContextMode(ctx context.Context, key chat.SessionKey, mode string) error {
	return s.inTx(ctx, func(tx *tx) error {
		if err := s.q.ContextSetMode(ctx, tx, dbsqlc.ContextSetModeParams{Key: key, ContextMode: mode}); err != nil {
			return fmt.Errorf("set context mode: %w", err)
		}
		row, err := s.q.SessionGet(ctx, tx, key)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil // it was deleted
		}
		if err != nil {
			return fmt.Errorf("read session: %w", err)
		}
		tx.emit(key, chat.EventSession, s.sessionOf(row))
		return nil
	})
}
