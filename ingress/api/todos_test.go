package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/sessions"
	"xbot/internal/chat"
)

func TestTodos_AreWhatIsLeftInOnesOwnConversations(t *testing.T) {
	b := setup(t)
	s := b.alice.session("agent:main:web:thread:mine")
	var got sessions.TodosBody
	b.do(b.alice, http.MethodGet, "/api/todos", nil).is(http.StatusOK, &got)
	require.NotNil(t, got.Lists)
	require.NoError(t, b.store.Conversations.SetTodos(t.Context(), s.Key, []chat.Todo{{ID: "1", Text: "dig", Done: true}, {ID: "2", Text: "sow"}}))
	b.do(b.alice, http.MethodGet, "/api/todos", nil).is(http.StatusOK, &got)
	require.Len(t, got.Lists, 1)
	require.Equal(t, s.Key, got.Lists[0].Session)
	require.Equal(t, []chat.Todo{{ID: "2", Text: "sow"}}, got.Lists[0].Todos)
	b.do(b.bob, http.MethodGet, "/api/todos", nil).is(http.StatusOK, &got)
	require.Empty(t, got.Lists)
	b.do(nil, http.MethodGet, "/api/todos", nil).problem(http.StatusUnauthorized)
	require.NoError(t, b.store.Conversations.SetTodos(t.Context(), s.Key, []chat.Todo{{ID: "1", Text: "dig", Done: true}}))
	b.do(b.alice, http.MethodGet, "/api/todos", nil).is(http.StatusOK, &got)
	require.Empty(t, got.Lists, "nothing is left")
}
