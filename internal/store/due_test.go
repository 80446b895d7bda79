package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/delivery"
	"xbot/internal/chat"
	"xbot/internal/turn/engine"
)

// The relay asks Due before it takes anything. These stand before what it takes in all tests of this package, so that a
// row which is taken and was not said to be due fails the test that made it.

func (b *bundle) ToWake(ctx context.Context) ([]engine.Waiting, error) {
	return dueBefore(b, engine.Trusted{}, func(d engine.Due) bool { return d.Wakes }, func() ([]engine.Waiting, error) { return b.Store.Turns.ToWake(ctx) })
}

func (b *bundle) ToCheck(ctx context.Context, older time.Duration) ([]engine.Live, error) {
	return dueBefore(b, engine.Trusted{Turn: older}, func(d engine.Due) bool { return d.Turns }, func() ([]engine.Live, error) { return b.Store.Turns.ToCheck(ctx, older) })
}

func (b *bundle) Unclaimed(ctx context.Context, older time.Duration) ([]engine.Waiting, error) {
	return dueBefore(b, engine.Trusted{Unanswered: older}, func(d engine.Due) bool { return d.Held }, func() ([]engine.Waiting, error) { return b.Store.Turns.Unclaimed(ctx, older) })
}

func (b *bundle) Throttled(ctx context.Context, older time.Duration) ([]engine.Waiting, error) {
	return dueBefore(b, engine.Trusted{}, func(d engine.Due) bool { return d.Throttled }, func() ([]engine.Waiting, error) { return b.Store.Turns.Throttled(ctx, older) })
}

func (b *bundle) TasksToStart(ctx context.Context, older time.Duration) ([]chat.CallID, error) {
	return dueBefore(b, engine.Trusted{Task: older}, func(d engine.Due) bool { return d.Tasks }, func() ([]chat.CallID, error) { return b.Store.Calls.TasksToStart(ctx, older) })
}

func (b *bundle) BangsToStart(ctx context.Context) ([]chat.InboxID, error) {
	return dueBefore(b, engine.Trusted{}, func(d engine.Due) bool { return d.Commands }, func() ([]chat.InboxID, error) { return b.Store.Turns.BangsToStart(ctx) })
}

func (b *bundle) FilesToFetch(ctx context.Context) ([]chat.InboxID, error) {
	return dueBefore(b, engine.Trusted{}, func(d engine.Due) bool { return d.Files }, func() ([]chat.InboxID, error) { return b.Store.Attachments.FilesToFetch(ctx) })
}

func (b *bundle) ToDeliver(ctx context.Context) ([]delivery.Undelivered, error) {
	return dueBefore(b, engine.Trusted{}, func(d engine.Due) bool { return d.Outbound }, func() ([]delivery.Undelivered, error) { return b.Store.Deliveries.ToDeliver(ctx) })
}

func (b *bundle) ToFollow(ctx context.Context, older time.Duration) ([]delivery.Undelivered, error) {
	return dueBefore(b, engine.Trusted{Unshown: older}, func(d engine.Due) bool { return d.Progress }, func() ([]delivery.Undelivered, error) { return b.Store.Deliveries.ToFollow(ctx, older) })
}

func (b *bundle) OverdueJobs(ctx context.Context) ([]chat.JobID, error) {
	return dueBefore(b, engine.Trusted{}, func(d engine.Due) bool { return d.Jobs }, func() ([]chat.JobID, error) { return b.Store.Cron.OverdueJobs(ctx) })
}

func (b *bundle) GroupsToStart(ctx context.Context) ([]chat.GroupID, error) {
	return dueBefore(b, engine.Trusted{}, func(d engine.Due) bool { return d.Groups }, func() ([]chat.GroupID, error) { return b.Store.Agents.GroupsToStart(ctx) })
}

func (b *bundle) MemorizesToStart(ctx context.Context) ([]chat.MemorizeID, error) {
	return dueBefore(b, engine.Trusted{}, func(d engine.Due) bool { return d.Memorizing }, func() ([]chat.MemorizeID, error) { return b.Store.Conversations.MemorizesToStart(ctx) })
}

func (b *bundle) DeletionsToStart(ctx context.Context) ([]chat.UserID, error) {
	return dueBefore(b, engine.Trusted{}, func(d engine.Due) bool { return d.Deletions }, func() ([]chat.UserID, error) { return b.Store.Users.DeletionsToStart(ctx) })
}

func dueBefore[T any](b *bundle, after engine.Trusted, said func(engine.Due) bool, take func() ([]T, error)) ([]T, error) {
	b.t.Helper()
	due, err := b.Turns.Due(b.t.Context(), after)
	require.NoError(b.t, err)
	got, err := take()
	if len(got) > 0 {
		require.True(b.t, said(due), "the relay finds what it would not have looked for: %+v", due)
	}
	return got, err
}

func TestDue_NothingWhereNobodyWaits(t *testing.T) {
	b := setup(t)
	b.send("m1", "hello")
	b.claim("t1")
	b.begin("t1", 0)
	b.finish("t1", chat.TurnDone)
	_, err := b.pool.Exec(t.Context(), "UPDATE inbox SET woken_at = woken_at - interval '1 day', accepted_at = accepted_at - interval '1 day'")
	require.NoError(t, err)
	due, err := b.Turns.Due(t.Context(), engine.Trusted{})
	require.NoError(t, err)
	require.Equal(t, engine.Due{}, due)
}

func TestDue_CountsTurnsThatRunAndThoseThatWaitForTheirProvider(t *testing.T) {
	b := setup(t)
	b.send("m1", "hello")
	b.claim("t1")
	step := b.begin("t1", 1)
	due, err := b.Turns.Due(t.Context(), engine.Trusted{Turn: time.Hour, Unshown: time.Hour})
	require.NoError(t, err)
	require.Equal(t, engine.Due{Load: engine.Load{Running: 1, CallsRunning: 1}}, due)
	_, waits, err := b.Turns.WaitForProvider(t.Context(), step, chat.ProviderFailure{Reason: "network", Pause: time.Hour, LeastPause: time.Hour})
	require.NoError(t, err)
	require.True(t, waits)
	due, err = b.Turns.Due(t.Context(), engine.Trusted{Turn: time.Hour, Unshown: time.Hour})
	require.NoError(t, err)
	require.Equal(t, []int{0, 1}, []int{due.Load.Running, due.Load.WithoutProvider})
}
