package llm_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
	"xbot/internal/llm"
)

func TestReason_NamesWhatIsWorthRepeating(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		err  error
		want string
	}{
		"rate limit":  {fault.Limited(time.Second, "slow down"), "rate limit"},
		"truncated":   {fault.Errorf(fault.Unavailable, "broke off (%w)", llm.ErrTruncated), "truncated stream"},
		"timeout":     {llm.ErrTimeout, "timeout"},
		"network":     {fault.Errorf(fault.Unavailable, "x: %w", llm.ErrNetwork), "network"},
		"server":      {llm.ErrServer, "server error"},
		"empty":       {fault.Errorf(fault.Unavailable, "x: %w", llm.ErrEmpty), "empty answer"},
		"other":       {fault.Errorf(fault.Unavailable, "down"), "server error"},
		"bad request": {fault.Errorf(fault.Invalid, "no"), ""},
		"too large":   {fault.Errorf(fault.TooLarge, "no"), ""},
		"a stop":      {errors.New("stopped"), ""},
		"nothing":     {nil, ""},
	}
	for name, c := range cases {
		require.Equal(t, c.want, llm.Reason(c.err), name)
	}
	require.Equal(t, fault.Unavailable, fault.KindOf(llm.ErrTruncated))
}
