package workflows_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/delivery"
	"xbot/internal/fault"
	"xbot/workflows"
)

// outbox stands in for the activities of Deliver.
type outbox struct {
	waiting []int64
	sent    []int64
	fails   int           // how often the platform is away
	looks   int           // how often it was asked what is next
	late    func(env int) // called at each look
}

func (o *outbox) NextDelivery(context.Context, delivery.NextDeliveryInput) (delivery.NextDeliveryOutput, error) {
	o.looks++
	if o.late != nil {
		o.late(o.looks)
	}
	if len(o.waiting) == 0 {
		return delivery.NextDeliveryOutput{}, nil
	}
	return delivery.NextDeliveryOutput{ID: o.waiting[0], Channel: "napcat", Words: "hello [log in](https://evil.example)"}, nil
}

func (o *outbox) Send(_ context.Context, in delivery.SendInput) (delivery.SendOutput, error) {
	if o.fails > 0 {
		o.fails--
		return delivery.SendOutput{}, temporal.NewApplicationError("the platform is away", string(fault.Unavailable))
	}
	o.sent = append(o.sent, in.ID)
	o.waiting = o.waiting[1:]
	return delivery.SendOutput{State: "sent"}, nil
}

func (o *outbox) env(t *testing.T) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	return delivering(o.NextDelivery, o.Send)
}

// delivering is an environment in which Deliver runs with these activities.
func delivering(next, send any) *testsuite.TestWorkflowEnvironment {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := newEnvironment(&suite)
	env.RegisterWorkflowWithOptions(workflows.Deliver, workflow.RegisterOptions{Name: workflows.NameDeliver})
	env.RegisterActivityWithOptions(next, activity.RegisterOptions{Name: activities.NameNextDelivery})
	env.RegisterActivityWithOptions(send, activity.RegisterOptions{Name: activities.NameSend})
	return env
}

func TestDeliver_SendsWhatWaitsInOrderAndCompletes(t *testing.T) {
	o := &outbox{waiting: []int64{3, 5, 8}}
	env := o.env(t)
	env.ExecuteWorkflow(workflows.NameDeliver, workflows.DeliverInput{Session: "agent:main:napcat:dm:7"})
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []int64{3, 5, 8}, o.sent)
	require.Equal(t, `**sent** · napcat · "hello \[log in\](https://evil.example)" · answer 8`, currentDetails(t, env))
}

func TestDeliver_WaitsOutAPlatformThatIsAway(t *testing.T) {
	o := &outbox{waiting: []int64{3, 5}, fails: 8}
	env := o.env(t)
	began := env.Now()
	env.ExecuteWorkflow(workflows.NameDeliver, workflows.DeliverInput{Session: "agent:main:napcat:dm:7"})
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []int64{3, 5}, o.sent)
	require.Greater(t, env.Now().Sub(began), 2*time.Minute)
}

func TestDeliver_SeesWhatComesWhileItLooksForTheLastTime(t *testing.T) {
	o := &outbox{}
	env := o.env(t)
	o.late = func(look int) {
		if look == 1 { // the row is committed right after the look, and its wake comes
			env.SignalWorkflow(workflows.SignalWake, nil)
		}
		if look == 2 {
			o.waiting = []int64{9}
		}
	}
	env.ExecuteWorkflow(workflows.NameDeliver, workflows.DeliverInput{Session: "agent:main:napcat:dm:7"})
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []int64{9}, o.sent)
}

func TestDeliver_ContinuesAsNewRatherThanGrowing(t *testing.T) {
	o := &outbox{}
	for n := range int64(1000) {
		o.waiting = append(o.waiting, n+1)
	}
	env := o.env(t)
	env.ExecuteWorkflow(workflows.NameDeliver, workflows.DeliverInput{Session: "agent:main:napcat:dm:7"})
	var next *workflow.ContinueAsNewError
	require.ErrorAs(t, env.GetWorkflowError(), &next)
	require.Less(t, len(o.sent), 500)
}
