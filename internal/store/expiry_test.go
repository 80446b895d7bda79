package store_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/turn/engine"
)

// idleFor is a conversation that ends when nobody has written for so long.
func idleFor(limit time.Duration) func(time.Time) string {
	return func(last time.Time) string {
		if time.Since(last) >= limit {
			return chat.ResetIdle
		}
		return ""
	}
}

// rest makes the last interaction of a person so much older.
func (b *bundle) rest(d time.Duration) {
	b.t.Helper()
	_, err := b.pool.Exec(b.t.Context(), `UPDATE sessions SET last_interaction_at = last_interaction_at - $1::interval WHERE key = $2`, d, key)
	require.NoError(b.t, err)
}

// sendLater accepts a message in a conversation that ends after an hour.
func (b *bundle) sendLater(id, text string) {
	b.t.Helper()
	in := b.inbound(id, text)
	in.Expired = idleFor(time.Hour)
	_, err := b.Turns.Accept(b.t.Context(), in)
	require.NoError(b.t, err)
}

func (b *bundle) resets() int {
	b.t.Helper()
	got, err := b.Conversations.Resets(b.t.Context(), key, 100)
	require.NoError(b.t, err)
	return len(got)
}

func TestExpiry_BeginsAnewBeforeTheMessageThatCameTooLate(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "q0")
	b.sendLater("m1", "q1")
	b.claim("t1")
	require.Equal(t, []string{"q0", "answer to q0", "q1"}, b.seen(), "it came in time")
	b.finish("t1", chat.TurnDone)

	b.rest(2 * time.Hour)
	b.sendLater("m2", "q2")
	b.claim("t2")
	require.Equal(t, []string{"q2"}, b.seen())
	got, err := b.Conversations.Resets(t.Context(), key, 10)
	require.NoError(t, err)
	require.Len(t, got, 1)
	require.Equal(t, chat.ResetIdle, got[0].Reason)
	shown := b.transcript().Messages
	divider := shown[len(shown)-2]
	require.Equal(t, chat.OriginReset, divider.Origin)
	require.Equal(t, chat.RoleNotice, divider.Role)
	require.Contains(t, divider.Content, "nobody had written here since")
	require.Equal(t, divider.ID, got[0].Upto)
}

func TestExpiry_SaysSoInTheLanguageOfTheMessage(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "q0")
	in := b.inbound("m1", "早上好")
	in.Expired = func(time.Time) string { return chat.ResetDaily }
	_, err := b.Turns.Accept(t.Context(), in)
	require.NoError(t, err)
	b.claim("t1")
	said := b.said()
	require.Contains(t, said[len(said)-2], "新对话")
}

func TestExpiry_HappensOnceForMessagesOfOneInstant(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "q0")
	b.rest(2 * time.Hour)
	const n = 8
	var wg sync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		wg.Go(func() {
			in := b.inbound(fmt.Sprint("m", i), fmt.Sprint("q", i))
			in.Expired = idleFor(time.Hour)
			_, errs[i] = b.Turns.Accept(context.WithoutCancel(t.Context()), in)
		})
	}
	wg.Wait()
	for i := range n {
		require.NoError(t, errs[i])
		turn := chat.TurnID(fmt.Sprint("t1-", i))
		_, ok := b.claim(turn)
		require.True(t, ok)
		b.finish(turn, chat.TurnDone)
	}
	require.Equal(t, 1, b.resets())
	require.Len(t, b.seen(), n)
}

func TestExpiry_AReleasedClaimDoesNotBeginAnewTwice(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "q0")
	b.rest(2 * time.Hour)
	b.sendLater("m1", "q1")
	b.claim("t1")
	settled, err := b.Turns.SettleTurn(t.Context(), "t1")
	require.NoError(t, err)
	require.Equal(t, engine.SettledReleased, settled)
	b.claim("t2")
	require.Equal(t, []string{"q1"}, b.seen())
	require.Equal(t, 1, b.resets())
	require.Len(t, b.said(), 4, "one divider: %q", b.said())
}

func TestExpiry_IsNotPutOffByWhatNoPersonWrote(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "q0")
	var before, after time.Time
	last := func() (at time.Time) {
		require.NoError(t, b.pool.QueryRow(t.Context(), `SELECT last_interaction_at FROM sessions WHERE key = $1`, key).Scan(&at))
		return at
	}
	before = last()
	_, err := b.pool.Exec(t.Context(), `INSERT INTO inbox (session_key, user_id, kind, channel, platform_id, body)
		SELECT session_key, user_id, 'background', channel, 'bg-1', 'a task has ended' FROM inbox LIMIT 1`)
	require.NoError(t, err)
	b.claim("t1")
	b.spend(b.begin("t1", 0), "p/a", "it is done", chat.Usage{PromptTokens: 10})
	b.finish("t1", chat.TurnDone)
	after = last()
	require.Equal(t, before, after)
	require.Contains(t, b.seen(), "a task has ended", "the end of a task goes on with the conversation")
}

