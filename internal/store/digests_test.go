package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/user/users"
)

func TestDigestReader_IsTheNewestConversationAndNobodyWhileAnswersHaveAllPlaces(t *testing.T) {
	b := setup(t)
	other := chat.SessionKey("agent:main:web:thread:other")
	b.session(other)
	_, err := b.pool.Exec(t.Context(), "UPDATE sessions SET last_interaction_at = now() - interval '1 day' WHERE key = $1", other)
	require.NoError(t, err)
	b.exchange("a", lasting)
	newest, err := b.Memory.DigestReader(t.Context(), b.user.ID)
	require.NoError(t, err)
	require.NotEqual(t, other, newest)

	for i := range 5 { // limits.llm.global
		_, err := b.pool.Exec(t.Context(), `INSERT INTO llm_leases (turn_id, step, user_id, pool, asked_at, asks_at, held_until)
			VALUES ('a', 10 + $1, $2, 'global', now(), now(), now() + interval '1 minute')`, i, b.user.ID)
		require.NoError(t, err)
	}
	_, err = b.Memory.DigestReader(t.Context(), b.user.ID)
	require.Equal(t, fault.RateLimited, fault.KindOf(err), "answers come first")
	require.Positive(t, fault.After(err))

	nobody, err := b.Users.CreateUser(t.Context(), "nobody", users.RoleMember)
	require.NoError(t, err)
	_, err = b.Memory.DigestReader(t.Context(), nobody.ID)
	require.Equal(t, fault.NotFound, fault.KindOf(err))
}

func TestDigestReader_WaitsWhileAConversationIsMemorized(t *testing.T) {
	b := setup(t)
	b.exchange("a", lasting)
	b.reset("r", "hello")
	j := b.jobs()[0]
	require.NoError(t, b.Conversations.HoldMemorize(t.Context(), j))
	_, err := b.Memory.DigestReader(t.Context(), b.user.ID)
	require.Equal(t, fault.RateLimited, fault.KindOf(err))
	require.NoError(t, b.Conversations.ReleaseMemorize(t.Context(), j.ID))
	_, err = b.Memory.DigestReader(t.Context(), b.user.ID)
	require.NoError(t, err)
}

func TestClaimDigest_LeavesAnEntryToOneUntilItIsGivenBack(t *testing.T) {
	b := setup(t)
	w := chat.MemoryOwner{User: b.user.ID, Agent: "main"}
	id, err := b.Memory.Archive(t.Context(), w, "", chat.ArchivalEntry{Content: "long"}, 0)
	require.NoError(t, err)
	claim := func(pause time.Duration) bool {
		t.Helper()
		mine, err := b.Memory.ClaimDigest(t.Context(), id, pause)
		require.NoError(t, err)
		return mine
	}
	pending := func() []chat.PendingEntry {
		t.Helper()
		got, err := b.Memory.ArchivePending(t.Context(), "m", 9)
		require.NoError(t, err)
		return got
	}
	require.True(t, claim(0))
	require.True(t, claim(time.Hour), "the one before died")
	require.False(t, claim(time.Hour))
	require.Empty(t, pending())
	require.NoError(t, b.Memory.KeepDigest(t.Context(), id, "", time.Hour))
	require.False(t, claim(time.Hour), "it waits")
	require.NoError(t, b.Memory.KeepDigest(t.Context(), id, "short\x00", 0))
	require.Equal(t, []chat.PendingEntry{{MemoryOwner: w, ID: id, Content: "long", Digest: "short"}}, pending())
	require.False(t, claim(time.Hour), "it is shortened once")
}
