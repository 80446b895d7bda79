// Package quota says how much may run at once, and in which timezone people read times who name none: what the policy says,
// with the defaults of the server.
package quota

import (
	"context"
	"sync/atomic"
	"time"

	"xbot/internal/fault"
	"xbot/internal/turn/policy"
)

// Policies returns the policy document in force.
type Policies interface {
	Get(ctx context.Context) (*policy.Policy, error)
}

// Quota reads the policy. It is safe for concurrent use.
type Quota struct {
	// Policies has the policy; nil is the defaults. Set it before the stores are used.
	Policies Policies
	// ServerZone is the timezone in which people read times whose profile, and the policy, name none; empty is UTC. Set it before
	// the stores are used.
	ServerZone string

	zone atomic.Pointer[string] // timezone that the policy names, as it was read last
}

// Caps returns what may run at once, with the defaults.
func (q *Quota) Caps(ctx context.Context) (policy.Limits, error) {
	p := &policy.Policy{}
	if q.Policies != nil {
		var err error
		if p, err = q.Policies.Get(ctx); err != nil {
			return policy.Limits{}, err
		}
	}
	q.zone.Store(&p.Cron.Timezone)
	return p.Limit(), nil
}

// Zones are the timezones of people who say none: that of the policy as it was read last, and that of the server.
func (q *Quota) Zones() []string {
	out := []string{q.ServerZone}
	if named := q.zone.Load(); named != nil {
		out = []string{*named, q.ServerZone}
	}
	return out
}

// Full is the error of a tenant that has as many calls as it may.
func Full(waitMS int32) error {
	return fault.Limited(time.Duration(waitMS)*time.Millisecond, "as many calls to models run for this user as may (limits.llm of the policy); this one waits")
}

// LeaseTime is how long the lease of a call to a model holds without a renewal: how long a place stays taken after the
// process that held it was killed.
const LeaseTime = 15 * time.Second
