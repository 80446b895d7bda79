package api_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/settings"
	"xbot/internal/chat"
	"xbot/internal/policy"
	"xbot/internal/store"
)

// oneTurn is a policy that lets one turn run at once.
type oneTurn struct{}

func (oneTurn) Get(context.Context) (*policy.Policy, error) {
	return &policy.Policy{Limits: policy.Limits{Turns: 1}}, nil
}

func TestLimits_ShowAdministratorsWhatRunsAndWhoWaits(t *testing.T) {
	b := setupUnder(t, oneTurn{})
	first, second := b.alice.session("agent:main:web:thread:a").Key, b.bob.session("agent:main:web:thread:b").Key
	b.alice.say(first, "m1", "hello").is(http.StatusAccepted, nil)
	b.bob.say(second, "m2", "hello").is(http.StatusAccepted, nil)
	_, ok, err := b.store.Claim(t.Context(), first, "t1", "r1", 0)
	require.NoError(t, err)
	require.True(t, ok)
	_, ok, err = b.store.Claim(t.Context(), second, "t2", "r2", 0)
	require.NoError(t, err)
	require.False(t, ok)
	_, _, _, err = b.store.BeginStep(t.Context(), chat.Step{Session: first, Turn: "t1"})
	require.NoError(t, err)

	var got settings.Limits
	b.alice.get("/api/limits").is(http.StatusOK, &got)
	require.Equal(t, settings.LimitsInForce{Turns: 1, OwnKeyTurns: 1, Global: 5, Personal: 3, Subagent: 3}, got.Limits)
	require.Equal(t, 1, got.Running)
	require.Equal(t, 1, got.Waiting)
	require.Equal(t, []settings.TenantCalls{{Tenant: "alice", Pool: "global", Running: 1}}, got.LLM)
	require.Len(t, got.Turns, 2)
	require.Equal(t, settings.TenantTurns{Tenant: "alice", Running: 1}, got.Turns[0])
	require.Positive(t, got.Turns[1].Longest)

	b.bob.get("/api/limits").problem(http.StatusForbidden)

	rows, err := b.store.Throttled(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, []store.Waiting{{Inbox: rows[0].Inbox, Session: second, Text: "hello"}}, rows)
}
