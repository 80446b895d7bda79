package cron

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTimeline_KeepsWhatIsNextToNow(t *testing.T) {
	now := time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
	line := func(past, ahead int) (items []TimelineItem) {
		for i := -past; i < ahead; i++ {
			items = append(items, TimelineItem{At: now.Add(time.Duration(i) * time.Minute)})
		}
		return items
	}
	for _, c := range []struct{ past, ahead, before int }{
		{5000, 5000, timelineMost / 2}, {5000, 10, timelineMost - 10}, {10, 5000, 10}, {5000, 0, timelineMost}, {0, 5000, 0},
	} {
		got := around(line(c.past, c.ahead), now)
		require.Len(t, got, timelineMost)
		require.Equal(t, now.Add(-time.Duration(c.before)*time.Minute), got[0].At, c)
	}
}
