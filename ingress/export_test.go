package ingress

import "context"

// Round makes one round of a relay.
func (r *Relay) Round(ctx context.Context) error { return r.round(ctx) }
