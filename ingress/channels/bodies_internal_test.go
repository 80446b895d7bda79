package channels

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAttack_OneAddressDoesNotTakeAllCalls(t *testing.T) {
	t.Parallel()
	var b bodies
	for range hooksOfOne {
		require.True(t, b.enter("203.0.113.7"))
	}
	require.False(t, b.enter("203.0.113.7"))
	require.True(t, b.enter("198.51.100.1"), "a platform is served")
	b.leave("198.51.100.1", 0)
	for range hooksOfOne {
		b.leave("203.0.113.7", 0)
	}
	require.Empty(t, b.calls)
	require.Zero(t, b.all)
}
