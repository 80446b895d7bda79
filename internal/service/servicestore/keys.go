package servicestore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/secret"
	"xbot/internal/service"
	"xbot/internal/service/dbsqlc"
)

// Caller is a user of a service: a holder of one of its keys.
type Caller struct {
	Service service.Service
	Key     string // its id
	Name    string // of the key

	Revision int64 // of the key: counts its secrets
}

// usedEvery bounds how often the last use of a key is written.
const usedEvery = time.Minute

// maxKeys bounds how many keys of a service are good at once.
const maxKeys = 100

// AddServiceKey makes a key of a service. The key itself is returned this once. It returns Conflict if the service has as many as it may.
func (s *Store) AddServiceKey(ctx context.Context, of, name string) (service.Key, string, error) {
	id, key := service.NewKey()
	out := service.Key{ID: id, Service: of, Name: chat.Clean(name), Prefix: service.Shown(key)}
	err := s.db.InTx(ctx, func(tx *pg.Tx) (err error) { // which notes who did it
		row, err := dbsqlc.Q.ServiceHold(ctx, tx, of)
		if _, err := found(of, row, err); err != nil {
			return err
		}
		good, err := dbsqlc.Q.ServiceKeyCount(ctx, tx, of)
		if err == nil && good >= maxKeys {
			return fault.Errorf(fault.Conflict, "the service has %d keys already: revoke one that nobody needs", maxKeys)
		}
		if err != nil {
			return fmt.Errorf("count keys of service %s: %w", of, err)
		}
		if out.CreatedAt, err = dbsqlc.Q.ServiceKeyAdd(ctx, tx, dbsqlc.ServiceKeyAddParams{
			ID: id, ServiceID: of, Name: out.Name, Prefix: out.Prefix, Hash: secret.HashToken(key),
		}); err != nil {
			return fmt.Errorf("add a key of service %s: %w", of, err)
		}
		return nil
	})
	if err != nil {
		return service.Key{}, "", err
	}
	return out, key, nil
}

// ServiceKeys lists the keys of a service, also those that were revoked.
func (s *Store) ServiceKeys(ctx context.Context, of string) ([]service.Key, error) {
	rows, err := dbsqlc.Q.ServiceKeyList(ctx, s.db.Pool, of)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list keys of service %s: %w", of, err))
	}
	out := make([]service.Key, len(rows))
	for i, r := range rows {
		out[i] = service.Key{ID: r.ID, Service: r.ServiceID, Name: r.Name, Prefix: r.Prefix, CreatedAt: r.CreatedAt, LastUsedAt: r.LastUsedAt, RevokedAt: r.RevokedAt}
	}
	return out, nil
}

// RevokeServiceKey makes a key useless at once. It returns NotFound if there is none that is good.
func (s *Store) RevokeServiceKey(ctx context.Context, of, id string) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		n, err := dbsqlc.Q.ServiceKeyRevoke(ctx, tx, dbsqlc.ServiceKeyRevokeParams{ID: id, ServiceID: of})
		if err == nil && n == 0 {
			return noKey(of, id)
		}
		if err != nil {
			return fmt.Errorf("revoke key %s: %w", id, err)
		}
		return tx.NotifyAccess(ctx)
	})
}

func noKey(of, id string) error {
	return fault.Errorf(fault.NotFound, "service %s has no key %q that is good", of, id)
}

// RotateServiceKey gives a key another secret, which is returned this once. Its conversations stay its own; the secret of before is useless
// at once.
func (s *Store) RotateServiceKey(ctx context.Context, of, id string) (service.Key, string, error) {
	_, key := service.NewKey()
	out := service.Key{ID: id, Service: of, Prefix: service.Shown(key)}
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		row, err := dbsqlc.Q.ServiceKeyRotate(ctx, tx, dbsqlc.ServiceKeyRotateParams{ID: id, ServiceID: of, Hash: secret.HashToken(key), Prefix: out.Prefix})
		if errors.Is(err, pgx.ErrNoRows) {
			return noKey(of, id)
		}
		if err != nil {
			return fmt.Errorf("rotate key %s: %w", id, err)
		}
		out.Name, out.CreatedAt, out.LastUsedAt = row.Name, row.CreatedAt, row.LastUsedAt
		return tx.NotifyAccess(ctx)
	})
	return out, key, err
}

// CallerOf returns the caller with a key, by the key's hash, and records its use. It returns NotFound if there is no valid key of this hash. Whether the service is
// open is the caller's matter.
func (s *Store) CallerOf(ctx context.Context, hash []byte) (Caller, error) {
	return s.callerOf(ctx, dbsqlc.ServiceKeyFindParams{Hash: hash})
}

// CallerWith returns the caller with a key, by the key's id: for what was signed for it. It returns NotFound if there is no valid key of this id.
func (s *Store) CallerWith(ctx context.Context, key string) (Caller, error) {
	return s.callerOf(ctx, dbsqlc.ServiceKeyFindParams{KeyID: key})
}

func (s *Store) callerOf(ctx context.Context, which dbsqlc.ServiceKeyFindParams) (Caller, error) {
	r, err := dbsqlc.Q.ServiceKeyFind(ctx, s.db.Pool, which)
	if errors.Is(err, pgx.ErrNoRows) {
		return Caller{}, fault.Errorf(fault.NotFound, "there is no such key")
	}
	if err != nil {
		return Caller{}, pg.Classify(fmt.Errorf("look for a key of a service: %w", err))
	}
	one, err := of(dbsqlc.ServiceHoldRow{
		ID: r.ID, UserID: r.UserID, AdminID: r.AdminID, Published: r.Published, Definition: r.Definition, Revision: r.Revision,
		CreatedAt: r.CreatedAt, ChangedAt: r.ChangedAt, Closed: r.Closed,
	})
	if err != nil {
		return Caller{}, err
	}
	if r.LastUsedAt == nil || time.Since(*r.LastUsedAt) > usedEvery {
		if err := dbsqlc.Q.ServiceKeyUsed(ctx, s.db.Pool, r.KeyID); err != nil {
			return Caller{}, pg.Classify(fmt.Errorf("note the use of key %s: %w", r.KeyID, err))
		}
	}
	return Caller{Service: one, Key: r.KeyID, Name: r.KeyName, Revision: r.KeyRevision}, nil
}
