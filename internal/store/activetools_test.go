package store_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/store"
	"xbot/internal/toolset"
)

func (b *bundle) activeTools() []string {
	b.t.Helper()
	names, err := b.ActiveTools(b.t.Context(), key, toolset.MaxUnused, toolset.MaxActive)
	require.NoError(b.t, err)
	return names
}

func TestActiveTools_LeaveAfterFiveMessagesWithoutUse(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "q0")
	require.NoError(t, b.UseTools(t.Context(), key, "mcp_a_one", "mcp_a_two"))
	for n := range toolset.MaxUnused {
		require.Len(t, b.activeTools(), 2, "after %d messages", n)
		b.exchange(chat.TurnID(fmt.Sprintf("u%d", n)), fmt.Sprintf("again %d", n))
	}
	require.NoError(t, b.UseTools(t.Context(), key, "mcp_a_two"))
	require.Equal(t, []string{"mcp_a_two", "mcp_a_one"}, b.activeTools(), "five messages are not more than five")
	b.exchange("last", "and now")
	require.Equal(t, []string{"mcp_a_two"}, b.activeTools())
	all, err := b.ActiveTools(t.Context(), key, 0, toolset.MaxActive)
	require.NoError(t, err)
	require.Equal(t, []string{"mcp_a_two", "mcp_a_one"}, all)
	newest, err := b.ActiveTools(t.Context(), key, 0, 1)
	require.NoError(t, err)
	require.Equal(t, []string{"mcp_a_two"}, newest)
}

func TestActiveTools_AreForgottenWhereTheConversationBeginsAnew(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "q0")
	require.NoError(t, b.UseTools(t.Context(), key, "mcp_a_one"))
	b.reset("r1", "")
	require.Empty(t, b.activeTools())
}

func TestActiveTools_OfACopyAreThoseOfItsOriginal(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "q0")
	require.NoError(t, b.UseTools(t.Context(), key, "mcp_a_one"))
	b.exchange("t1", "q1")
	b.fork(store.NewFork{Title: "copy"})
	names, err := b.ActiveTools(t.Context(), copyKey, toolset.MaxUnused, toolset.MaxActive)
	require.NoError(t, err)
	require.Equal(t, []string{"mcp_a_one"}, names)
	b.reset("r1", "")
	names, err = b.ActiveTools(t.Context(), copyKey, toolset.MaxUnused, toolset.MaxActive)
	require.NoError(t, err)
	require.Len(t, names, 1, "the copy goes its own way")
}

func TestHasPart_TellsWhetherAPromptSaysIt(t *testing.T) {
	b := setup(t)
	has := func(part string) bool {
		got, err := b.HasPart(t.Context(), key, part)
		require.NoError(t, err)
		return got
	}
	require.False(t, has("10_skills"))
	_, err := b.pool.Exec(t.Context(), `INSERT INTO session_parts (session_key, key, source, body) VALUES ($1, '10_skills', 's', 'x'), ($1, '15_agents', 's', '')`, key)
	require.NoError(t, err)
	require.True(t, has("10_skills"))
	require.False(t, has("15_agents"), "a part that is empty")
}
