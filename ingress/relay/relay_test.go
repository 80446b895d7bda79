package relay_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	workflow "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"

	"xbot/ingress/ingresstest"
	"xbot/ingress/relay"
	"xbot/ingress/wake"
	"xbot/internal/automation/cron/cronstore"
	"xbot/internal/automation/schedule"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/store"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/policy"
)

// temporal answers what Temporal says of runs.
type temporal struct {
	status map[string]enums.WorkflowExecutionStatus // by run id
	reset  map[string]string                        // run id to the run that took its place
	failed map[string]int32                         // run id to attempts of its workflow task
	err    error
	asked  []string // workflow id and run id
	probed int      // times that it was asked whether it is there
	before func()   // called before it answers
}

func (d *temporal) DescribeWorkflowExecution(_ context.Context, workflowID, runID string) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	if workflowID == "relay-probe" {
		d.probed++
	} else {
		d.asked = append(d.asked, workflowID+" "+runID)
	}
	if d.before != nil {
		d.before()
	}
	if d.err != nil {
		return nil, d.err
	}
	status, ok := d.status[runID]
	if !ok {
		return nil, serviceerror.NewNotFound("no such run")
	}
	return &workflowservice.DescribeWorkflowExecutionResponse{
		WorkflowExecutionInfo: &workflow.WorkflowExecutionInfo{Status: status},
		WorkflowExtendedInfo:  &workflow.WorkflowExecutionExtendedInfo{ResetRunId: d.reset[runID]},
		PendingWorkflowTask:   &workflow.PendingWorkflowTaskInfo{Attempt: d.failed[runID]},
	}, nil
}

type relayBundle struct {
	*bundle
	*relay.Relay
	temporal *temporal
	metrics  *prometheus.Registry
}

// metric returns the sum of a metric over its labels.
func (r *relayBundle) metric(name string) (sum float64) {
	r.T.Helper()
	families, err := r.metrics.Gather()
	require.NoError(r.T, err)
	for _, f := range families {
		if f.GetName() == name {
			for _, m := range f.GetMetric() {
				sum += m.GetCounter().GetValue() + m.GetGauge().GetValue()
			}
		}
	}
	return sum
}

func relaying(t *testing.T) *relayBundle {
	t.Helper()
	b := setup(t)
	r := &relayBundle{bundle: b, metrics: prometheus.NewRegistry(), temporal: &temporal{status: map[string]enums.WorkflowExecutionStatus{}, reset: map[string]string{}, failed: map[string]int32{}}}
	r.Relay = &relay.Relay{
		Agents: b.Store.Agents, Attachments: b.Store.Attachments, Calls: b.Store.Calls, Conversations: b.Store.Conversations, Cron: b.Store.Cron, Deliveries: b.Store.Deliveries, Inbox: b.Store.Inbox, Leases: b.Store.Leases, Migrations: b.Store.Storage, Turns: b.Store.Turns, Users: b.Store.Users, Wakes: b.Woken, Client: r.temporal, Metrics: relay.NewMetrics(r.metrics),
		HeldAfter: 5 * time.Minute, Log: slog.New(slog.DiscardHandler),
	}
	return r
}

// running opens a turn whose run has a status.
func (r *relayBundle) running(status enums.WorkflowExecutionStatus) {
	r.T.Helper()
	r.Write(ingresstest.Key, "m1")
	r.ClaimTurn(ingresstest.Key, "t1")
	r.temporal.status["run-t1"] = status
	r.Age(time.Minute)
}

func (r *relayBundle) begin() {
	r.T.Helper()
	_, _, _, err := r.Bundle.Store.Turns.BeginStep(r.T.Context(), chat.Step{Session: ingresstest.Key, Turn: "t1"})
	require.NoError(r.T, err)
}

