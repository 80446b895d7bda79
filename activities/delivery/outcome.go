package delivery

import (
	"cmp"
	"context"

	"go.temporal.io/sdk/activity"

	"xbot/internal/channel"
	"xbot/internal/chat"
)

// Tally counts how deliveries ended, by platform and outcome: sent, uncertain, failed or expired. A delivery that two attempts end counts
// twice.
type Tally interface {
	Delivered(channel, outcome string)
}

// maxReason is how much of a platform's reason is logged, in characters.
const maxReason = 300

// recordOutcome counts the end of a delivery, and logs one that did not arrive or whose outcome is unknown, without its text.
func (d *Deliverer) recordOutcome(ctx context.Context, o chat.Outbound, outcome, reason string) {
	if d.Tally != nil {
		d.Tally.Delivered(o.Channel, outcome)
	}
	if outcome == chat.OutboundSent || o.Kind == chat.OutboundQuestion && outcome == chat.OutboundExpired { // that one was closed before
		return
	}
	activity.GetLogger(ctx).Warn("a message was not delivered, or nobody knows whether it was",
		"channel", channel.Name(o.Channel, o.Account), "session", o.Session, "delivery", o.ID, "kind", cmp.Or(o.Kind, chat.OutboundMessage), "outcome", outcome,
		"reason", cut(reason))
}

func cut(reason string) string {
	if r := []rune(reason); len(r) > maxReason {
		return string(r[:maxReason]) + "…"
	}
	return reason
}
