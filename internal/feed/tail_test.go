package feed_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/feed"
)

func outputs(t *testing.T, s *feed.Subscription) []chat.Output {
	t.Helper()
	var out []chat.Output
	for _, e := range received(s) {
		out = append(out, decode[chat.Output](t, e))
	}
	return out
}

func TestTail_SendsQuickLinesTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus()
		sub := watch(t, b, key)
		tail := b.NewTail(key, "t", "t.0.0")
		all, sent := "", 0
		for range 1000 {
			tail.Print("line\n")
			pass(time.Millisecond)
			synctest.Wait()
			for _, o := range outputs(t, sub) {
				require.Equal(t, int64(len(all)), o.Offset)
				require.Equal(t, chat.CallID("t.0.0"), o.Call)
				all += o.Text
				sent++
			}
		}
		tail.Close()
		for _, o := range outputs(t, sub) {
			all += o.Text
		}
		require.Equal(t, strings.Repeat("line\n", 1000), all)
		require.InDelta(t, 30, sent, 6, "about one piece each 30 to 50 ms")
	})
}

func TestTail_ShowsTheEndOfWhatIsPrintedTooFastToRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus()
		sub := watch(t, b, key)
		tail := b.NewTail(key, "t", "t.0.0")
		chunk := strings.Repeat("字", 1000)
		pieces := 0
		var end int64
		for range 1000 {
			tail.Print(chunk)
			pass(time.Millisecond)
			synctest.Wait()
			for _, o := range outputs(t, sub) {
				require.GreaterOrEqual(t, o.Offset, end)
				require.NotContains(t, o.Text, "\uFFFD", "a character was cut in two")
				end = o.Offset + int64(len(o.Text))
				pieces++
			}
		}
		tail.Close()
		for _, o := range outputs(t, sub) {
			end = o.Offset + int64(len(o.Text))
		}
		require.Equal(t, int64(1000*len(chunk)), end, "the last thing printed is seen")
		require.Less(t, pieces, 400, "3 MB a second are not carried to a page")
	})
}
