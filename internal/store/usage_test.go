package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/chat/ops"
)

// spend ends a step with an answer that cost something.
func (b *bundle) spend(step chat.Step, model, text string, u chat.Usage) {
	b.t.Helper()
	_, err := b.Turns.CommitStep(b.t.Context(), step, chat.Answer{Text: text, Finish: "stop", Model: model, Usage: u})
	require.NoError(b.t, err)
}

func TestUsage_IsBookedOnceForEachStepByDayModelAndSession(t *testing.T) {
	b := setup(t)
	b.send("m1", "hello")
	b.claim("t1")
	step := b.begin("t1", 0)
	used := chat.Usage{PromptTokens: 100, CachedTokens: 40, CompletionTokens: 7}
	b.spend(step, "p/a", "hi", used)
	b.spend(step, "p/a", "an attempt that comes late", used)
	b.spend(b.begin("t1", 1), "p/b", "again", chat.Usage{PromptTokens: 1, CompletionTokens: 2})
	require.NoError(t, b.Usage.BookUsage(t.Context(), key, "p/a", 3, chat.Usage{PromptTokens: 10, CompletionTokens: 1}))

	want := []ops.Spent{
		{Model: "p/a", Calls: 4, PromptTokens: 110, CachedTokens: 40, CompletionTokens: 8},
		{Model: "p/b", Calls: 1, PromptTokens: 1, CompletionTokens: 2},
	}
	got, err := b.Usage.UsageOf(t.Context(), b.user.ID, key)
	require.NoError(t, err)
	require.Equal(t, want, got)

	var today string
	require.NoError(t, b.pool.QueryRow(t.Context(), `SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD')`).Scan(&today))
	days, err := b.Usage.UsageByDay(t.Context(), b.user.ID, 1)
	require.NoError(t, err)
	require.Equal(t, []ops.SpentDay{{Day: today, Spent: want[0]}, {Day: today, Spent: want[1]}}, days)
}

func TestUsage_OfADeletedSessionStaysInTheSums(t *testing.T) {
	b := setup(t)
	require.NoError(t, b.Usage.BookUsage(t.Context(), key, "p/a", 1, chat.Usage{PromptTokens: 10}))
	require.NoError(t, b.Agents.DeleteSession(t.Context(), key))
	sessions, err := b.Usage.UsageBySession(t.Context(), b.user.ID, 30)
	require.NoError(t, err)
	require.Len(t, sessions, 1)
	require.True(t, sessions[0].Deleted)
	require.EqualValues(t, 10, sessions[0].PromptTokens)
	days, err := b.Usage.UsageByDay(t.Context(), b.user.ID, 30)
	require.NoError(t, err)
	require.Len(t, days, 1)
}

func TestUsage_OfOldDaysAndOtherPeopleIsNotShown(t *testing.T) {
	b := setup(t)
	require.NoError(t, b.Usage.BookUsage(t.Context(), key, "p/a", 1, chat.Usage{PromptTokens: 10}))
	_, err := b.pool.Exec(t.Context(), `UPDATE user_token_usage SET day = day - 7`)
	require.NoError(t, err)
	for days, want := range map[int]int{7: 0, 8: 1} {
		got, err := b.Usage.UsageByDay(t.Context(), b.user.ID, days)
		require.NoError(t, err)
		require.Len(t, got, want, "%d days", days)
	}
	other, err := b.Usage.UsageByDay(t.Context(), b.user.ID+1, 30)
	require.NoError(t, err)
	require.Empty(t, other)
}
