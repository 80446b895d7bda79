package settings

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/store/dbsqlc"
	"xbot/internal/store/pg"
)

// PolicyVersion is a change of the policy document.
type PolicyVersion struct {
	Version int64     `json:"version"`
	At      time.Time `json:"at"`
	By      string    `json:"by" doc:"Name of the user; empty where the account is gone."`
}

// PolicyAfter returns the newest version of the policy document if it is not the given one. Without a document the
// version is 0 and the body nil.
func (s *Store) PolicyAfter(ctx context.Context, version int64) (newest int64, body []byte, err error) {
	row, err := s.db.Q.PolicyNewest(ctx, s.db.Pool, version)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil, nil
	}
	if err != nil {
		return 0, nil, pg.Classify(fmt.Errorf("read policy: %w", err))
	}
	return row.ID, row.Body, nil
}

// PolicyOf returns a version of the policy document: NotFound if there is none.
func (s *Store) PolicyOf(ctx context.Context, version int64) ([]byte, error) {
	body, err := s.db.Q.PolicyByVersion(ctx, s.db.Pool, version)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.Errorf(fault.NotFound, "there is no version %d of the policy", version)
	}
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read policy %d: %w", version, err))
	}
	return body, nil
}

// PolicyVersions lists the changes of the document, the newest first.
func (s *Store) PolicyVersions(ctx context.Context, limit int) ([]PolicyVersion, error) {
	rows, err := s.db.Q.PolicyVersions(ctx, s.db.Pool, int32(limit))
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list versions of the policy: %w", err))
	}
	list := make([]PolicyVersion, len(rows))
	for i, row := range rows {
		list[i] = PolicyVersion{Version: row.ID, At: row.CreatedAt, By: row.ChangedBy}
	}
	return list, nil
}

// SetPolicy adds a version of the policy document, which was checked.
func (s *Store) SetPolicy(ctx context.Context, by chat.UserID, body []byte) (version int64, err error) {
	version, err = s.db.Q.PolicyAdd(ctx, s.db.Pool, dbsqlc.PolicyAddParams{Body: body, ChangedBy: &by})
	if err != nil {
		return 0, pg.Classify(fmt.Errorf("write policy: %w", err))
	}
	return version, nil
}

// ReplacePolicy adds a version of the policy document, which was checked, if the newest one is still the one that it was
// made from (0: there is none yet). Otherwise it is a Conflict.
func (s *Store) ReplacePolicy(ctx context.Context, by chat.UserID, body []byte, from int64) (version int64, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := tx.Q.PolicyLock(ctx, tx); err != nil {
			return fmt.Errorf("lock policies: %w", err)
		}
		newest, err := tx.Q.PolicyNewest(ctx, tx, from)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("read policy: %w", err)
		}
		if newest.ID != from {
			return fault.Errorf(fault.Conflict, "the policy was changed meanwhile: version %d is in force and yours was made from %d; read it again", newest.ID, from)
		}
		version, err = tx.Q.PolicyAdd(ctx, tx, dbsqlc.PolicyAddParams{Body: body, ChangedBy: &by})
		if err != nil {
			return fmt.Errorf("write policy: %w", err)
		}
		return nil
	})
	return version, err
}
