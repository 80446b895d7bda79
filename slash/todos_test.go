package slash_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/ingresstest"
	"xbot/internal/chat"
	conversationrows "xbot/internal/turn/conversation"
	"xbot/slash/conversation"
)

func TestTodosCommand_ShowsWhatIsLeftHereAndElsewhereToTheOwnerAlone(t *testing.T) {
	b := bridged(t, ingresstest.GroupPolicy)
	for _, g := range b.Gateways {
		g.Dispatch.Commands = ingresstest.Commands(b.Store, append(ingresstest.PlatformCommands(g), conversation.Todos{Conversations: b.Store.Conversations, Search: b.Store.Search, Users: b.Store.Users})...)
	}
	here := b.Receive(ingresstest.DM("m0", "ou_1", "hello")).Session
	say := func(id, who string) string { return b.Receive(ingresstest.DM(id, who, "/todos")).Reply }
	require.Contains(t, say("m1", "ou_1"), "There is no to-do list")
	owner, err := b.Store.Users.SessionOwner(t.Context(), here)
	require.NoError(t, err)
	const other = chat.SessionKey("agent:main:web:thread:other")
	_, err = b.Store.Conversations.CreateSession(t.Context(), conversationrows.NewSession{Key: other, Owner: owner.ID, Channel: "web", Title: "Garden"})
	require.NoError(t, err)
	require.NoError(t, b.Store.Conversations.SetTodos(t.Context(), other, []chat.Todo{{ID: "1", Text: "buy seeds", Done: true}, {ID: "2", Text: "water the roses"}}))
	require.NoError(t, b.Store.Conversations.SetTodos(t.Context(), here, []chat.Todo{{ID: "1", Text: "answer Ann", Done: true}}))
	said := say("m2", "ou_1")
	require.Contains(t, said, "- [x] answer Ann")
	require.Contains(t, said, "**Garden**")
	require.Contains(t, said, "- [ ] water the roses")
	require.NotContains(t, said, "buy seeds")
	require.NotContains(t, say("m3", "ou_2"), "roses")
}
