package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

func TestAccept_SaysWhetherNothingWasBeforeTheMessage(t *testing.T) {
	b := setup(t)
	require.True(t, b.send("m1", "one").Idle)
	require.False(t, b.send("m2", "two").Idle, "the first one waits")
	for _, turn := range []chat.TurnID{"t1", "t2"} {
		_, ok := b.claim(turn)
		require.True(t, ok)
		if turn == "t2" {
			require.False(t, b.send("m3", "three").Idle, "a turn runs")
		}
		b.finish(turn, chat.TurnDone)
	}
	_, ok := b.claim("t3")
	require.True(t, ok)
	b.finish("t3", chat.TurnDone)
	require.True(t, b.send("m4", "four").Idle)
}
