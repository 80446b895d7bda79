package conversation

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
)

// maxMaskList limits the listed masked results, newest first.
const maxMaskList = 10_000

// Control returns the record with a key; found is false when there is none.
func (s *Store) Control(ctx context.Context, session chat.SessionKey, key string) (c chat.Control, found bool, err error) {
	row, err := dbsqlc.Q.ControlByKey(ctx, s.db.Pool, dbsqlc.ControlByKeyParams{SessionKey: session, Key: key})
	if errors.Is(err, pgx.ErrNoRows) {
		return chat.Control{}, false, nil
	}
	if err != nil {
		return chat.Control{}, false, pg.Classify(fmt.Errorf("read control record: %w", err))
	}
	c, err = controlOf(row)
	return c, err == nil, pg.Classify(err)
}

// Edits returns the model's edits of its view of a conversation and their undos, newest first.
func (s *Store) Edits(ctx context.Context, session chat.SessionKey, most int) ([]chat.Control, error) {
	rows, err := dbsqlc.Q.EditList(ctx, s.db.Pool, dbsqlc.EditListParams{SessionKey: session, Most: int32(most)})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read edits: %w", err))
	}
	out := make([]chat.Control, len(rows))
	for i, r := range rows {
		if out[i], err = controlOf(dbsqlc.ControlByKeyRow(r)); err != nil {
			return nil, pg.Classify(err)
		}
	}
	return out, nil
}

// Masks returns the placeholders of the masked results of a conversation, newest first. They hold the ids.
func (s *Store) Masks(ctx context.Context, session chat.SessionKey) ([]string, error) {
	masks, err := dbsqlc.Q.MaskList(ctx, s.db.Pool, dbsqlc.MaskListParams{SessionKey: session, Most: maxMaskList})
	return masks, pg.Classify(err)
}

// Masked returns the result behind a mask, byte for byte as the tool gave it, also where it was offloaded as well.
// NotFound when the conversation has no such mask.
func (s *Store) Masked(ctx context.Context, session chat.SessionKey, id string) (string, error) {
	result, err := dbsqlc.Q.MaskedResult(ctx, s.db.Pool, dbsqlc.MaskedResultParams{SessionKey: session, ID: id})
	if errors.Is(err, pgx.ErrNoRows) {
		return "", fault.Errorf(fault.NotFound, "no result is masked under %q in this conversation", id)
	}
	return result, pg.Classify(err)
}
