package policy_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/turn/policy"
)

func TestHours_HoldWithinThemAlsoOverMidnight(t *testing.T) {
	t.Parallel()
	at := func(clock string) time.Time {
		got, err := time.Parse("2006-01-02 15:04", "2026-03-02 "+clock)
		require.NoError(t, err)
		return got
	}
	day, night := policy.Hours{Start: "08:00", End: "22:00", Timezone: "Asia/Shanghai"}, policy.Hours{Start: "22:00", End: "06:00"}
	for clock, want := range map[string][2]bool{"00:00": {true, true}, "13:59": {true, false}, "14:00": {false, false}, "23:00": {false, true}, "05:59": {true, true}, "06:00": {true, false}} {
		require.Equal(t, want[0], day.Hold(at(clock), time.UTC), clock)
		require.Equal(t, want[1], night.Hold(at(clock), time.UTC), clock)
	}
	require.True(t, policy.Hours{}.Hold(at("12:00"), time.UTC))
}

func TestHeartbeat_SaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for _, beat := range []string{`{every: "5s"}`, `{prompt: "x"}`, `{every: "30m", activeHours: {start: "8am"}}`, `{every: "30m", activeHours: {timezone: "Mars"}}`, `{every: "30m", target: "all"}`} {
		_, _, err := policy.Parse([]byte(`{agents: {list: [{id: "main", heartbeat: ` + beat + `}]}}`))
		require.Error(t, err, beat)
	}
}
