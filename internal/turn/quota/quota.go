// Package quota returns how much may run at once, and the timezones of users who set none: those of the policy,
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
	// ServerZone is the timezone of users if neither their profile nor the policy sets one; empty is UTC. Set it before
	// the stores are used.
	ServerZone string

	zone atomic.Pointer[string] // timezone of the policy, as it was last read
}

// Caps returns the limits of the policy, with the defaults.
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

// Zones returns the timezones for users who set none: that of the policy as it was last read, and that of the server.
func (q *Quota) Zones() []string {
	out := []string{q.ServerZone}
	if named := q.zone.Load(); named != nil {
		out = []string{*named, q.ServerZone}
	}
	return out
}

// Full returns the error for a tenant that has as many calls as allowed.
func Full(waitMS int32) error {
	return fault.Limited(time.Duration(waitMS)*time.Millisecond, "as many calls to models run for this user as may (limits.llm of the policy); this one waits")
}

// LeaseTime is how long the lease of a call to a model holds without a renewal: how long a slot stays in use after the
// process that held it was killed.
const LeaseTime = 15 * time.Second