func TestRelay_WakesARowThatNobodyTook(t *testing.T) {
	r := relaying(t)
	r.Write(ingresstest.Key, "m1")
	r.Write(ingresstest.Key, "m2")
	require.NoError(t, r.Round(t.Context()))
	require.Empty(t, r.Bundle.Wakes.Rows, "a fresh row was woken by its ingress")
	r.Age(3 * time.Second)
	require.NoError(t, r.Round(t.Context()))
	require.Equal(t, []wake.TurnWake{{Session: ingresstest.Key, Channel: "web", UserName: "alice", Text: "text of m1"}}, r.Bundle.Wakes.Rows, "one wake a session")
	require.InDelta(t, 1, r.metric("xbot_relay_woken_total"), 0)
	require.NoError(t, r.Round(t.Context()))
	require.Len(t, r.Bundle.Wakes.Rows, 1, "it waits longer before it tries again")
}

func TestRelay_LeavesRowsToALiveTurnButWakesItsStop(t *testing.T) {
	r := relaying(t)
	r.running(enums.WORKFLOW_EXECUTION_STATUS_RUNNING)
	r.Write(ingresstest.Key, "m2")
	r.Age(time.Minute)
	require.NoError(t, r.Round(t.Context()))
	require.Empty(t, r.Bundle.Wakes.Rows)
	_, err := r.Bundle.Store.Turns.Stop(t.Context(), r.Inbound(ingresstest.Key, "s1", "").NewRow, i18n.English)
	require.NoError(t, err)
	r.Age(time.Minute)
	require.NoError(t, r.Round(t.Context()))
	require.Len(t, r.Bundle.Wakes.Rows, 1)
}

func TestRelay_WakesALiveTurnForAMessageThatIsMeantForIt(t *testing.T) {
	r := relaying(t)
	r.running(enums.WORKFLOW_EXECUTION_STATUS_RUNNING)
	in := r.Inbound(ingresstest.Key, "m2", "text of m2").NewRow
	in.Queue = chat.Queue{Mode: chat.QueueSteer}
	_, err := r.Bundle.Store.Turns.Accept(t.Context(), in)
	require.NoError(t, err)
	require.NoError(t, r.Round(t.Context()))
	require.Empty(t, r.Bundle.Wakes.Rows, "its ingress has woken the turn")
	r.Age(3 * time.Second)
	require.NoError(t, r.Round(t.Context()))
	require.Len(t, r.Bundle.Wakes.Rows, 1, "that wake may be lost, and the turn reads the message only when it is woken")
}

func TestRelay_OneSessionThatCannotBeWokenDoesNotHoldUpTheOthers(t *testing.T) {
	r := relaying(t)
	for i := range 5 {
		other := chat.SessionKey(fmt.Sprint("agent:main:web:thread:", i))
		r.MakeSession(other)
		r.Write(other, fmt.Sprint("m", i))
	}
	r.Age(time.Minute)
	r.Bundle.Wakes.Fail = func(_ context.Context, row wake.TurnWake) error {
		if row.Session == "agent:main:web:thread:0" {
			return serviceerror.NewInvalidArgument("Temporal does not like it")
		}
		return nil
	}
	require.ErrorContains(t, r.Round(t.Context()), "does not like it")
	require.Len(t, r.Bundle.Wakes.Sessions(), 5)
	require.InDelta(t, 4, r.metric("xbot_relay_woken_total"), 0)
}

func TestRelay_DoesNotAskASecondTimeWhileTemporalIsAway(t *testing.T) {
	r := relaying(t)
	for i := range 5 {
		other := chat.SessionKey(fmt.Sprint("agent:main:web:thread:", i))
		r.MakeSession(other)
		r.Write(other, fmt.Sprint("m", i))
	}
	r.Age(time.Minute)
	r.Bundle.Wakes.Fail = func(context.Context, wake.TurnWake) error { return serviceerror.NewUnavailable("connection refused") }
	require.Error(t, r.Round(t.Context()))
	require.Len(t, r.Bundle.Wakes.Sessions(), 1, "each try may take ten seconds")
}

