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

func TestHasToolOrPart_TellsWhatBringsATool(t *testing.T) {
	b := setup(t)
	has := func(part string) bool {
		got, err := b.HasToolOrPart(t.Context(), key, "Skill", part)
		require.NoError(t, err)
		return got
	}
	require.False(t, has("10_skills"))
	_, err := b.pool.Exec(t.Context(), `INSERT INTO session_parts (session_key, key, source, body) VALUES ($1, '10_skills', 's', 'x'), ($1, '15_agents', 's', '')`, key)
	require.NoError(t, err)
	require.True(t, has("10_skills"))
	require.False(t, has("15_agents"), "a part that is empty")
	require.NoError(t, b.UseTools(t.Context(), key, "Skill"))
	require.True(t, has("15_agents"))
}

func TestClaim_AMessageThatAsksForASkillSaysSoToTheModelAlone(t *testing.T) {
	b := setup(t)
	in := b.inbound("m1", "/Deploy it")
	in.Options.Skill = "deploy"
	_, err := b.Accept(t.Context(), in)
	require.NoError(t, err)
	_, ok := b.claim("t1")
	require.True(t, ok)
	w, err := b.Window(t.Context(), key)
	require.NoError(t, err)
	require.Contains(t, w.Lines[0].Preface, "[/deploy names a skill: load it with the tool Skill")
	require.Equal(t, "/Deploy it", w.Lines[0].Message.Content)
	has, err := b.HasToolOrPart(t.Context(), key, chat.SkillTool, "10_skills")
	require.NoError(t, err)
	require.True(t, has, "the tool is shown, whatever the prompt lists")
	b.finish("t1", chat.TurnDone)

	in = b.inbound("m2", "nothing of it is left")
	in.Options.Skill = "deploy"
	_, err = b.Accept(t.Context(), in)
	require.NoError(t, err)
	_, ok = b.claim("t2")
	require.True(t, ok)
	w, err = b.Window(t.Context(), key)
	require.NoError(t, err)
	require.NotContains(t, w.Lines[len(w.Lines)-1].Preface, "skill", "a message that was changed while it waited")
}
