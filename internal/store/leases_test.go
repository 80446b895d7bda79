package store_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/llm/leases"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/policy"
	"xbot/internal/user/users"
)

// calling opens sessions of a user, each with a turn whose first step may begin.
func (q *queue) calling(u users.User, name string, n int) []chat.Step {
	q.t.Helper()
	var steps []chat.Step
	for i := range n {
		key := q.ask(u, fmt.Sprint(name, i), 1)
		steps = append(steps, chat.Step{Session: key, Turn: q.start(key)})
		require.NotEmpty(q.t, steps[i].Turn)
	}
	return steps
}

// call begins a step and reports whether its call may go on.
func (q *queue) call(step chat.Step) bool {
	q.t.Helper()
	_, _, done, err := q.Turns.BeginStep(q.t.Context(), step)
	if err == nil {
		require.False(q.t, done)
		return true
	}
	require.Equal(q.t, fault.RateLimited, fault.KindOf(err), "%v", err)
	require.GreaterOrEqual(q.t, fault.After(err), 200*time.Millisecond)
	require.LessOrEqual(q.t, fault.After(err), 2500*time.Millisecond)
	return false
}

func (q *queue) sql(query string, args ...any) {
	q.t.Helper()
	_, err := q.pool.Exec(q.t.Context(), query, args...)
	require.NoError(q.t, err)
}

func (q *queue) answer(step chat.Step) {
	q.t.Helper()
	_, err := q.Turns.CommitStep(q.t.Context(), step, chat.Answer{Text: "x", Finish: "stop", Model: "m"})
	require.NoError(q.t, err)
}

func TestBeginStep_WaitsForAFreeCallOfItsTenant(t *testing.T) {
	q := throttled(t, policy.Limits{LLM: policy.LLM{Global: 2}})
	mine, other := q.calling(q.user, "mine", 3), q.calling(q.tenant("other"), "other", 2)
	require.True(t, q.call(mine[0]))
	require.True(t, q.call(mine[1]))
	require.False(t, q.call(mine[2]))
	require.True(t, q.call(other[0]), "another tenant has calls of their own")
	require.True(t, q.call(mine[0]), "a repeated attempt finds the lease of the one before")

	calls, err := q.Leases.CallsByTenant(t.Context())
	require.NoError(t, err)
	require.Equal(t, []leases.TenantCalls{
		{User: q.user.ID, Name: q.user.Name, Pool: "global", Held: 2, Waiting: 1},
		{User: calls[1].User, Name: "other", Pool: "global", Held: 1},
	}, calls)
	q.answer(mine[0])
	require.True(t, q.call(mine[2]), "the end of a step gives its lease back")
}

func TestBeginStep_AnOwnModelAndSubagentsHaveTheirOwnPlaces(t *testing.T) {
	q := throttled(t, policy.Limits{LLM: policy.LLM{Global: 1, Personal: 2, Subagent: 1}})
	steps := q.calling(q.user, "s", 2)
	require.True(t, q.call(steps[0]))
	require.False(t, q.call(steps[1]))
	sub := chat.SessionKey("agent:main:subagent:one")
	_, err := q.Conversations.CreateSession(t.Context(), conversation.NewSession{Key: sub, Owner: q.user.ID, Channel: "web", ChatType: chat.ChatSubagent})
	require.NoError(t, err)
	_, err = q.Turns.Accept(t.Context(), engine.NewRow{Session: sub, User: q.user.ID, Channel: "web", PlatformID: "sub", Text: "x"})
	require.NoError(t, err)
	require.True(t, q.call(chat.Step{Session: sub, Turn: q.start(sub)}))

	q.sql("INSERT INTO runners (user_id, name, token_hash, info) VALUES ($1, 'laptop', 'x', '{\"llm\": {}}')", q.user.ID)
	q.sql("UPDATE sessions SET runner = 'laptop' WHERE key = $1", steps[1].Session)
	require.True(t, q.call(steps[1]), "answered by their own model it has another pool")
}

