package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/store"
	"xbot/internal/store/delivery"
)

// The relay asks Due before it takes anything. These stand before what it takes in all tests of this package, so that a
// row which is taken and was not said to be due fails the test that made it.

func (b *bundle) ToWake(ctx context.Context) ([]store.Waiting, error) {
	return dueBefore(b, store.Trusted{}, func(d store.Due) bool { return d.Wakes }, func() ([]store.Waiting, error) { return b.Store.ToWake(ctx) })
}

func (b *bundle) ToCheck(ctx context.Context, older time.Duration) ([]store.Live, error) {
	return dueBefore(b, store.Trusted{Turn: older}, func(d store.Due) bool { return d.Turns }, func() ([]store.Live, error) { return b.Store.ToCheck(ctx, older) })
}

func (b *bundle) Unclaimed(ctx context.Context, older time.Duration) ([]store.Waiting, error) {
	return dueBefore(b, store.Trusted{Unanswered: older}, func(d store.Due) bool { return d.Held }, func() ([]store.Waiting, error) { return b.Store.Unclaimed(ctx, older) })
}

func (b *bundle) Throttled(ctx context.Context, older time.Duration) ([]store.Waiting, error) {
	return dueBefore(b, store.Trusted{}, func(d store.Due) bool { return d.Throttled }, func() ([]store.Waiting, error) { return b.Store.Throttled(ctx, older) })
}

func (b *bundle) TasksToStart(ctx context.Context, older time.Duration) ([]chat.CallID, error) {
	return dueBefore(b, store.Trusted{Task: older}, func(d store.Due) bool { return d.Tasks }, func() ([]chat.CallID, error) { return b.Store.Calls.TasksToStart(ctx, older) })
}

func (b *bundle) BangsToStart(ctx context.Context) ([]chat.InboxID, error) {
	return dueBefore(b, store.Trusted{}, func(d store.Due) bool { return d.Commands }, func() ([]chat.InboxID, error) { return b.Store.BangsToStart(ctx) })
}

func (b *bundle) FilesToFetch(ctx context.Context) ([]chat.InboxID, error) {
	return dueBefore(b, store.Trusted{}, func(d store.Due) bool { return d.Files }, func() ([]chat.InboxID, error) { return b.Store.Attachments.FilesToFetch(ctx) })
}

func (b *bundle) ToDeliver(ctx context.Context) ([]delivery.Undelivered, error) {
	return dueBefore(b, store.Trusted{}, func(d store.Due) bool { return d.Outbound }, func() ([]delivery.Undelivered, error) { return b.Store.Deliveries.ToDeliver(ctx) })
}

func (b *bundle) ToFollow(ctx context.Context, older time.Duration) ([]delivery.Undelivered, error) {
	return dueBefore(b, store.Trusted{Unshown: older}, func(d store.Due) bool { return d.Progress }, func() ([]delivery.Undelivered, error) { return b.Store.Deliveries.ToFollow(ctx, older) })
}

func (b *bundle) OverdueJobs(ctx context.Context) ([]chat.JobID, error) {
	return dueBefore(b, store.Trusted{}, func(d store.Due) bool { return d.Jobs }, func() ([]chat.JobID, error) { return b.Store.Cron.OverdueJobs(ctx) })
}

func (b *bundle) GroupsToStart(ctx context.Context) ([]chat.GroupID, error) {
	return dueBefore(b, store.Trusted{}, func(d store.Due) bool { return d.Groups }, func() ([]chat.GroupID, error) { return b.Store.Agents.GroupsToStart(ctx) })
}

func (b *bundle) MemorizesToStart(ctx context.Context) ([]chat.MemorizeID, error) {
	return dueBefore(b, store.Trusted{}, func(d store.Due) bool { return d.Memorizing }, func() ([]chat.MemorizeID, error) { return b.Store.Conversations.MemorizesToStart(ctx) })
}

func (b *bundle) DeletionsToStart(ctx context.Context) ([]chat.UserID, error) {
	return dueBefore(b, store.Trusted{}, func(d store.Due) bool { return d.Deletions }, func() ([]chat.UserID, error) { return b.Store.Users.DeletionsToStart(ctx) })
}

func dueBefore[T any](b *bundle, after store.Trusted, said func(store.Due) bool, take func() ([]T, error)) ([]T, error) {
	b.t.Helper()
	due, err := b.Due(b.t.Context(), after)
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
	due, err := b.Due(t.Context(), store.Trusted{})
	require.NoError(t, err)
	require.Equal(t, store.Due{}, due)
}

func TestDue_CountsTurnsThatRunAndThoseThatWaitForTheirProvider(t *testing.T) {
	b := setup(t)
	b.send("m1", "hello")
	b.claim("t1")
	step := b.begin("t1", 1)
	due, err := b.Due(t.Context(), store.Trusted{Turn: time.Hour, Unshown: time.Hour})
	require.NoError(t, err)
	require.Equal(t, store.Due{Load: store.Load{Running: 1, CallsRunning: 1}}, due)
	_, waits, err := b.WaitForProvider(t.Context(), step, chat.ProviderFailure{Reason: "network", Pause: time.Hour, LeastPause: time.Hour})
	require.NoError(t, err)
	require.True(t, waits)
	due, err = b.Due(t.Context(), store.Trusted{Turn: time.Hour, Unshown: time.Hour})
	require.NoError(t, err)
	require.Equal(t, []int{0, 1}, []int{due.Load.Running, due.Load.WithoutProvider})
}
