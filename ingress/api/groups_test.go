package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/sessions"
	"xbot/internal/chat"
)

func TestGroups_AreShownToAndEndedByTheirOwnerOnly(t *testing.T) {
	b := setup(t)
	s := b.alice.session("agent:main:web:thread:mine")
	at := "/api/sessions/" + string(s.Key) + "/groups"
	var list sessions.GroupsBody
	b.do(b.alice, http.MethodGet, at, nil).is(http.StatusOK, &list)
	require.NotNil(t, list.Groups)
	require.Empty(t, list.Groups)

	id, err := b.store.Agents.OpenGroup(t.Context(), chat.NewGroup{
		Call: "t1.0.0", Session: s.Key, Turn: "t1", Topic: "why", Rounds: 3, Members: []chat.NewMember{{Role: "coder"}, {Role: "planner"}},
	})
	require.NoError(t, err)
	require.NoError(t, b.store.Agents.SpeakInGroup(t.Context(), id, s.Key, "t2.0.0", "begin"))
	b.do(b.alice, http.MethodGet, at, nil).is(http.StatusOK, &list)
	require.Len(t, list.Groups, 1)
	require.Equal(t, "begin", list.Groups[0].Lines[0].Said)
	require.Equal(t, "coder", list.Groups[0].Members[0].Name)

	b.do(b.bob, http.MethodGet, at, nil).problem(http.StatusNotFound)
	b.do(b.bob, http.MethodPost, at+"/"+string(id)+"/end", nil).problem(http.StatusNotFound)
	b.do(b.alice, http.MethodPost, at+"/nothing/end", nil).problem(http.StatusNotFound)
	for range 2 {
		b.do(b.alice, http.MethodPost, at+"/"+string(id)+"/end", nil).is(http.StatusNoContent, nil)
	}
	b.do(b.alice, http.MethodGet, at, nil).is(http.StatusOK, &list)
	require.Equal(t, "closed", list.Groups[0].Ended)
}
