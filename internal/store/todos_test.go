package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/turn/conversation"
	"xbot/internal/user/users"
)

func TestTodosElsewhere_AreOfTheSamePersonAndStillOpen(t *testing.T) {
	b := setup(t)
	stranger, err := b.Users.CreateUser(t.Context(), "stranger", users.RoleMember)
	require.NoError(t, err)
	sessions := map[chat.SessionKey][]chat.Todo{
		key:                            {{ID: "1", Text: "here"}},
		"agent:main:web:thread:mine":   {{ID: "1", Text: "done", Done: true}, {ID: "2", Text: "left"}},
		"agent:main:web:thread:done":   {{ID: "1", Text: "all done", Done: true}},
		"agent:main:web:thread:theirs": {{ID: "1", Text: "not yours"}},
	}
	for of, todos := range sessions {
		owner := b.user.ID
		if of == "agent:main:web:thread:theirs" {
			owner = stranger.ID
		}
		_, err := b.Conversations.CreateSession(t.Context(), conversation.NewSession{Key: of, Owner: owner, Channel: "web", Title: "T"})
		require.NoError(t, err)
		require.NoError(t, b.Conversations.SetTodos(t.Context(), of, todos))
	}
	lists, err := b.Search.TodosElsewhere(t.Context(), key, 10)
	require.NoError(t, err)
	require.Len(t, lists, 1)
	require.Equal(t, chat.SessionKey("agent:main:web:thread:mine"), lists[0].Session)
	require.Equal(t, []chat.Todo{{ID: "2", Text: "left"}}, lists[0].Todos)
	lists, err = b.Search.TodosElsewhere(t.Context(), "agent:main:web:thread:theirs", 10)
	require.NoError(t, err)
	require.Empty(t, lists)
}
