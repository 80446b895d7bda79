// Package servicestore stores services, which are agents that administrators publish to outside users and programs, with their keys and the
// conversations of their consumers.
package servicestore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/automation/cron/cronstore"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/service"
	"xbot/internal/service/dbsqlc"
	"xbot/internal/turn/policy"
	"xbot/internal/turn/quota"
	"xbot/internal/user/users"
)

// Store keeps services. It is safe for concurrent use.
type Store struct {
	db    *pg.DB
	quota *quota.Quota
	// withoutRoom are the ids of people and groups whose file system was looked for: they have none, since the kind of a user never changes.
	withoutRoom sync.Map
}

// New returns a store over the database.
func New(db *pg.DB, limits *quota.Quota) *Store { return &Store{db: db, quota: limits} }

// AddService makes a service of an administrator, with a new user for it.
func (s *Store) AddService(ctx context.Context, admin chat.UserID, d service.Definition, published bool) (service.Service, error) {
	body, err := json.Marshal(d)
	if err != nil {
		return service.Service{}, fmt.Errorf("encode a service: %w", err)
	}
	id := service.NewID()
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		user, err := dbsqlc.Q.ServiceUserAdd(ctx, tx, dbsqlc.ServiceUserAddParams{Name: id, Kind: users.KindService, OwnerID: &admin})
		if err != nil {
			return fmt.Errorf("add the user of a service: %w", err)
		}
		return dbsqlc.Q.ServiceAdd(ctx, tx, dbsqlc.ServiceAddParams{ID: id, UserID: user, AdminID: admin, Name: d.Name, Published: published, Definition: body})
	})
	if err != nil {
		return service.Service{}, err
	}
	return s.Service(ctx, id)
}

// Service returns a service. It returns NotFound if there is none, or it is being deleted.
func (s *Store) Service(ctx context.Context, id string) (service.Service, error) {
	row, err := dbsqlc.Q.ServiceGet(ctx, s.db.Pool, id)
	return found(id, dbsqlc.ServiceHoldRow(row), err)
}

func found(id string, row dbsqlc.ServiceHoldRow, err error) (service.Service, error) {
	if errors.Is(err, pgx.ErrNoRows) {
		return service.Service{}, fault.Errorf(fault.NotFound, "there is no service %q", id)
	}
	if err != nil {
		return service.Service{}, pg.Classify(fmt.Errorf("read service %s: %w", id, err))
	}
	return of(row)
}

func of(r dbsqlc.ServiceHoldRow) (service.Service, error) {
	out := service.Service{
		ID: r.ID, Admin: r.AdminID, User: r.UserID, Published: r.Published, Definition: service.Defaults(), Revision: r.Revision,
		CreatedAt: r.CreatedAt, ChangedAt: r.ChangedAt, Closed: r.Closed,
	}
	if err := json.Unmarshal(r.Definition, &out.Definition); err != nil {
		return out, fmt.Errorf("decode service %s: %w", r.ID, err)
	}
	return out, nil
}

// Services lists all services, by name.
func (s *Store) Services(ctx context.Context) ([]service.Service, error) {
	rows, err := dbsqlc.Q.ServiceList(ctx, s.db.Pool)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list services: %w", err))
	}
	out := make([]service.Service, len(rows))
	for i, r := range rows {
		if out[i], err = of(dbsqlc.ServiceHoldRow(r)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// ServicesAfter returns services as agents of the policy, if they are not those of the given version.
func (s *Store) ServicesAfter(ctx context.Context, version int64) (newest int64, agents []policy.Agent, err error) {
	newest, err = dbsqlc.Q.ServicesVersion(ctx, s.db.Pool)
	if err != nil || newest == version {
		return newest, nil, pg.Classify(err)
	}
	all, err := s.Services(ctx) // at least as new as the version: what is newer is read again
	agents = make([]policy.Agent, len(all))
	for i, one := range all {
		agents[i] = one.Agent()
	}
	return newest, agents, err
}

// ChangeService changes a service; nil members of the patch leave what is there. It returns Conflict if it was changed since the revision that the change
// was made from; 0: any revision.
func (s *Store) ChangeService(ctx context.Context, id string, revision int64, p service.Patch) (service.Service, error) {
	var out service.Service
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		row, err := dbsqlc.Q.ServiceHold(ctx, tx, id)
		was, err := found(id, row, err)
		if err != nil {
			return err
		}
		if revision != 0 && revision != was.Revision {
			return fault.Errorf(fault.Conflict, "the service was changed meanwhile: read it again")
		}
		d := was.Definition
		if !p.PublishesAlone() { // anything that an earlier version accepted can be withdrawn
			if d, err = was.Apply(p); err != nil {
				return err
			}
		}
		published := was.Published
		if p.Published != nil {
			published = *p.Published
		}
		body, err := json.Marshal(d)
		if err != nil {
			return fmt.Errorf("encode service %s: %w", id, err)
		}
		if err := dbsqlc.Q.ServiceSet(ctx, tx, dbsqlc.ServiceSetParams{ID: id, Name: d.Name, Published: published, Definition: body}); err != nil {
			return fmt.Errorf("write service %s: %w", id, err)
		}
		if published {
			if err := cronstore.WakeService(ctx, tx, id); err != nil {
				return err
			}
		}
		if was.Published && !published { // what its consumers read ends
			if err := tx.NotifyAccess(ctx); err != nil {
				return fmt.Errorf("say that service %s is withdrawn: %w", id, err)
			}
		}
		out = was
		out.Definition, out.Published, out.Revision = d, published, was.Revision+1
		return nil
	})
	out.ChangedAt = time.Now()
	return out, err
}

// DeleteService promises that a service is deleted with its conversations. It is not found from now on, and no key of it is good; the
// workflow of the deletion does the rest.
func (s *Store) DeleteService(ctx context.Context, id string, by chat.UserID) error {
	one, err := s.Service(ctx, id)
	if err != nil {
		return err
	}
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := dbsqlc.Q.ServiceEnd(ctx, tx, id); err != nil {
			return fmt.Errorf("end service %s: %w", id, err)
		}
		if err := users.DeleteBelow(ctx, tx, one.User, &by); err != nil {
			return err
		}
		return tx.NotifyAccess(ctx)
	})
}
