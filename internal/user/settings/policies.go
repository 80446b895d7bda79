package settings

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/turn/policy"
	"xbot/internal/user/dbsqlc"
	"xbot/internal/user/links"
)

// PolicyVersion is a change of the policy document.
type PolicyVersion struct {
	Version int64     `json:"version"`
	At      time.Time `json:"at"`
	By      string    `json:"by" doc:"Name of the user; empty if deleted."`
	// Transfers is not empty for a version that gave accounts to other ids.
	Transfers []string `json:"transfers" doc:"Names of identityLinks whose account this version reassigned, as confirmed by the administrator."`
}

// PolicyAfter returns the newest version of the policy document if it is not the given one. Without a document the
// version is 0 and the body nil.
func (s *Store) PolicyAfter(ctx context.Context, version int64) (newest int64, body []byte, err error) {
	row, err := dbsqlc.Q.PolicyNewest(ctx, s.db.Pool, version)
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
	body, err := dbsqlc.Q.PolicyByVersion(ctx, s.db.Pool, version)
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
	rows, err := dbsqlc.Q.PolicyVersions(ctx, s.db.Pool, int32(limit))
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list versions of the policy: %w", err))
	}
	list := make([]PolicyVersion, len(rows))
	for i, row := range rows {
		list[i] = PolicyVersion{Version: row.ID, At: row.CreatedAt, By: row.ChangedBy, Transfers: row.Transfers}
	}
	return list, nil
}

// PolicyChange is a new version of the policy document, which was checked.
type PolicyChange struct {
	By   chat.UserID
	Body []byte
	From int64 // the version that it was made from; 0: there was none
	// Transfer names the links of identityLinks whose account goes to other ids, as the administrator confirms.
	Transfer []string
}

// ReplacePolicy adds a version of the policy document if the newest one is still the one that it was made from; otherwise it is a
// Conflict. It is Invalid if it gives the account of a link to other ids, and the change does not confirm that.
func (s *Store) ReplacePolicy(ctx context.Context, c PolicyChange) (version int64, err error) {
	return s.addPolicy(ctx, c, func(newest int64) error {
		if newest != c.From {
			return fault.Errorf(fault.Conflict, "the policy was changed meanwhile: version %d is in force and yours was made from %d; read it again", newest, c.From)
		}
		return nil
	})
}

// SetPolicy is ReplacePolicy for any newest version.
func (s *Store) SetPolicy(ctx context.Context, by chat.UserID, body []byte) (version int64, err error) {
	return s.addPolicy(ctx, PolicyChange{By: by, Body: body}, func(int64) error { return nil })
}

func (s *Store) addPolicy(ctx context.Context, c PolicyChange, check func(newest int64) error) (version int64, err error) {
	p := &policy.Policy{}
	if err := json.Unmarshal(c.Body, p); err != nil {
		return 0, fault.Errorf(fault.Invalid, "decode the policy: %w", err)
	}
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := dbsqlc.Q.PolicyLock(ctx, tx); err != nil {
			return fmt.Errorf("lock policies: %w", err)
		}
		newest, err := dbsqlc.Q.PolicyNewest(ctx, tx, c.From)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("read policy: %w", err)
		}
		if err := check(newest.ID); err != nil {
			return err
		}
		if err := links.FollowLinks(ctx, tx, p, c.Transfer); err != nil {
			return err
		}
		version, err = dbsqlc.Q.PolicyAdd(ctx, tx, dbsqlc.PolicyAddParams{Body: c.Body, ChangedBy: &c.By, Transfers: append([]string{}, c.Transfer...)})
		if err != nil {
			return fmt.Errorf("write policy: %w", err)
		}
		return nil
	})
	return version, err
}
