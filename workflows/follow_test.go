package workflows_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"xbot/activities"
	"xbot/activities/delivery"
	"xbot/internal/fault"
	"xbot/workflows"
)

// course is a turn that is followed: what is done in it, in order.
type course struct {
	outbox
	running bool
	done    []string
	follows []func() error // what happens while it is followed
}

func (c *course) NextDelivery(ctx context.Context, in delivery.NextDeliveryInput) (delivery.NextDeliveryOutput, error) {
	out, err := c.outbox.NextDelivery(ctx, in)
	if out.ID == 0 && c.running {
		out = delivery.NextDeliveryOutput{Follow: "t1", Channel: "feishu"}
	}
	return out, err
}

func (c *course) Follow(_ context.Context, in delivery.FollowInput) (delivery.FollowOutput, error) {
	c.done = append(c.done, "follow "+string(in.Turn))
	happens := c.follows[0]
	c.follows = c.follows[1:]
	return delivery.FollowOutput{Why: "something is to be sent"}, happens()
}

func (c *course) Send(ctx context.Context, in delivery.SendInput) (delivery.SendOutput, error) {
	c.done = append(c.done, "send")
	return c.outbox.Send(ctx, in)
}

func TestDeliver_FollowsATurnBetweenWhatItSends(t *testing.T) {
	c := &course{running: true}
	c.follows = []func() error{
		func() error { c.waiting = []int64{3}; return nil }, // a question
		func() error { return temporal.NewApplicationError("Postgres is away", string(fault.Unavailable)) },
		func() error { c.waiting, c.running = []int64{5}, false; return nil }, // the answer
	}
	env := delivering(c.NextDelivery, c.Send)
	env.RegisterActivityWithOptions(c.Follow, activity.RegisterOptions{Name: activities.NameFollow})
	began := env.Now()
	env.ExecuteWorkflow(workflows.NameDeliver, workflows.DeliverInput{Session: "agent:main:feishu:dm:7"})
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []string{"follow t1", "send", "follow t1", "follow t1", "send"}, c.done)
	require.Equal(t, []int64{3, 5}, c.sent)
	require.Less(t, env.Now().Sub(began), time.Minute)
}
