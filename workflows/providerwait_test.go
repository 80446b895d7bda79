package workflows_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"xbot/activities/modelcall"
	"xbot/internal/chat"
	"xbot/internal/user/notices"
)

// worked is a turn that has done something before its provider fails.
const worked = "call todo_write {\"todos\":[{\"id\":\"1\",\"text\":\"work\",\"done\":false}]}\nthen\n"

// unlimited lifts two limits that the testsuite has and the server has not: ten attempts, and heartbeats that count through all attempts of an
// activity, in real time, as if hundreds of short ones were a single one that is silent.
type unlimited struct {
	interceptor.WorkerInterceptorBase
}

func (*unlimited) InterceptWorkflow(_ workflow.Context, next interceptor.WorkflowInboundInterceptor) interceptor.WorkflowInboundInterceptor {
	return &unlimitedIn{interceptor.WorkflowInboundInterceptorBase{Next: next}}
}

type unlimitedIn struct {
	interceptor.WorkflowInboundInterceptorBase
}

func (u *unlimitedIn) Init(out interceptor.WorkflowOutboundInterceptor) error {
	return u.Next.Init(&unlimitedOut{interceptor.WorkflowOutboundInterceptorBase{Next: out}})
}

type unlimitedOut struct {
	interceptor.WorkflowOutboundInterceptorBase
}

func (u *unlimitedOut) ExecuteActivity(ctx workflow.Context, name string, args ...any) workflow.Future {
	options := workflow.GetActivityOptions(ctx)
	if options.RetryPolicy != nil && options.RetryPolicy.MaximumAttempts == 0 {
		policy := *options.RetryPolicy
		policy.MaximumAttempts = 1 << 20
		options.RetryPolicy, options.HeartbeatTimeout = &policy, 0
	}
	return u.Next.ExecuteActivity(workflow.WithActivityOptions(ctx, options), name, args...)
}

// skipOutages prepares a conversation whose provider is away for as long as its program says.
func skipOutages(t *testing.T, document string) *days {
	t.Helper()
	d := skipDays(t, document)
	d.env.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: deadlockTime, Interceptors: []interceptor.WorkerInterceptor{&unlimited{}}})
	d.model.Retry = modelcall.Retry{Attempts: 5, Delay: time.Second, MaxDelay: 30 * time.Second}
	return d
}

// notices returns what the product has said in the conversation.
func (d *days) notices() (out []string) {
	d.t.Helper()
	rows, err := d.pool.Query(d.t.Context(), `SELECT content FROM messages WHERE role = 'notice' AND session_key <> $1 ORDER BY id`, notices.Conversation)
	require.NoError(d.t, err)
	defer rows.Close()
	for rows.Next() {
		var text string
		require.NoError(d.t, rows.Scan(&text))
		out = append(out, text)
	}
	require.NoError(d.t, rows.Err())
	return out
}

// course returns the newest turn.
func (d *days) course() chat.Turn {
	d.t.Helper()
	turns, err := d.Conversations.Turns(d.t.Context(), key, 1)
	require.NoError(d.t, err)
	require.NotEmpty(d.t, turns)
	return turns[0]
}

func TestDays_ATurnThatHasWorkedWaitsADayForItsProvider(t *testing.T) {
	d := skipOutages(t, `{}`)
	d.write(0, worked+"fail 503\nsay never")
	d.at(23*time.Hour, func() {
		got := d.course()
		require.Equal(t, chat.TurnRunning, got.State)
		require.NotNil(t, got.Waits)
		require.Equal(t, "server error, HTTP 503", got.Waits.Reason)
		require.Equal(t, 24*time.Hour, got.Waits.Until.Sub(got.Waits.Since))
		require.Len(t, d.notices(), 1, "it is said once")
		require.Contains(t, d.notices()[0], "cannot be reached (server error, HTTP 503)")
		require.Contains(t, d.notices()[0], "within 24 h")
	})
	d.pass(25 * time.Hour)
	got := d.course()
	require.Equal(t, chat.TurnFailed, got.State)
	require.Nil(t, got.Waits)
	require.WithinDuration(t, morning.Add(24*time.Hour), *got.EndedAt, 2*time.Minute)
	require.Len(t, d.notices(), 2)
	require.Contains(t, d.notices()[1], "could not answer after", "the end is told as after the first attempts")
	asked := d.server.Count()
	require.Greater(t, asked, 200, "the provider is asked every few minutes")
	require.Less(t, asked, 400)
}

