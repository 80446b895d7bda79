package runners_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/runners/runnerstest"
	"xbot/internal/sandbox"
)

func TestMain(m *testing.M) { runnerstest.Main(m) }

func TestExec_Runs(t *testing.T) {
	box, _ := runnerstest.Box(t)
	for range 5 {
		begin := time.Now()
		got, err := box.Exec(t.Context(), sandbox.ExecRequest{ID: "t.0.1", Command: "echo hello; echo err >&2; exit 3"})
		require.NoError(t, err)
		require.Equal(t, sandbox.ExecExited, got.State)
		require.Equal(t, 3, got.Code)
		require.Equal(t, "hello\nerr\n", string(got.Output))
		t.Log(time.Since(begin))
	}
}