func TestRelay_SettlesTurnsWhoseRunIsClosedOrUnknown(t *testing.T) {
	for name, status := range map[string]enums.WorkflowExecutionStatus{
		"completed": enums.WORKFLOW_EXECUTION_STATUS_COMPLETED, "failed": enums.WORKFLOW_EXECUTION_STATUS_FAILED,
		"cancelled": enums.WORKFLOW_EXECUTION_STATUS_CANCELED, "terminated": enums.WORKFLOW_EXECUTION_STATUS_TERMINATED,
		"continued": enums.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW, "timed out": enums.WORKFLOW_EXECUTION_STATUS_TIMED_OUT,
		"unknown": 0,
	} {
		t.Run(name, func(t *testing.T) {
			r := relaying(t)
			r.running(status)
			if name == "unknown" {
				delete(r.temporal.status, "run-t1")
			}
			r.begin()
			require.NoError(t, r.Round(t.Context()))
			require.Equal(t, chat.TurnLost, r.LastTurn(ingresstest.Key).State)
			messages := r.Transcript(ingresstest.Key).Messages
			require.Equal(t, i18n.Say(i18n.English, i18n.Gone), messages[len(messages)-1].Content)
			require.InDelta(t, 1, r.metric("xbot_relay_settled_total"), 0)
			require.Equal(t, []string{"turn/" + string(ingresstest.Key) + " run-t1"}, r.temporal.asked)
		})
	}
}

func TestRelay_LeavesLiveTurnsAlone(t *testing.T) {
	for name, status := range map[string]enums.WorkflowExecutionStatus{
		"running": enums.WORKFLOW_EXECUTION_STATUS_RUNNING, "paused by an operator": enums.WORKFLOW_EXECUTION_STATUS_PAUSED,
		"in a state that is not known": 99, "in no state": enums.WORKFLOW_EXECUTION_STATUS_UNSPECIFIED,
	} {
		t.Run(name, func(t *testing.T) {
			r := relaying(t)
			r.running(status)
			require.NoError(t, r.Round(t.Context()))
			require.Equal(t, chat.TurnRunning, r.LastTurn(ingresstest.Key).State)
			require.NoError(t, r.Round(t.Context()))
			require.Len(t, r.temporal.asked, 1, "a turn is trusted for a while")
		})
	}
}

func TestRelay_ATurnOfATemporalThatDoesNotAnswerIsLeftAlone(t *testing.T) {
	for name, err := range map[string]error{
		"unavailable":        serviceerror.NewUnavailable("connection refused"),
		"too slow":           context.DeadlineExceeded,
		"no namespace":       serviceerror.NewNamespaceNotFound("default"),
		"not allowed":        serviceerror.NewPermissionDenied("no", ""),
		"overloaded":         serviceerror.NewResourceExhausted(enums.RESOURCE_EXHAUSTED_CAUSE_RPS_LIMIT, "slow down"),
		"something internal": serviceerror.NewInternal("oops"),
		"anything else":      errors.New("EOF"),
	} {
		t.Run(name, func(t *testing.T) {
			r := relaying(t)
			r.running(enums.WORKFLOW_EXECUTION_STATUS_RUNNING)
			r.temporal.err = err
			require.ErrorIs(t, r.Round(t.Context()), err)
			require.Equal(t, chat.TurnRunning, r.LastTurn(ingresstest.Key).State)
			require.Empty(t, r.Transcript(ingresstest.Key).Queued)
		})
	}
}

func TestRelay_ReleasesAClaimWhoseRunVanishedBeforeItsFirstStep(t *testing.T) {
	r := relaying(t)
	r.running(enums.WORKFLOW_EXECUTION_STATUS_TERMINATED)
	require.NoError(t, r.Round(t.Context()))
	require.Len(t, r.Transcript(ingresstest.Key).Queued, 1)
	require.NoError(t, r.Round(t.Context()))
	require.Len(t, r.Bundle.Wakes.Rows, 1, "and wakes it at once")
}

