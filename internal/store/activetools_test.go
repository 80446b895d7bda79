package store_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/tool/toolset"
	"xbot/internal/turn/conversation"
)

func (b *bundle) activeTools() []string {
	b.t.Helper()
	return b.toolUse(key, toolset.MaxUnused, toolset.MaxActive).Recent
}

func (b *bundle) toolUse(of chat.SessionKey, unused, most int) chat.ToolUse {
	b.t.Helper()
	use, err := b.ActiveTools.ActiveTools(b.t.Context(), of, unused, most)
	require.NoError(b.t, err)
	return use
}

func TestActiveTools_LeaveAfterFiveMessagesWithoutUse(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "q0")
	require.NoError(t, b.ActiveTools.UseTools(t.Context(), key, "mcp_a_one", "mcp_a_two"))
	for n := range toolset.MaxUnused {
		require.Len(t, b.activeTools(), 2, "after %d messages", n)
		b.exchange(chat.TurnID(fmt.Sprintf("u%d", n)), fmt.Sprintf("again %d", n))
	}
	require.NoError(t, b.ActiveTools.UseTools(t.Context(), key, "mcp_a_two"))
	require.Equal(t, []string{"mcp_a_two", "mcp_a_one"}, b.activeTools(), "five messages are not more than five")
	b.exchange("last", "and now")
	require.Equal(t, []string{"mcp_a_two"}, b.activeTools())
	require.Equal(t, []string{"mcp_a_two", "mcp_a_one"}, b.toolUse(key, 0, toolset.MaxActive).Recent)
	require.Equal(t, []string{"mcp_a_two"}, b.toolUse(key, 0, 1).Recent)
}

func TestActiveTools_AreForgottenWhereTheConversationBeginsAnew(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "q0")
	require.NoError(t, b.ActiveTools.UseTools(t.Context(), key, "mcp_a_one"))
	b.reset("r1", "")
	require.Empty(t, b.activeTools())
}

func TestActiveTools_OfACopyAreThoseOfItsOriginal(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "q0")
	require.NoError(t, b.ActiveTools.UseTools(t.Context(), key, "mcp_a_one"))
	b.exchange("t1", "q1")
	b.fork(conversation.NewFork{Title: "copy"})
	require.Equal(t, []string{"mcp_a_one"}, b.toolUse(copyKey, toolset.MaxUnused, toolset.MaxActive).Recent)
	b.reset("r1", "")
	require.Len(t, b.toolUse(copyKey, toolset.MaxUnused, toolset.MaxActive).Recent, 1, "the copy goes its own way")
}

func TestActiveTools_AreBesideWhatElseBringsATool(t *testing.T) {
	b := setup(t)
	require.Equal(t, chat.ToolUse{Recent: []string{}, Used: []string{}, Parts: []string{}}, b.toolUse(key, 0, 1))
	_, err := b.pool.Exec(t.Context(), `INSERT INTO session_parts (session_key, key, source, body) VALUES ($1, '10_skills', 's', 'x'), ($1, '15_agents', 's', '')`, key)
	require.NoError(t, err)
	require.Equal(t, []string{"10_skills"}, b.toolUse(key, 0, 1).Parts, "not a part that is empty")
	require.NoError(t, b.ActiveTools.UseTools(t.Context(), key, "Skill", "mcp_a_one"))
	require.ElementsMatch(t, []string{"Skill", "mcp_a_one"}, b.toolUse(key, 0, 1).Used, "all of them")
}

func TestClaim_AMessageThatAsksForASkillSaysSoToTheModelAlone(t *testing.T) {
	b := setup(t)
	in := b.inbound("m1", "/Deploy it")
	in.Options.Skill = "deploy"
	_, err := b.Turns.Accept(t.Context(), in)
	require.NoError(t, err)
	_, ok := b.claim("t1")
	require.True(t, ok)
	w, err := b.Conversations.Window(t.Context(), key)
	require.NoError(t, err)
	require.Contains(t, w.Lines[0].Preface, "[/deploy names a skill: load it with the tool Skill")
	require.Equal(t, "/Deploy it", w.Lines[0].Message.Content)
	require.Contains(t, b.toolUse(key, 0, 1).Used, chat.SkillTool, "the tool is shown, whatever the prompt lists")
	b.finish("t1", chat.TurnDone)

	in = b.inbound("m2", "nothing of it is left")
	in.Options.Skill = "deploy"
	_, err = b.Turns.Accept(t.Context(), in)
	require.NoError(t, err)
	_, ok = b.claim("t2")
	require.True(t, ok)
	w, err = b.Conversations.Window(t.Context(), key)
	require.NoError(t, err)
	require.NotContains(t, w.Lines[len(w.Lines)-1].Preface, "skill", "a message that was changed while it waited")
}
