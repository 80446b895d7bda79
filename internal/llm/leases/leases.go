// Package leases stores the running calls to models, so that their number stays within the limits.
package leases

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/llm/dbsqlc"
	"xbot/internal/pg"
	"xbot/internal/turn/quota"
)

// Store keeps leases.
type Store struct {
	db    *pg.DB
	quota *quota.Quota
}

// New returns a store over a database that asks the quota how many calls may run.
func New(db *pg.DB, q *quota.Quota) *Store { return &Store{db: db, quota: q} }

// TakeLease takes the lease of a call outside a step, such as those of a compression, or finds that the turn
// holds it for this step already. When the tenant has reached its limit of calls, it is RateLimited, with the time of the next attempt.
// It is given back with the end of the step or of the turn.
func (s *Store) TakeLease(ctx context.Context, step chat.Step) error {
	most, err := s.quota.Caps(ctx)
	if err != nil {
		return err
	}
	wait, err := dbsqlc.Q.LeaseTake(ctx, s.db.Pool, dbsqlc.LeaseTakeParams{
		TurnID: string(step.Turn), Step: int32(step.N), Lease: pg.Interval(quota.LeaseTime),
		MostGlobal: int32(most.LLM.Global), MostPersonal: int32(most.LLM.Personal), MostSubagent: int32(most.LLM.Subagent),
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil // the turn is closed, which the next activity finds out
	case err != nil:
		return pg.Classify(fmt.Errorf("take the lease of a call: %w", err))
	case wait > 0:
		return quota.Full(wait)
	}
	return nil
}

// KeepLease renews the lease of a call that is still running. One that Postgres forgot in a crash is made again.
func (s *Store) KeepLease(ctx context.Context, step chat.Step) error {
	n, err := dbsqlc.Q.LeaseRenew(ctx, s.db.Pool, dbsqlc.LeaseRenewParams{TurnID: step.Turn, Step: int32(step.N), Lease: pg.Interval(quota.LeaseTime)})
	if err == nil && n == 0 {
		err = dbsqlc.Q.LeaseRetake(ctx, s.db.Pool, dbsqlc.LeaseRetakeParams{TurnID: step.Turn, Step: int32(step.N), Lease: pg.Interval(quota.LeaseTime)})
	}
	if err != nil {
		return pg.Classify(fmt.Errorf("renew the lease of a call: %w", err))
	}
	return nil
}

// TenantCalls are the calls to models of a tenant and pool: global, personal or subagent.
type TenantCalls struct {
	User    chat.UserID
	Name    string
	Pool    string
	Held    int
	Waiting int
}

// CallsByTenant returns which tenants call models now, or wait to.
func (s *Store) CallsByTenant(ctx context.Context) ([]TenantCalls, error) {
	rows, err := dbsqlc.Q.LeaseTenants(ctx, s.db.Pool)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("count calls by tenant: %w", err))
	}
	out := make([]TenantCalls, len(rows))
	for i, r := range rows {
		out[i] = TenantCalls{User: r.UserID, Name: r.Name, Pool: r.Pool, Held: int(r.Held), Waiting: int(r.Waiting)}
	}
	return out, nil
}
