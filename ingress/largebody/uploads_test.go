package largebody

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
)

func TestAttack_UploadsOfOneCallerAreBounded(t *testing.T) {
	t.Parallel()
	var u Uploads[int]
	var leaves []func()
	for range 3 {
		leave, err := u.Enter(1, 3)
		require.NoError(t, err)
		leaves = append(leaves, leave)
	}
	_, err := u.Enter(1, 3)
	require.Equal(t, fault.RateLimited, fault.KindOf(err))
	leave, err := u.Enter(2, 3)
	require.NoError(t, err, "another caller is served")
	leave()
	for _, leave := range leaves {
		leave()
	}
	require.Zero(t, u.UnderWay(1))
	require.Empty(t, u.count)
}
