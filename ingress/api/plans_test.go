package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

func TestSession_PlanModeIsSwitchedByItsPersonAlone(t *testing.T) {
	b := setup(t)
	key := b.alice.session("agent:main:web:thread:plans").Key
	at := path(key, "")
	var got chat.Session
	b.alice.patch(at, map[string]any{"plan": true}).is(http.StatusOK, &got)
	require.True(t, got.Plan)
	b.bob.patch(at, map[string]any{"plan": false}).problem(http.StatusNotFound)
	b.alice.patch(at, map[string]any{"plan": "perhaps"}).problem(http.StatusUnprocessableEntity)
	var off chat.Session
	b.alice.patch(at, map[string]any{"plan": false}).is(http.StatusOK, &off)
	require.False(t, off.Plan)

	b.alice.post(path(key, "/messages"), map[string]any{"client_message_id": "p1", "text": "tidy up", "plan": true}).is(http.StatusAccepted, nil)
	var plan bool
	require.NoError(t, b.pool.QueryRow(t.Context(), "SELECT (options ->> 'plan')::boolean FROM inbox WHERE platform_id = 'p1'").Scan(&plan))
	require.True(t, plan)
}
