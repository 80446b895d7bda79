package workflows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/wake"
	"xbot/internal/chat"
	"xbot/internal/turn/calls"
)

const (
	daily = `{session: {reset: {mode: "daily", atHour: 4, timezone: "UTC"}}}`
	idle  = `{session: {reset: {mode: "idle", idleMinutes: 60}}}`
)

func TestDays_ATurnAfterTheEndOfTheDaySeesTheNewConversation(t *testing.T) {
	d := skipDays(t, daily)
	d.write(0, "say one")
	d.write(17*time.Hour+59*time.Minute, "say two")                 // 03:59
	d.write(18*time.Hour, "say three")                              // 04:00
	d.write(18*time.Hour+time.Minute, "say four")                   // the same day
	d.write(5*24*time.Hour+17*time.Hour+59*time.Minute, "say five") // days later, once
	d.pass(7 * 24 * time.Hour)
	require.Equal(t, [][]string{
		{"say one"}, {"say one", "say two"}, {"say three"}, {"say three", "say four"}, {"say five"},
	}, d.saw())
	require.Equal(t, []string{chat.ResetDaily, chat.ResetDaily}, d.reasons())
}

func TestDays_EachStepIsMadeInTheWindowOfItsReset(t *testing.T) {
	d := skipDays(t, daily)
	d.write(0, "say one")
	d.write(24*time.Hour, "say two")
	d.write(48*time.Hour, "say three")
	d.pass(3 * 24 * time.Hour)
	resets, err := d.Conversations.Resets(t.Context(), key, 10)
	require.NoError(t, err)
	require.Len(t, resets, 2)
	rows, err := d.pool.Query(t.Context(), `SELECT m.content, coalesce((SELECT max(c.id) FROM controls c
		WHERE c.session_key = m.session_key AND c.kind = 'reset' AND c.message_id < m.id), 0)
		FROM messages m WHERE m.role = 'assistant' ORDER BY m.id`)
	require.NoError(t, err)
	defer rows.Close()
	var under []chat.ControlID
	for rows.Next() {
		var said string
		var reset chat.ControlID
		require.NoError(t, rows.Scan(&said, &reset))
		under = append(under, reset)
	}
	require.NoError(t, rows.Err())
	require.Equal(t, []chat.ControlID{0, resets[1].ID, resets[0].ID}, under)
	require.Equal(t, morning.Add(24*time.Hour), resets[1].At.UTC().Truncate(time.Second), "the records have the time of the message")
}

func TestDays_AnHourWithoutAPersonEndsTheConversation(t *testing.T) {
	d := skipDays(t, idle)
	d.write(0, "say one")
	d.write(59*time.Minute, "say two")    // 59 minutes later
	d.write(118*time.Minute, "say three") // again: each message puts it off
	d.write(179*time.Minute, "say four")  // 61 minutes later
	d.pass(4 * time.Hour)
	require.Equal(t, [][]string{
		{"say one"}, {"say one", "say two"}, {"say one", "say two", "say three"}, {"say four"},
	}, d.saw())
	require.Equal(t, []string{chat.ResetIdle}, d.reasons())
}

func TestDays_WithoutAPolicyAConversationNeverEnds(t *testing.T) {
	d := skipDays(t, `{}`)
	d.write(0, "say one")
	d.write(400*24*time.Hour, "say two")
	d.pass(401 * 24 * time.Hour)
	require.Equal(t, [][]string{{"say one"}, {"say one", "say two"}}, d.saw())
	require.Empty(t, d.reasons())
}

func TestDays_ABurstIsOneTurnAfterItsQuietWindow(t *testing.T) {
	d := skipDays(t, `{messages: {queue: {mode: "collect", debounceMs: 500}}}`)
	for i, text := range []string{"say a", "say b", "say c", "say d"} {
		d.write(time.Duration(i)*400*time.Millisecond, text) // each within the window of the one before
	}
	d.at(1699*time.Millisecond, func() { require.Empty(t, d.saw(), "the burst is not over") })
	d.write(1800*time.Millisecond, "say late") // 600 ms after the last one
	d.pass(time.Hour)
	require.Equal(t, [][]string{
		{"say a", "say b", "say c", "say d"}, {"say a", "say b", "say c", "say d", "say late"},
	}, d.saw())
	require.Equal(t, 2, d.turns())
}