func TestRelay_NeverSettlesATurnThatEndedMeanwhile(t *testing.T) {
	r := relaying(t)
	r.running(enums.WORKFLOW_EXECUTION_STATUS_COMPLETED)
	r.begin()
	r.temporal.before = func() {
		_, err := r.Bundle.Store.Turns.FinishTurn(context.Background(), ingresstest.Key, "t1", chat.TurnDone, "")
		require.NoError(t, err)
	}
	require.NoError(t, r.Round(t.Context()))
	require.Equal(t, chat.TurnDone, r.LastTurn(ingresstest.Key).State)
	require.Len(t, r.Transcript(ingresstest.Key).Messages, 1, "nobody is told that it was lost")
	require.Zero(t, r.metric("xbot_relay_settled_total"))
}

func TestRelay_FollowsAResetToTheNewRun(t *testing.T) {
	r := relaying(t)
	r.running(enums.WORKFLOW_EXECUTION_STATUS_TERMINATED)
	r.temporal.reset["run-t1"] = "run-reset"
	r.temporal.status["run-reset"] = enums.WORKFLOW_EXECUTION_STATUS_RUNNING
	require.NoError(t, r.Round(t.Context()))
	require.Equal(t, chat.TurnRunning, r.LastTurn(ingresstest.Key).State)
	require.Equal(t, "run-reset", r.LastTurn(ingresstest.Key).RunID)
	r.Age(time.Minute)
	require.NoError(t, r.Round(t.Context()))
	require.Equal(t, "turn/"+string(ingresstest.Key)+" run-reset", r.temporal.asked[1])
	require.Equal(t, chat.TurnRunning, r.LastTurn(ingresstest.Key).State)
	r.temporal.status["run-reset"] = enums.WORKFLOW_EXECUTION_STATUS_TERMINATED
	r.begin()
	r.Age(time.Minute)
	require.NoError(t, r.Round(t.Context()))
	require.Equal(t, chat.TurnLost, r.LastTurn(ingresstest.Key).State)
}

func TestRelay_TellsOnceThatAnAnswerIsHeldUp(t *testing.T) {
	r := relaying(t)
	r.running(enums.WORKFLOW_EXECUTION_STATUS_RUNNING)
	r.temporal.failed["run-t1"] = 7
	require.NoError(t, r.Round(t.Context()))
	require.Len(t, r.Transcript(ingresstest.Key).Messages, 1, "not before five minutes")
	require.InDelta(t, 1, r.metric("xbot_turns_held"), 0)
	for range 3 {
		r.Age(5 * time.Minute)
		require.NoError(t, r.Round(t.Context()))
	}
	messages := r.Transcript(ingresstest.Key).Messages
	require.Len(t, messages, 2)
	require.Equal(t, i18n.Say(i18n.English, i18n.Held), messages[1].Content)
	require.Equal(t, chat.TurnRunning, r.LastTurn(ingresstest.Key).State, "a mended deployment resumes it")
	r.temporal.failed["run-t1"] = 1
	r.Age(time.Minute)
	require.NoError(t, r.Round(t.Context()))
	require.InDelta(t, 0, r.metric("xbot_turns_held"), 0)
}

func TestRelay_TellsSendersWhoseMessageNoTurnCouldClaim(t *testing.T) {
	r := relaying(t)
	r.Write(ingresstest.Key, "m1")
	r.Age(10 * time.Minute)
	for range 2 {
		require.NoError(t, r.Round(t.Context()))
	}
	messages := r.Transcript(ingresstest.Key).Messages
	require.Len(t, messages, 1)
	require.Equal(t, i18n.Say(i18n.English, i18n.Held), messages[0].Content)
	require.Len(t, r.Transcript(ingresstest.Key).Queued, 1, "it still waits")
}

