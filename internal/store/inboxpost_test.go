package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

func TestTell_IsToldOnceForEachKeyAndReachesTheModelInItsPlace(t *testing.T) {
	b := setup(t)
	b.send("m1", "hello")
	told := chat.InternalMessage{Session: key, Key: "job_1@2026-11-22T08:00:00Z", Origin: chat.OriginCron, Text: "[cron news fired]\nread the news"}
	fresh, err := b.Inbox.Post(t.Context(), told)
	require.NoError(t, err)
	require.True(t, fresh)
	fresh, err = b.Inbox.Post(t.Context(), told)
	require.NoError(t, err)
	require.False(t, fresh)

	_, ok := b.claim("t1")
	require.True(t, ok)
	b.finish("t1", chat.TurnDone)
	claim, ok := b.claim("t2")
	require.True(t, ok)
	require.Equal(t, told.Text, claim.Text)
	last := b.transcript().Messages[len(b.transcript().Messages)-1]
	require.Equal(t, chat.OriginCron, last.Origin)
	require.Equal(t, told.Text, last.Content)
	b.finish("t2", chat.TurnDone)
	_, ok = b.claim("t3")
	require.False(t, ok, "it was told twice")
}

func TestTell_TwoOriginsMayUseTheSameKey(t *testing.T) {
	b := setup(t)
	for _, origin := range []string{chat.OriginCron, chat.OriginHook} {
		fresh, err := b.Inbox.Post(t.Context(), chat.InternalMessage{Session: key, Key: "1", Origin: origin, Text: "x"})
		require.NoError(t, err)
		require.True(t, fresh)
	}
}

func TestTell_ASessionThatIsGoneIsNotFound(t *testing.T) {
	b := setup(t)
	_, err := b.Inbox.Post(t.Context(), chat.InternalMessage{Session: "cron:gone", Key: "1", Origin: chat.OriginCron, Text: "x"})
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
}
