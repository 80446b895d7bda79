package policy_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/turn/policy"
)

// versions is a source with one document at a time.
type versions struct {
	version int64
	body    string
	err     error
	looks   int

	services int64
	agents   []policy.Agent
}

func (v *versions) PolicyAfter(_ context.Context, known int64) (int64, []byte, error) {
	v.looks++
	if v.err != nil || v.version == known {
		return v.version, nil, v.err
	}
	return v.version, []byte(v.body), nil
}

func (v *versions) ServicesAfter(_ context.Context, known int64) (int64, []policy.Agent, error) {
	if v.err != nil || v.services == known {
		return v.services, nil, v.err
	}
	return v.services, v.agents, nil
}

// after lets the clock of the test run.
func after(d time.Duration) { <-time.After(d) }

func TestLive_FollowsAChangeWithinASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := &versions{}
		live := &policy.Live{Services: source, Settings: source}
		turns := func() int {
			p, err := live.Get(t.Context())
			require.NoError(t, err)
			return p.Limit().Turns
		}
		require.Equal(t, 64, turns(), "without a document the defaults hold")
		source.version, source.body = 1, `{"limits": {"turns": 2}}`
		require.Equal(t, 64, turns())
		require.Equal(t, 1, source.looks, "it is not looked up for every message")
		after(time.Second)
		require.Equal(t, 2, turns())
		after(time.Second)
		require.Equal(t, 2, turns())
		require.Equal(t, 3, source.looks)
	})
}

func TestLive_HoldsAtOnceWhereItWasChanged(t *testing.T) {
	source := &versions{}
	live := &policy.Live{Services: source, Settings: source}
	_, err := live.Get(t.Context())
	require.NoError(t, err)
	source.version, source.body = 1, `{"limits": {"turns": 2}}`
	live.Refresh()
	p, err := live.Get(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2, p.Limit().Turns)
}

func TestLive_AServiceThatAnotherProcessChangedIsKnownToWhoKnowsOfTheChange(t *testing.T) {
	source := &versions{services: 1, agents: []policy.Agent{{ID: "svc_0000000a", Model: "a/b"}}}
	live := &policy.Live{Services: source, Settings: source}
	with := func(version int64) string {
		p, err := live.With(t.Context(), version)
		require.NoError(t, err)
		return p.Agent("svc_0000000a").Model
	}
	require.Equal(t, "a/b", with(1))
	source.services, source.agents = 2, []policy.Agent{{ID: "svc_0000000a", Model: "c/d"}}
	require.Equal(t, "a/b", with(1))
	require.Equal(t, "c/d", with(2))
	source.err = errors.New("away")
	_, err := live.With(t.Context(), 3)
	require.ErrorContains(t, err, "away", "an old one would have other tools")
}

func TestLive_TheLastDocumentStandsWhileTheDatabaseIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := &versions{err: errors.New("away")}
		live := &policy.Live{Services: source, Settings: source}
		_, err := live.Get(t.Context())
		require.ErrorContains(t, err, "read the policy: away")

		source.version, source.body, source.err = 1, `{"limits": {"turns": 2}}`, nil
		_, err = live.Get(t.Context())
		require.NoError(t, err)
		source.err = errors.New("away")
		after(time.Hour)
		p, err := live.Get(t.Context())
		require.NoError(t, err)
		require.Equal(t, 2, p.Limit().Turns)
	})
}

func TestLive_ServicesAreAgentsThatNoDocumentHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := &versions{services: 1, agents: []policy.Agent{{ID: "svc_0000000a", Model: "a/b"}}}
		live := &policy.Live{Services: source, Settings: source}
		get := func() *policy.Policy {
			p, err := live.Get(t.Context())
			require.NoError(t, err)
			return p
		}
		before := get()
		require.Equal(t, "a/b", before.Agent("svc_0000000a").Model)
		require.Empty(t, before.Agents.List, "people do not choose them")
		gone := before.Agent("svc_0000000b")
		require.Equal(t, "svc_0000000b", gone.ID, "never the default agent")
		require.Equal(t, []string{"*"}, gone.Tools.Deny)

		source.version, source.body = 7, `{"limits": {"turns": 2}}`
		after(time.Second)
		require.Equal(t, "a/b", get().Agent("svc_0000000a").Model, "a change of the document leaves them")
		source.services, source.agents = 2, []policy.Agent{{ID: "svc_0000000a", Model: "a/c"}}
		after(time.Second)
		require.Equal(t, "a/c", get().Agent("svc_0000000a").Model)
		require.Equal(t, 2, get().Limit().Turns)
		require.Equal(t, "a/b", before.Agent("svc_0000000a").Model, "what was read before is not touched")
	})
}