func TestRelay_RunsUntilItIsToldToStopWhateverFails(t *testing.T) {
	r := relaying(t)
	r.running(enums.WORKFLOW_EXECUTION_STATUS_RUNNING)
	r.temporal.err = serviceerror.NewUnavailable("connection refused")
	asked := make(chan struct{}, 100)
	r.temporal.before = func() { asked <- struct{}{} }
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	for range 2 {
		select {
		case <-asked:
			r.Age(time.Minute)
		case <-time.After(ingresstest.Limit):
			require.Fail(t, "the relay gave up")
		}
	}
	cancel()
	require.NoError(t, <-ended)
}

// atOnce is a policy that lets some turns run at once.
type atOnce struct{ turns int }

func (a *atOnce) Get(context.Context) (*policy.Policy, error) {
	return &policy.Policy{Limits: policy.Limits{Turns: a.turns}}, nil
}

func TestRelay_HandsOutTurnsAndShowsTheLine(t *testing.T) {
	r := relaying(t)
	most := &atOnce{1}
	next := r.Woken
	r.Bundle.Store = store.New(r.Pool, store.Options{Policies: most, Wakes: next})
	r.Relay.Turns = r.Bundle.Store.Turns
	const other = chat.SessionKey("agent:main:web:thread:other")
	r.MakeSession(other)
	r.Write(ingresstest.Key, "m1")
	r.Write(other, "m2")
	r.ClaimTurn(ingresstest.Key, "t1")
	r.temporal.status["run-t1"] = enums.WORKFLOW_EXECUTION_STATUS_RUNNING
	_, ok, err := r.Bundle.Store.Turns.Claim(t.Context(), other, "t2", "run-t2", 0)
	require.NoError(t, err)
	require.False(t, ok)
	r.Age(time.Minute)
	require.NoError(t, r.Round(t.Context()))
	next.Wait()
	require.InDelta(t, 1, r.metric("xbot_turns_running"), 0)
	require.InDelta(t, 1, r.metric("xbot_turns_waiting"), 0)
	require.Empty(t, r.Bundle.Wakes.Sessions())

	most.turns = 2
	require.NoError(t, r.Round(t.Context()))
	next.Wait()
	require.Contains(t, r.Bundle.Wakes.Sessions(), other, "a raised limit wakes who waits")
	require.InDelta(t, 0, r.metric("xbot_turns_waiting"), 0)
	r.ClaimTurn(other, "t2")

	step := chat.Step{Session: other, Turn: "t2", N: 1}
	_, _, _, err = r.Bundle.Store.Turns.BeginStep(t.Context(), step)
	require.NoError(t, err)
	_, waits, err := r.Bundle.Store.Turns.WaitForProvider(t.Context(), step, chat.ProviderFailure{Reason: "network", Pause: time.Hour, LeastPause: time.Hour})
	require.NoError(t, err)
	require.True(t, waits)
	require.NoError(t, r.Round(t.Context()))
	require.InDelta(t, 1, r.metric("xbot_turns_without_provider"), 0)
	require.InDelta(t, 1, r.metric("xbot_turns_running"), 0, "the other one")
}

func TestRelay_StartsWhatIsToBeMemorizedAndLooksAgainLater(t *testing.T) {
	r := relaying(t)
	for _, id := range []string{"a", "b", "c"} {
		r.Write(ingresstest.Key, id)
		r.ClaimTurn(ingresstest.Key, chat.TurnID("turn-"+id))
		_, err := r.Bundle.Store.Turns.FinishTurn(t.Context(), ingresstest.Key, chat.TurnID("turn-"+id), chat.TurnDone, "")
		require.NoError(t, err)
	}
	require.NoError(t, r.Bundle.Store.Conversations.Renew(t.Context(), ingresstest.Key, "x", chat.ResetNew))
	require.NoError(t, r.Round(t.Context()))
	require.Len(t, r.Starts.Memories, 1)
	require.NoError(t, r.Round(t.Context()))
	require.Len(t, r.Starts.Memories, 1, "it is trusted for a while")
	_, err := r.Pool.Exec(t.Context(), "UPDATE memorize_jobs SET checked_at = now() - interval '1 minute'")
	require.NoError(t, err)
	require.NoError(t, r.Round(t.Context()))
	require.Len(t, r.Starts.Memories, 2, "a workflow may be lost")
}

