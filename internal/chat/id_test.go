package chat_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

func TestCallID_SplitsIntoWhatItWasMadeOf(t *testing.T) {
	for _, turn := range []chat.TurnID{"0199-aa", "t", "turn.with.dots", "轮"} {
		id := chat.NewCallID(turn, 12, 3)
		gotTurn, step, n, ok := id.Split()
		require.True(t, ok, "%s", id)
		require.Equal(t, turn, gotTurn)
		require.Equal(t, 12, step)
		require.Equal(t, 3, n)
	}
}

func TestCallID_RefusesWhatIsNotOurs(t *testing.T) {
	for _, id := range []chat.CallID{"", "call_0", "turn.1", ".1.2", "turn.x.1", "turn.1.x", "turn.-1.0", "turn.0.-1", "turn.+1.0", "turn.01.0", "turn.1.", "turn..1"} {
		_, _, _, ok := id.Split()
		require.False(t, ok, "%q", id)
	}
}

func FuzzCallID_Split(f *testing.F) {
	f.Add("0199-aa.1.2")
	f.Add("a.b.+1.2")
	f.Add("..")
	f.Fuzz(func(t *testing.T, text string) {
		turn, step, n, ok := chat.CallID(text).Split()
		if ok && chat.NewCallID(turn, step, n) != chat.CallID(text) {
			t.Fatalf("%q was split into %q, %d, %d, which make another id", text, turn, step, n)
		}
	})
}
