package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/policy"
)

// waitsFor lets a turn wait for its provider.
func (b *bundle) waitsFor(key chat.SessionKey, turn chat.TurnID, n int) bool {
	b.t.Helper()
	step := chat.Step{Session: key, Turn: turn, N: n}
	_, _, _, err := b.Turns.BeginStep(b.t.Context(), step)
	require.NoError(b.t, err)
	_, waits, err := b.Turns.WaitForProvider(b.t.Context(), step, chat.ProviderFailure{Reason: "network", Pause: time.Minute, LeastPause: time.Minute})
	require.NoError(b.t, err)
	return waits
}

func TestWaitForProvider_IsForEverybodyButAProgramThatWaitsForItsFirstStep(t *testing.T) {
	for channel, waits := range map[string]bool{"web": true, "cli": true, "feishu": true, "api": false} {
		t.Run(channel, func(t *testing.T) {
			b := setup(t)
			b.send("m1", "hello")
			b.claim("t1")
			_, err := b.pool.Exec(t.Context(), "UPDATE inbox SET channel = $1", channel)
			require.NoError(t, err)
			require.Equal(t, waits, b.waitsFor(key, "t1", 0))
			require.True(t, b.waitsFor(key, "t1", 1), "it has done something")
		})
	}
}

func TestWaitForProvider_GivesTheTurnToWhoIsNextAndCountsAgainWhenItGoesOn(t *testing.T) {
	q := throttled(t, policy.Limits{Turns: 1})
	alice, bob := q.tenant("alice"), q.tenant("bob")
	first, second, third := q.ask(alice, "a", 1), q.ask(bob, "b", 1), q.ask(bob, "c", 1)
	turn := q.start(first)
	require.Empty(t, q.start(second))
	require.True(t, q.waitsFor(first, turn, 1))
	require.Equal(t, []chat.SessionKey{second}, q.woken.take(), "its turn is handed on at once")
	other := q.start(second)
	rest, err := q.Turns.ProviderDue(t.Context(), turn, 0)
	require.NoError(t, err)
	require.InDelta(t, time.Minute, rest, float64(5*time.Second))

	_, err = q.Turns.EndStep(t.Context(), chat.Step{Session: first, Turn: turn, N: 1}, "stop", func(i18n.Lang) string { return "after all" })
	require.NoError(t, err)
	require.Empty(t, q.start(third))
	q.end(second, other)
	require.Empty(t, q.woken.take(), "there is one turn, and the one that waited has it again")
	q.end(first, turn)
	require.Equal(t, []chat.SessionKey{third}, q.woken.take())
}

func TestWaitForProvider_IsSaidOnceAndForgottenWithTheTurn(t *testing.T) {
	b := setup(t)
	b.send("m1", "你好")
	b.claim("t1")
	for range 3 {
		require.True(t, b.waitsFor(key, "t1", 1))
	}
	said := 0
	for _, m := range b.transcript().Messages {
		if m.Role == chat.RoleNotice {
			require.Contains(t, m.Content, "暂时无法连接模型服务(网络故障)")
			said++
		}
	}
	require.Equal(t, 1, said)
	turns, err := b.Conversations.Turns(t.Context(), key, 1)
	require.NoError(t, err)
	require.Equal(t, "network", turns[0].Waits.Reason)
	require.WithinDuration(t, turns[0].Waits.Since.Add(time.Minute), *turns[0].Waits.Next, 30*time.Second, "when the provider is asked again")
	b.finish("t1", chat.TurnStopped)
	turns, err = b.Conversations.Turns(t.Context(), key, 1)
	require.NoError(t, err)
	require.Nil(t, turns[0].Waits)
	require.False(t, b.waitsFor(key, "t1", 2), "what is over does not wait")
}

