package wake

import (
	"cmp"
	"context"
	"fmt"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"xbot/internal/channel/delivery"
	"xbot/workflows"
)

// StartDeliver signals the Deliver workflow of a session that something waits, starting it if none runs. It may be repeated
// at will.
func (s *Starter) StartDeliver(ctx context.Context, u delivery.Undelivered) error {
	id := workflows.DeliverID(u.Session)
	channel, user := s.about(ctx, u.Session)
	u.Channel = cmp.Or(u.Channel, channel)
	o := s.options(id, "deliver · "+u.Channel, u.Session, user, workflows.KindDeliver, s.Attributes.Known())
	if s.Attributes.Known() {
		o.TypedSearchAttributes = temporal.NewSearchAttributes(o.TypedSearchAttributes.Copy(), workflows.AttrChannel.ValueSet(keyword(u.Channel)))
	}
	return s.signal(ctx, o, workflows.NameDeliver, workflows.DeliverInput{Session: u.Session})
}

// signal starts a workflow, or wakes it where it runs. After any end of earlier runs there may be another.
func (s *Starter) signal(ctx context.Context, o client.StartWorkflowOptions, name string, input any) error {
	o.WorkflowIDReusePolicy, o.WorkflowIDConflictPolicy, o.WorkflowExecutionErrorWhenAlreadyStarted = 0, 0, false
	if _, err := s.Client.SignalWithStartWorkflow(ctx, o.ID, workflows.SignalWake, nil, o, name, input); err != nil {
		return fmt.Errorf("wake %s: %w", o.ID, err)
	}
	return nil
}