func TestDays_ATurnThatWaitsGoesOnByItself(t *testing.T) {
	d := skipOutages(t, `{}`)
	d.write(0, worked+"fail 503 40\nsay after all")
	d.pass(12 * time.Hour)
	require.Equal(t, chat.TurnDone, d.course().State)
	require.Nil(t, d.course().Waits)
	require.Len(t, d.notices(), 1)
	require.Equal(t, 1+40+1, d.server.Count())
	var said string
	require.NoError(t, d.pool.QueryRow(t.Context(), `SELECT content FROM messages WHERE role = 'assistant' ORDER BY id DESC LIMIT 1`).Scan(&said))
	require.Equal(t, "after all", said)
}

func TestDays_WhatIsWrittenWhileATurnWaitsJoinsItsStep(t *testing.T) {
	d := skipOutages(t, `{}`)
	d.write(0, worked+"fail 503\nsay never")
	d.write(time.Hour, "say both")
	d.write(2*time.Hour, "say later")
	d.at(100*time.Minute, func() {
		require.Equal(t, chat.TurnDone, d.course().State)
		saw := d.saw()
		require.Contains(t, strings.Join(saw[len(saw)-1], "\n"), "say never")
		require.Contains(t, strings.Join(saw[len(saw)-1], "\n"), "say both")
	})
	d.pass(3 * time.Hour)
	require.Equal(t, 2, d.turns(), "the message that came meanwhile had no turn of its own")
}

func TestDays_AMessageBringsTheNextAttemptForward(t *testing.T) {
	for mode, joins := range map[string]bool{"steer": true, "followup": false} {
		t.Run(mode, func(t *testing.T) {
			d := skipOutages(t, `{messages: {queue: {mode: "`+mode+`"}}}`)
			d.model.Retry.MaxDelay = 10 * time.Minute // it asks after 10, 30 and 70 minutes, a quarter more at most, then not before 150
			d.write(0, worked+"fail 503 9\nsay after all")
			d.at(2*time.Hour-time.Second, func() { require.Equal(t, 1+5+3, d.server.Count()) })
			d.write(2*time.Hour, "say you, too")
			d.at(2*time.Hour+2*time.Second, func() {
				require.Equal(t, 1+5+4, d.server.Count(), "who writes is there: it is asked at once")
				saw := d.saw()
				require.Equal(t, joins, strings.Contains(strings.Join(saw[len(saw)-1], "\n"), "you, too"))
			})
			d.pass(12 * time.Hour)
			require.Equal(t, chat.TurnDone, d.course().State)
		})
	}
}

func TestDays_ManyMessagesAskAProviderNoMoreOftenThanAtFirst(t *testing.T) {
	d := skipOutages(t, `{messages: {queue: {mode: "followup"}}}`)
	d.write(0, worked+"fail 503\nsay never")
	var asked int
	d.at(2*time.Hour, func() { asked = d.server.Count() })
	for n := range 30 {
		d.write(2*time.Hour+time.Duration(n)*20*time.Second, "say later")
	}
	d.at(2*time.Hour+10*time.Minute, func() {
		more := d.server.Count() - asked
		require.GreaterOrEqual(t, more, 12, "messages bring attempts forward")
		require.LessOrEqual(t, more, 21, "attempts are 30 s apart")
	})
	d.pass(2*time.Hour + 11*time.Minute)
}

func TestDays_APolicyBoundsTheWait(t *testing.T) {
	d := skipOutages(t, `{limits: {providerWaitMinutes: 90}}`)
	d.write(0, worked+"fail 429\nsay never")
	d.pass(24 * time.Hour)
	require.Equal(t, chat.TurnFailed, d.course().State)
	require.WithinDuration(t, morning.Add(90*time.Minute), *d.course().EndedAt, 2*time.Minute)
	require.Contains(t, d.notices()[0], "within 1 h 30 min")
}

func TestDays_ATurnThatWaitsForItsFirstStepGoesOnByItselfAtThePage(t *testing.T) {
	d := skipOutages(t, `{}`)
	d.write(0, "fail 503 9\nsay after all")
	d.pass(time.Hour)
	require.Equal(t, chat.TurnDone, d.course().State)
	require.Equal(t, 9+1, d.server.Count())
	require.Len(t, d.notices(), 1)
	require.Contains(t, d.notices()[0], "waits and goes on by itself")
}

func TestDays_NobodyWaitsForAProviderThatRefusesOrSaysNothing(t *testing.T) {
	for _, program := range []string{worked + "fail 401", worked + "fail 403", worked + "fail 400", "empty"} {
		t.Run(program, func(t *testing.T) {
			d := skipOutages(t, `{}`)
			d.write(0, program)
			d.pass(time.Hour)
			require.Equal(t, chat.TurnFailed, d.course().State)
			require.Len(t, d.notices(), 1)
			require.NotContains(t, d.notices()[0], "waits")
		})
	}
}