func TestWaitForProvider_EndsAtItsLimit(t *testing.T) {
	q := throttled(t, policy.Limits{ProviderWaitMinutes: 10})
	q.send("m1", "hello")
	q.claim("t1")
	require.True(t, q.waitsFor(key, "t1", 1))
	_, err := q.pool.Exec(t.Context(), "UPDATE turns SET waits_since = waits_since - interval '595 s', waits_until = waits_until - interval '595 s'")
	require.NoError(t, err)
	step := chat.Step{Session: key, Turn: "t1", N: 1}
	rest, waits, err := q.Turns.WaitForProvider(t.Context(), step, chat.ProviderFailure{Reason: "timeout", Pause: time.Hour, LeastPause: time.Hour})
	require.NoError(t, err)
	require.True(t, waits)
	require.LessOrEqual(t, rest, 5*time.Second, "the last attempt is made when the time is over")
	_, err = q.pool.Exec(t.Context(), "UPDATE turns SET waits_until = waits_until - interval '10 s'")
	require.NoError(t, err)
	_, waits, err = q.Turns.WaitForProvider(t.Context(), step, chat.ProviderFailure{Reason: "timeout", Pause: time.Hour, LeastPause: time.Hour})
	require.NoError(t, err)
	require.False(t, waits)
	_, err = q.Turns.FailStep(t.Context(), step, chat.ModelCall{}, fault.Unavailable, func(i18n.Lang) string { return "over" })
	require.NoError(t, err)
}

func TestToFollow_LeavesACardAloneThatSaysThatItsTurnWaits(t *testing.T) {
	b := setup(t)
	b.onPlatform()
	b.writes("m1", here, "t1")
	require.Len(t, b.follows(), 1)
	require.True(t, b.waitsFor(peerKey, "t1", 0), "nobody sits before a platform")
	b.shows("t1")
	require.Len(t, b.follows(), 1, "the card does not say it yet")
	c, err := b.Deliveries.TurnProgress(t.Context(), "t1")
	require.NoError(t, err)
	require.Equal(t, "network", c.Turn.Waits.Reason)
	require.NoError(t, b.Deliveries.RestCard(t.Context(), "t1", c.Turn.Waits.Since))
	require.Empty(t, b.follows())
	require.Empty(t, b.nextFollow())
	_, err = b.Turns.CommitStep(t.Context(), chat.Step{Session: peerKey, Turn: "t1"}, twoCalls("t1"))
	require.NoError(t, err)
	require.Len(t, b.follows(), 1, "it goes on")
	require.Equal(t, chat.TurnID("t1"), b.nextFollow())
}

func TestHastenProvider_MovesTheNextAttemptOnceForEachMessageAndNeverBelowTheLeastPause(t *testing.T) {
	b := setup(t)
	b.send("m1", "hello")
	b.claim("t1")
	step := chat.Step{Session: key, Turn: "t1", N: 1}
	fails := func(attempt int) {
		t.Helper()
		_, waits, err := b.Turns.WaitForProvider(t.Context(), step, chat.ProviderFailure{Reason: "network", Attempt: attempt, Pause: time.Hour, LeastPause: time.Minute})
		require.NoError(t, err)
		require.True(t, waits)
	}
	hastens := func() chat.InboxID {
		t.Helper()
		by, attempts, err := b.Turns.HastenProvider(t.Context(), "t1")
		require.NoError(t, err)
		require.Contains(t, []int{0, 6, 7}, attempts)
		return by
	}
	due := func(hastened chat.InboxID) time.Duration {
		t.Helper()
		rest, err := b.Turns.ProviderDue(t.Context(), "t1", hastened)
		require.NoError(t, err)
		return rest
	}
	require.Zero(t, hastens(), "it does not wait")
	fails(6)
	require.Zero(t, hastens(), "nobody has written since")
	b.send("m2", "are you there?")
	by := hastens()
	require.NotZero(t, by)
	require.InDelta(t, time.Minute, due(by), float64(10*time.Second), "two attempts stay apart")
	require.Equal(t, by, hastens(), "asked again, it says the same")
	b.send("m3", "hello?")
	require.Equal(t, by, hastens(), "nothing is gained any more")

	_, err := b.pool.Exec(t.Context(), "UPDATE turns SET asks_at = now() - interval '1 s' WHERE id = 't1'")
	require.NoError(t, err)
	require.Zero(t, due(by))
	require.NotZero(t, due(0), "an attempt that knows nothing of the message leaves the provider alone")
	require.Equal(t, by, hastens(), "an attempt is being made")
	b.send("m4", "still there?")
	fails(7)
	require.InDelta(t, time.Minute, due(by), float64(10*time.Second), "a message that came meanwhile shortens the pause")
}