func TestRelay_StartsWhatRunsBesideTurnsUntilItHasEnded(t *testing.T) {
	r := relaying(t)
	got, err := r.Bundle.Store.Turns.AcceptBang(t.Context(), r.Inbound(ingresstest.Key, "b1", "!ls").NewRow, "ls")
	require.NoError(t, err)
	call := r.task()
	require.NoError(t, r.Round(t.Context()))
	require.Empty(t, r.Starts.Bangs, "the ingress starts what it accepted")
	require.Empty(t, r.Starts.Tasks, "the worker starts what it recorded")
	r.Age(time.Minute)
	_, err = r.Pool.Exec(t.Context(), "UPDATE background_tasks SET checked_at = checked_at - interval '1 minute'")
	require.NoError(t, err)
	require.NoError(t, r.Round(t.Context()))
	require.Equal(t, []chat.InboxID{got.ID}, r.Starts.Bangs)
	require.Equal(t, []chat.CallID{call}, r.Starts.Tasks)
	require.NoError(t, r.Round(t.Context()))
	require.Len(t, r.Starts.Bangs, 1, "it waits longer before it tries again")
	require.Len(t, r.Starts.Tasks, 1)
}

// task makes a call of a turn that has ended a background task.
func (r *relayBundle) task() chat.CallID {
	r.T.Helper()
	r.Write(ingresstest.Key, "m1")
	r.ClaimTurn(ingresstest.Key, "t1")
	r.begin()
	call := chat.ToolCall{ID: "t1.0.0", Name: "Shell", Class: chat.ClassExec, State: chat.CallOpen}
	_, err := r.Bundle.Store.Turns.CommitStep(r.T.Context(), chat.Step{Session: ingresstest.Key, Turn: "t1"}, chat.Answer{Finish: "tool_calls", Calls: []chat.ToolCall{call}})
	require.NoError(r.T, err)
	require.NoError(r.T, r.Bundle.Store.Calls.FinishCall(r.T.Context(), call.ID, chat.ToolResult{Background: &chat.Background{Command: "make", StartedAt: time.Now()}}))
	_, err = r.Bundle.Store.Turns.FinishTurn(r.T.Context(), ingresstest.Key, "t1", chat.TurnDone, "")
	require.NoError(r.T, err)
	return call.ID
}

// idle is a store in which nothing is due. Its other methods panic.
type idle struct {
	relay.Turns
	relay.Inbox
}

func (idle) Due(context.Context, engine.Trusted) (engine.Due, error) {
	return engine.Due{Load: engine.Load{Running: 3}}, nil
}

func (idle) EndBackOff(context.Context) error { return nil } // once, at the start

func TestRelay_AsksOnceWhereNothingIsDue(t *testing.T) {
	t.Parallel()
	metrics := prometheus.NewRegistry()
	r := &relay.Relay{
		Agents: struct{ relay.Agents }{}, Attachments: struct{ relay.Attachments }{}, Calls: struct{ relay.Calls }{},
		Conversations: struct{ relay.Conversations }{}, Cron: struct{ relay.Cron }{}, Deliveries: struct{ relay.Deliveries }{},
		Inbox: idle{}, Leases: struct{ relay.Leases }{}, Migrations: struct{ relay.Migrations }{}, Turns: idle{}, Users: struct{ relay.Users }{},
		Client: &temporal{}, Metrics: relay.NewMetrics(metrics), Log: slog.New(slog.DiscardHandler),
	}
	require.NoError(t, r.Round(t.Context()))
	require.InDelta(t, 3, (&relayBundle{bundle: &bundle{&ingresstest.Bundle{T: t}}, metrics: metrics}).metric("xbot_turns_running"), 0)
}

