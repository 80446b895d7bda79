package modelcall

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"xbot/internal/fault"
)

func TestRetry_WaitsLongerEachTimeWithinItsBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Retry{
			Attempts: 5, Delay: time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "delay")),
			MaxDelay: time.Duration(rapid.Int64Range(0, int64(24*time.Hour)).Draw(t, "max")),
		}
		n := rapid.IntRange(1, 1000).Draw(t, "n")
		asked := time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "asked"))
		plain := r.Pause(n, fault.Errorf(fault.Unavailable, "x"))
		if plain < min(r.Delay, r.MaxDelay) || plain > r.MaxDelay+r.MaxDelay/4 {
			t.Fatalf("waits %s", plain)
		}
		limited := r.Pause(n, fault.Limited(asked, "x"))
		if limited < asked || limited < time.Second<<min(n, 4) {
			t.Fatalf("waits %s on a rate limit that asks for %s", limited, asked)
		}
	})
}
