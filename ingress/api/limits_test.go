package api_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/settings"
	"xbot/internal/chat"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/policy"
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
	_, ok, err := b.store.Turns.Claim(t.Context(), first, "t1", "r1", 0)
	require.NoError(t, err)
	require.True(t, ok)
	_, ok, err = b.store.Turns.Claim(t.Context(), second, "t2", "r2", 0)
	require.NoError(t, err)
	require.False(t, ok)
	_, _, _, err = b.store.Turns.BeginStep(t.Context(), chat.Step{Session: first, Turn: "t1"})
	require.NoError(t, err)

	var got settings.Limits
	b.alice.get("/api/limits").is(http.StatusOK, &got)
	require.Equal(t, []int{1, 0, 1, 5, 3, 3}, []int{got.Limits.Turns, got.Limits.UserTurns, got.Limits.OwnKeyTurns, got.Limits.Global, got.Limits.Personal, got.Limits.Subagent})
	require.Equal(t, 1, got.Running)
	require.Equal(t, 1, got.Waiting)
	require.Equal(t, []settings.TenantCalls{{Tenant: "alice", Pool: "global", Running: 1}}, got.LLM)
	require.Len(t, got.Turns, 2)
	require.Equal(t, settings.TenantTurns{Tenant: "alice", Running: 1}, got.Turns[0])
	require.Positive(t, got.Turns[1].Longest)

	b.bob.get("/api/limits").problem(http.StatusForbidden)

	rows, err := b.store.Turns.Throttled(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, []engine.Waiting{{Inbox: rows[0].Inbox, Session: second, Text: "hello"}}, rows)
}

func TestLimits_AreChangedInANewVersionOfThePolicyThatKeepsTheRest(t *testing.T) {
	b := setup(t)
	var before settings.Limits
	b.alice.put("/api/policy", policyInput{Text: "{session: {dmScope: 'main'}, limits: {turns: 7}}"}).is(http.StatusOK, nil)
	b.alice.get("/api/limits").is(http.StatusOK, &before)
	require.Equal(t, 7, before.Set.Turns)
	require.Equal(t, 64, before.Default.Turns)
	require.Zero(t, before.Set.SubagentDepth)

	change := settings.NewLimits{Version: before.Version, Limits: before.Set}
	change.Limits.Turns, change.Limits.PersonRunners, change.Limits.SubagentDepth = 0, 3, 2
	var after settings.Limits
	b.alice.put("/api/limits", change).is(http.StatusOK, &after)
	require.Equal(t, change.Limits, after.Set)
	require.Greater(t, after.Version, before.Version)

	var text settings.PolicyText
	b.alice.get("/api/policy").is(http.StatusOK, &text)
	require.JSONEq(t, `{"session": {"dmScope": "main"}, "limits": {"person": {"runners": 3}, "subagents": {"depth": 2}}}`, text.Text)
	other, err := (&policy.Live{Services: b.store.Services, Settings: b.store.Settings}).Get(t.Context()) // as another process reads it
	require.NoError(t, err)
	require.Equal(t, 2, other.Limit().Subagents.Depth)
	versions, err := b.store.Settings.PolicyVersions(t.Context(), 1)
	require.NoError(t, err)
	require.Equal(t, "alice", versions[0].By)

	require.Contains(t, b.alice.put("/api/limits", change).problem(http.StatusConflict), "changed meanwhile")
}

func TestLimits_BadNumbersAreNamedAndNothingChanges(t *testing.T) {
	b := setup(t)
	bad := settings.NewLimits{Limits: settings.LimitNumbers{Turns: -1, SubagentDepth: 900}}
	got := b.alice.put("/api/limits", bad)
	said := got.problem(http.StatusUnprocessableEntity)
	require.Contains(t, said, "limits.turns: -1 is not between 1 and 10000")
	require.Contains(t, string(got.body), "limits.subagents.depth: 900 is not between 1 and 20")
	b.alice.put("/api/limits", map[string]any{"version": 0, "limits": map[string]any{"turns": "many"}}).problem(http.StatusUnprocessableEntity)
	b.bob.put("/api/limits", settings.NewLimits{}).problem(http.StatusForbidden)
	b.do(nil, http.MethodPut, "/api/limits", settings.NewLimits{}).problem(http.StatusUnauthorized)

	var in settings.Limits
	b.alice.get("/api/limits").is(http.StatusOK, &in)
	require.Zero(t, in.Version)
}
