package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/sandbox/runners"
)

func TestContainers_AWishIsHeardByWhoeverListens(t *testing.T) {
	b := setup(t)
	ctx, stop := context.WithCancel(t.Context())
	heard, ended := make(chan chat.UserID, 100), make(chan error, 1)
	go func() {
		ended <- runners.ListenContainers(ctx, b.pool.Config().ConnString(), func(user chat.UserID) { heard <- user })
	}()
	require.Eventually(t, func() bool { // a wish before it listens is lost: whoever needs the container asks again
		if err := b.Runners.WantContainer(ctx, 42); err != nil {
			t.Error(err)
		}
		return len(heard) > 0
	}, 20*time.Second, 10*time.Millisecond)
	require.Equal(t, chat.UserID(42), <-heard)
	stop()
	require.Error(t, <-ended)
}

func TestContainers_ARunnerOfTheServerMayHaveTheReservedName(t *testing.T) {
	b := setup(t)
	_, err := b.Runners.EnsureRunner(t.Context(), b.user.ID, "__docker__", hashOf("container"))
	require.NoError(t, err)
	name, user, _, err := b.Runners.RunnerByToken(t.Context(), hashOf("container"))
	require.NoError(t, err)
	require.Equal(t, "__docker__", name)
	require.Equal(t, b.user.ID, user)
	_, err = b.Runners.EnsureRunner(t.Context(), b.user.ID, "__other__", hashOf("other"))
	require.Error(t, err)
}
