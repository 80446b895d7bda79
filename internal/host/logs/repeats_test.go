package logs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/host/logs"
)

func TestRepeats_ReportsAReasonOnceUntilItChangesOrTheLoopRecovers(t *testing.T) {
	var r logs.Repeats
	require.True(t, r.Changed("refused"))
	require.False(t, r.Changed("refused"))
	require.True(t, r.Changed("timeout"))
	require.True(t, r.Changed("refused"), "only the previous reason counts")
	r.Reset()
	require.True(t, r.Changed("refused"), "it failed again after it had worked")
}