// Whatever a person does last before the next message counts as an interaction, so that message could not tell.
func TestExpiry_IsNotForgottenWhenSomethingElseCameFirst(t *testing.T) {
	say := func(context.Context) (string, error) { return "status", nil }
	for name, first := range map[string]func(b *bundle, in engine.NewRow) error{
		"a command that is answered at once": func(b *bundle, in engine.NewRow) error {
			in.Text = "/status"
			_, err := b.Turns.Command(b.t.Context(), in, say)
			return err
		},
		"a message that was taken back": func(b *bundle, in engine.NewRow) error {
			if _, err := b.Turns.Accept(b.t.Context(), in); err != nil {
				return err
			}
			_, err := b.RecallQueued(b.t.Context(), in.PlatformID)
			return err
		},
		"a message that a stop cleared": func(b *bundle, in engine.NewRow) error {
			if _, err := b.Turns.Accept(b.t.Context(), in); err != nil {
				return err
			}
			stop := b.inbound("s1", "")
			_, err := b.Turns.Stop(b.t.Context(), stop, i18n.English)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			b.exchange("t0", "q0")
			b.rest(2 * time.Hour)
			in := b.inbound("m1", "first")
			in.Expired = idleFor(time.Hour)
			require.NoError(t, first(b, in))
			b.sendLater("m2", "q2")
			b.claim("t2")
			require.Equal(t, []string{"q2"}, b.seen())
			require.Equal(t, 1, b.resets())
			b.finish("t2", chat.TurnDone)
			b.sendLater("m3", "q3")
			b.claim("t3")
			require.Equal(t, []string{"q2", "q3"}, b.seen())
		})
	}
}

func TestExpiry_GivesWayToANewConversationThatWasAskedFor(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "q0")
	b.rest(2 * time.Hour)
	in := b.inbound("c1", "/new")
	in.Control, in.Expired = true, idleFor(time.Hour)
	_, err := b.Turns.Accept(t.Context(), in)
	require.NoError(t, err)
	b.claim("r1")
	require.NoError(t, b.Conversations.ResetSession(t.Context(), "r1", chat.ResetNew, "", "hello"))
	b.finish("r1", chat.TurnDone)
	b.sendLater("m2", "q2")
	b.claim("t2")
	require.Equal(t, 1, b.resets())
	require.Equal(t, []string{"q2"}, b.seen())
}

func TestExpiry_NeedsNoDividerWhereNothingStands(t *testing.T) {
	b := setup(t)
	b.rest(2 * time.Hour)
	b.sendLater("m1", "q1")
	b.claim("t1")
	require.Equal(t, []string{"q1"}, b.said())
	b.finish("t1", chat.TurnDone)
	b.sendLater("m2", "q2")
	b.claim("t2")
	require.Equal(t, []string{"q1", "q2"}, b.seen())
}

func TestUnfinished_IsATurnThatEndedEarly(t *testing.T) {
	b := setup(t)
	unfinished := func() bool {
		yes, err := b.Conversations.Unfinished(t.Context(), key)
		require.NoError(t, err)
		return yes
	}
	require.False(t, unfinished(), "nothing was asked")
	b.exchange("t0", "q0")
	require.False(t, unfinished())
	b.send("m1", "q1")
	require.False(t, unfinished(), "it waits")
	b.claim("t1")
	require.False(t, unfinished(), "it runs")
	b.finish("t1", chat.TurnStopped)
	require.True(t, unfinished())

	in := b.inbound("m2", "Continue where you stopped.")
	in.Options.Continue = true
	_, err := b.Turns.Accept(t.Context(), in)
	require.NoError(t, err)
	b.claim("t2")
	shown := b.transcript().Messages
	require.Equal(t, chat.OriginContinue, shown[len(shown)-1].Origin)
	require.Contains(t, b.seen(), "Continue where you stopped.")
	b.finish("t2", chat.TurnFailed)
	require.True(t, unfinished())
	b.reset("r1", "hello")
	require.False(t, unfinished(), "the conversation began anew")
}
