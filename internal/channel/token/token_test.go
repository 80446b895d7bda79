package token_test

import (
	"context"
	"errors"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/token"
	"xbot/internal/fault"
)

// counting gives out the tokens 1, 2, 3 ..., each after a second and good for an hour.
func counting(asked *atomic.Int32) token.Ask {
	return func(context.Context) (string, time.Duration, error) {
		<-time.After(time.Second) // the bubble's
		return strconv.Itoa(int(asked.Add(1))), time.Hour, nil
	}
}

func TestGet_ManyWhoseTokenWasRefusedAskOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		k := token.New(counting(&asked))
		old, err := k.Get(t.Context())
		require.NoError(t, err)
		for range 50 {
			go func() {
				k.Drop(old)
				got, err := k.Get(t.Context())
				if err != nil || got != "2" {
					t.Errorf("got %q, %v", got, err)
				}
				k.Drop(old) // one that was refused long ago says nothing of the new one
			}()
		}
		synctest.Wait()
		<-time.After(time.Minute)
		require.EqualValues(t, 2, asked.Load())
	})
}

func TestGet_ReplacesATokenThatEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		k := token.New(counting(&asked))
		for _, want := range []string{"1", "1", "2"} {
			got, err := k.Get(t.Context())
			require.NoError(t, err)
			require.Equal(t, want, got)
			<-time.After(31 * time.Minute)
		}
	})
}

func TestGet_WaitsNoLongerThanItsContextPermits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		k := token.New(counting(&asked))
		go func() { _, _ = k.Get(context.Background()) }() // the one that asks
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		_, err := k.Get(ctx)
		require.True(t, fault.Is(err, fault.Unavailable))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		<-time.After(time.Minute)
	})
}

func TestGet_AFailureIsNotKept(t *testing.T) {
	away := errors.New("away")
	k := token.New(func(context.Context) (string, time.Duration, error) {
		if away != nil {
			return "", 0, away
		}
		return "t", time.Hour, nil
	})
	_, err := k.Get(t.Context())
	require.ErrorIs(t, err, away)
	away = nil
	got, err := k.Get(t.Context())
	require.NoError(t, err)
	require.Equal(t, "t", got)
	away = errors.New("the secret was changed")
	require.ErrorIs(t, k.Renew(t.Context()), away)
}
