package relay_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
	"xbot/internal/user/users"
)

func TestRelay_StopsWhatRunsAndWaitsOfAPersonWhoIsShutOut(t *testing.T) {
	r := relaying(t)
	b, ctx := r.Bundle, t.Context()
	ann, err := b.Users.CreateUser(ctx, "ann", users.RoleMember)
	require.NoError(t, err)
	const hers = chat.SessionKey("agent:main:web:thread:hers")
	_, err = b.Conversations.CreateSession(ctx, conversation.NewSession{Key: hers, Owner: ann.ID, Channel: "web"})
	require.NoError(t, err)
	for _, id := range []string{"disabled-t1", "m2"} {
		_, err := b.Turns.Accept(ctx, engine.NewRow{Session: hers, User: ann.ID, Channel: "web", PlatformID: id, Text: "hello"})
		require.NoError(t, err)
	}
	_, ok, err := b.Turns.Claim(ctx, hers, "t1", "run", 0)
	require.NoError(t, err)
	require.True(t, ok)

	require.NoError(t, b.Users.Disable(ctx, ann.ID, nil))
	require.NoError(t, r.Round(ctx))
	stop, err := b.Turns.StopRequested(ctx, hers, "t1")
	require.NoError(t, err)
	require.True(t, stop)
	require.Contains(t, b.Wakes.Sessions(), hers, "her turn hears of it")
	work, err := b.Users.DisabledWork(ctx)
	require.NoError(t, err)
	require.Empty(t, work, "nothing is left to be stopped")

	woken := len(b.Wakes.Sessions())
	require.NoError(t, r.Round(ctx))
	require.Len(t, b.Wakes.Sessions(), woken, "once")
}
