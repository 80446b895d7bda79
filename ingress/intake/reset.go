package intake

import (
	"context"
	"strings"
	"time"

	"xbot/internal/turn/policy"
	"xbot/internal/turn/session"
)

// ApplyResetPolicy applies the policy for the beginning of conversations: a text that is one of its triggers is /reset, and the
// conversation may have ended since a user last wrote in it.
func (d *Dispatcher) ApplyResetPolicy(ctx context.Context, in Message) (Message, error) {
	if d.Policies == nil {
		return in, nil
	}
	p, err := d.Policies.Get(ctx)
	if err != nil {
		return in, err
	}
	if rest, ok := p.IsResetTrigger(in.Text); ok {
		in.Options.Said = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(in.Text), rest))
		in.Text = strings.TrimSpace("/reset " + rest)
	}
	return d.expiring(p, in), nil
}

// applyExpiry applies only the policy for the end of conversations.
func (d *Dispatcher) applyExpiry(ctx context.Context, in Message) (Message, error) {
	if d.Policies == nil {
		return in, nil
	}
	p, err := d.Policies.Get(ctx)
	if err != nil {
		return in, err
	}
	return d.expiring(p, in), nil
}

// expiring returns a message before which its conversation may have ended.
func (d *Dispatcher) expiring(p *policy.Policy, in Message) Message {
	rule := p.Reset(in.Channel, in.ChatType)
	if rule.Mode != "" && rule.Mode != policy.ResetNone {
		in.Expired = func(last time.Time) string { return session.Expired(rule, last, d.clock().Now()) }
	}
	return in
}
