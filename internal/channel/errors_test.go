package channel_test

import (
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
	"xbot/internal/fault"
)

func TestCertain_LeavesNothingOpenAndKeepsTheReason(t *testing.T) {
	open := fmt.Errorf("twice: %w", channel.Uncertain(fault.Errorf(fault.Unavailable, "once: %w", channel.Uncertain(fault.Errorf(fault.Denied, "why: %w", io.EOF)))))
	got := channel.Certain(open)
	require.False(t, channel.Unknown(got))
	require.ErrorIs(t, got, io.EOF)
	require.EqualError(t, got, "why: EOF")
	require.Equal(t, io.EOF, channel.Certain(io.EOF))
	require.NoError(t, channel.Certain(nil))
}
