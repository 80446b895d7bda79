package policy_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/policy"
)

// versions is a source with one document at a time.
type versions struct {
	version int64
	body    string
	err     error
	looks   int
}

func (v *versions) PolicyAfter(_ context.Context, known int64) (int64, []byte, error) {
	v.looks++
	if v.err != nil || v.version == known {
		return v.version, nil, v.err
	}
	return v.version, []byte(v.body), nil
}

// after lets the clock of the test run.
func after(d time.Duration) { <-time.After(d) }

func TestLive_FollowsAChangeWithinASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := &versions{}
		live := &policy.Live{Source: source}
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
	live := &policy.Live{Source: source}
	_, err := live.Get(t.Context())
	require.NoError(t, err)
	source.version, source.body = 1, `{"limits": {"turns": 2}}`
	live.Refresh()
	p, err := live.Get(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2, p.Limit().Turns)
}

func TestLive_TheLastDocumentStandsWhileTheDatabaseIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := &versions{err: errors.New("away")}
		live := &policy.Live{Source: source}
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
