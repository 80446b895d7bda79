package shim

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFloor_IsTheLimitOrATenthOfASmallDisk(t *testing.T) {
	const mb, gb = uint64(1 << 20), uint64(1 << 30)
	require.Equal(t, gb, floor(gb, 100*gb, 50*gb))
	require.Equal(t, 100*mb, floor(gb, 1000*mb, 900*mb))
	require.Equal(t, 436*mb, floor(gb, 100*gb, 500*mb), "what is full already must not get fuller")
	require.Zero(t, floor(gb, 100*gb, 10*mb))
	require.Zero(t, floor(gb, 0, 0), "a file system without a size has no limit")
}