func TestRelay_WakesAtOnceWhatAnOutageOfTemporalHasPutOff(t *testing.T) {
	r := relaying(t)
	ctx := t.Context()
	r.Write(ingresstest.Key, "m1")
	next := time.Now().Add(-time.Minute)
	job, _, err := r.Bundle.Store.Cron.AddJob(ctx, cronstore.Job{
		Job: chat.Job{
			ID: "job_00000001", Owner: r.User.ID, State: chat.JobActive, Next: &next,
			JobPlan: chat.JobPlan{Name: "news", Message: "look", Zone: "UTC", Missed: "once", MaxAge: 60, Target: ingresstest.Key},
		},
		Spec: schedule.Spec{Kind: schedule.Every, Every: time.Hour, At: next, Zone: "UTC"},
	})
	require.NoError(t, err)
	putOff := func() {
		t.Helper()
		_, err := r.Pool.Exec(ctx, "UPDATE inbox SET wakes = 9, woken_at = now()")
		require.NoError(t, err)
		_, err = r.Pool.Exec(ctx, "UPDATE cron_jobs SET due_at = now() - interval '1 minute', checks = 7, checked_at = now() WHERE id = $1", job.ID)
		require.NoError(t, err)
	}
	pauses := func() (wakes, checks int) {
		t.Helper()
		require.NoError(t, r.Pool.QueryRow(ctx, "SELECT (SELECT max(wakes) FROM inbox), (SELECT max(checks) FROM cron_jobs)").Scan(&wakes, &checks))
		return wakes, checks
	}
	away := serviceerror.NewUnavailable("Temporal is away")

	putOff()
	require.NoError(t, r.Round(ctx), "the relay has just started")
	require.Len(t, r.Bundle.Wakes.Rows, 1, "it does not know how long Temporal was away before")
	putOff()
	require.NoError(t, r.Round(ctx))
	require.Len(t, r.Bundle.Wakes.Rows, 1, "without an outage each row waits for its time")

	r.Age(time.Hour)
	r.Bundle.Wakes.Fail = func(context.Context, wake.TurnWake) error { return away }
	r.temporal.err = away
	require.ErrorContains(t, r.Round(ctx), "Temporal is away")
	require.Len(t, r.Bundle.Wakes.Rows, 2)
	putOff()
	for range 5 {
		r.Age(time.Hour)
		probed := r.temporal.probed
		require.ErrorContains(t, r.Round(ctx), "Temporal is away")
		require.Equal(t, probed+1, r.temporal.probed, "one probe a round")
	}
	require.Len(t, r.Bundle.Wakes.Rows, 2)
	wakes, checks := pauses()
	require.Equal(t, []int{9, 7}, []int{wakes, checks}, "no pause grows in an outage")
	putOff()

	r.temporal.err, r.Bundle.Wakes.Fail = nil, nil
	require.NoError(t, r.Round(ctx))
	require.Len(t, r.Bundle.Wakes.Rows, 3, "with the first answer all that is due is woken")
	wakes, checks = pauses()
	require.Equal(t, []int{1, 1}, []int{wakes, checks})
}

func TestRelay_KeepsPausesWhereOnlyOneWorkflowDoesNotAnswer(t *testing.T) {
	r := relaying(t)
	ctx := t.Context()
	require.NoError(t, r.Round(ctx))
	r.Write(ingresstest.Key, "m1")
	r.Bundle.Wakes.Fail = func(context.Context, wake.TurnWake) error { return context.DeadlineExceeded }
	for range 3 {
		r.Age(time.Hour)
		require.Error(t, r.Round(ctx))
	}
	var wakes int
	require.NoError(t, r.Pool.QueryRow(ctx, "SELECT wakes FROM inbox").Scan(&wakes))
	require.Equal(t, 3, wakes)
}