func TestBeginStep_GivesBackWhatItsHolderLost(t *testing.T) {
	q := throttled(t, policy.Limits{LLM: policy.LLM{Global: 1}})
	s := q.calling(q.user, "s", 4)
	refused := func(i int) { require.False(t, q.call(s[i])) }

	require.True(t, q.call(s[0]))
	refused(1)
	_, err := q.Turns.CountFailure(t.Context(), s[0], func(n int, _ i18n.Lang) (chat.Retry, bool) { return chat.Retry{Attempt: n + 1}, true })
	require.NoError(t, err)
	require.True(t, q.call(s[1]), "a call that waits for the provider keeps no place")

	refused(2)
	q.end(s[1].Session, s[1].Turn)
	require.True(t, q.call(s[2]), "nor does a turn that has ended")

	refused(3)
	q.sql("UPDATE llm_leases SET held_until = held_until - interval '14 seconds' WHERE turn_id = $1", s[2].Turn)
	refused(3)
	require.NoError(t, q.Leases.KeepLease(t.Context(), s[2]))
	q.sql("UPDATE llm_leases SET held_until = held_until - interval '14 seconds' WHERE turn_id = $1", s[2].Turn)
	refused(3) // it was renewed
	q.sql("UPDATE llm_leases SET held_until = held_until - interval '1 second' WHERE turn_id = $1", s[2].Turn)
	require.True(t, q.call(s[3]), "nor does one whose process was killed 15 s ago")
	require.False(t, q.call(s[2]), "which waits like others when it comes back")
}

func TestBeginStep_WhoWaitsIsNotPassed(t *testing.T) {
	q := throttled(t, policy.Limits{LLM: policy.LLM{Global: 1}})
	s := q.calling(q.user, "s", 3)
	require.True(t, q.call(s[0]))
	require.False(t, q.call(s[1]))
	q.sql("UPDATE llm_leases SET asked_at = asked_at - interval '2 seconds' WHERE turn_id = $1", s[1].Turn)
	q.answer(s[0])
	require.False(t, q.call(s[2]), "the place is that of the one before")
	require.True(t, q.call(s[1]))
	q.answer(s[1])
	q.sql("UPDATE llm_leases SET asks_at = now() - interval '6 seconds'")
	require.True(t, q.call(s[2]))
}

func TestTakeLease_OfACompressionIsThatOfItsStep(t *testing.T) {
	q := throttled(t, policy.Limits{LLM: policy.LLM{Global: 1}})
	s := q.calling(q.user, "s", 2)
	require.True(t, q.call(s[0]))
	require.NoError(t, q.Leases.TakeLease(t.Context(), s[0]))
	require.Equal(t, fault.RateLimited, fault.KindOf(q.Leases.TakeLease(t.Context(), s[1])))
	q.end(s[0].Session, s[0].Turn)
	require.NoError(t, q.Leases.TakeLease(t.Context(), s[1]))
	require.NoError(t, q.Leases.TakeLease(t.Context(), s[0]), "a turn that was closed finds that out elsewhere")
}

func TestBeginStep_NeverMoreCallsThanTheLimit(t *testing.T) {
	const most = 3
	q := throttled(t, policy.Limits{LLM: policy.LLM{Global: most}})
	steps := q.calling(q.user, "s", 24)
	var now, peak, done atomic.Int64
	var g errgroup.Group
	var mu sync.Mutex
	for _, step := range steps {
		g.Go(func() error {
			for {
				_, _, _, err := q.Turns.BeginStep(t.Context(), step)
				if err == nil {
					break
				}
				if !fault.Is(err, fault.RateLimited) {
					return err
				}
				<-time.After(fault.After(err) / 20) // as Temporal does, only sooner
			}
			n := now.Add(1)
			mu.Lock()
			peak.Store(max(peak.Load(), n))
			mu.Unlock()
			err := q.Leases.KeepLease(t.Context(), step)
			now.Add(-1) // before the lease is given back
			done.Add(1)
			if err != nil {
				return err
			}
			_, err = q.Turns.CommitStep(t.Context(), step, chat.Answer{Text: "x", Finish: "stop", Model: "m"})
			return err
		})
	}
	require.NoError(t, g.Wait())
	require.LessOrEqual(t, peak.Load(), int64(most))
	require.Equal(t, int64(len(steps)), done.Load())
}
