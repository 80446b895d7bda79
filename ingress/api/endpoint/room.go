package endpoint

import (
	"context"
	"fmt"

	"xbot/ingress/auth"
	"xbot/internal/fault"
	"xbot/internal/policy"
	"xbot/internal/store"
)

// Thing is something of which a person may have so many, by its member of limits.person of the policy. What bots, schedules and triggers
// make for a person is not counted.
type Thing string

// The things that are counted.
const (
	Sessions Thing = "sessions"
	Runners  Thing = "runners"
	Tokens   Thing = "tokens"
)

// count returns how many there are and may be.
func (t Thing) count(h store.Holdings, l policy.PersonLimits) (held, most int) {
	switch t {
	case Sessions:
		return h.Sessions, l.Sessions
	case Runners:
		return h.Runners, l.Runners
	default:
		return h.Tokens, l.Tokens
	}
}

// Room is a Conflict where the person who asks has as many things as they may. Several requests at once may exceed that by as many.
func (b *Base) Room(ctx context.Context, t Thing) error {
	caps, err := b.Store.Caps(ctx)
	if err != nil {
		return err
	}
	has, err := b.Store.Holdings(ctx, auth.User(ctx).ID)
	if err != nil {
		return fmt.Errorf("count what a person has: %w", err)
	}
	if held, most := t.count(has, caps.Person); held >= most {
		return fault.Errorf(fault.Conflict, "you have %d %s, as many as a person may have here (limits.person.%s of the policy); give one up first", held, t, t)
	}
	return nil
}