func TestDays_ABurstThatNeverEndsIsAnsweredAfterFiveSeconds(t *testing.T) {
	d := skipDays(t, `{messages: {queue: {mode: "collect", debounceMs: 500}}}`)
	for i := range 20 {
		d.write(time.Duration(i)*400*time.Millisecond, "say on")
	}
	d.pass(time.Hour)
	saw := d.saw()
	require.Len(t, saw, 2)
	require.Len(t, saw[0], 13, "those of the first five seconds")
	require.Len(t, saw[1], 20)
}

const (
	asksFirst = "call todo_write {\"todos\":[{\"id\":\"1\",\"text\":\"wait\",\"done\":false}]}\nsay done"
	toAsk     = "todo_write"
)

func TestDays_AnApprovalThatWaitsDaysGoesOnInItsOwnConversation(t *testing.T) {
	d := skipDays(t, daily)
	d.model.Authorizers.Rules = map[string]chat.Rule{toAsk: chat.RuleAsk}
	d.write(0, "say one")
	d.write(time.Hour, asksFirst)
	d.at(3*24*time.Hour, func() {
		require.Equal(t, 1, d.turns(), "the second turn waits")
		call := d.call()
		require.Equal(t, chat.ApprovalOpen, call.Approval.State)
		require.Equal(t, morning.Add(time.Hour), call.Approval.AskedAt.UTC().Truncate(time.Second))
		d.allow()
	})
	d.write(3*24*time.Hour+time.Hour, "say three")
	d.pass(10 * 24 * time.Hour)
	require.Equal(t, chat.ApprovalAllowed, d.call().Approval.State)
	require.False(t, d.call().IsError, d.call().Result)
	saw := d.saw()
	require.Len(t, saw, 4)
	require.Contains(t, saw[2], "say one", "the turn goes on in the window that it began in")
	require.Equal(t, []string{"say three"}, saw[3], "two days have ended since a person wrote")
	require.Equal(t, []string{chat.ResetDaily}, d.reasons())
}

func TestDays_AnApprovalThatNobodyAnswersExpires(t *testing.T) {
	d := skipDays(t, `{messages: {queue: {mode: "followup"}}}`)
	d.model.Authorizers.Rules = map[string]chat.Rule{toAsk: chat.RuleAsk}
	d.write(0, asksFirst)
	d.write(time.Hour, "say two")
	d.at(approvalWait-time.Minute, func() { require.Equal(t, chat.ApprovalOpen, d.call().Approval.State) })
	d.at(approvalWait+time.Minute, func() {
		require.Equal(t, chat.ApprovalDenied, d.call().Approval.State)
		require.Equal(t, 2, d.turns(), "what waited behind it was answered, too")
	})
	d.pass(10 * 24 * time.Hour)
	require.True(t, d.call().IsError)
	_, err := d.Calls.Answer(t.Context(), calls.Answer{Session: key, User: d.user.ID, Call: d.call().ID, Allow: true})
	require.Error(t, err, "it is too late for an answer")
}

// call returns the only call of the conversation.
func (d *days) call() chat.Call {
	d.t.Helper()
	var id chat.CallID
	require.NoError(d.t, d.pool.QueryRow(d.t.Context(), `SELECT id FROM tool_calls`).Scan(&id))
	call, err := d.Calls.Call(d.t.Context(), id)
	require.NoError(d.t, err)
	return call
}

// allow permits it, as a person does.
func (d *days) allow() {
	d.t.Helper()
	_, err := d.Calls.Answer(d.t.Context(), calls.Answer{Session: key, User: d.user.ID, Call: d.call().ID, Allow: true})
	require.NoError(d.t, err)
	require.NoError(d.t, d.Wake(d.t.Context(), wake.TurnWake{}))
}

// turns counts the turns that have ended.
func (d *days) turns() (n int) {
	d.t.Helper()
	require.NoError(d.t, d.pool.QueryRow(d.t.Context(), `SELECT count(*) FROM turns WHERE state = 'done'`).Scan(&n))
	return n
}
