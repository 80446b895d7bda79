package localstack

import (
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
)

// A lock that is held may name a pid of another container, which is somebody else here.
func TestStop_ALockThatNamesAnotherProcessStopsNobody(t *testing.T) {
	t.Parallel()
	h := testHome(t)
	lock, err := h.lock()
	require.NoError(t, err)
	defer func() { require.NoError(t, lock.release()) }()

	other := exec.Command("sleep", "60")
	require.NoError(t, other.Start())
	ended := make(chan error, 1)
	go func() { ended <- other.Wait() }()
	require.NoError(t, os.WriteFile(h.run("serve.lock"), []byte(strconv.Itoa(other.Process.Pid)+"\n"), 0o600))

	err = Stop(t.Context(), string(h))
	require.True(t, fault.Is(err, fault.Invalid), "%v", err)
	require.ErrorContains(t, err, "stop it there")
	select {
	case err := <-ended:
		t.Fatalf("the other process has ended: %v", err)
	default:
	}
	require.NoError(t, other.Process.Kill())
	require.Error(t, <-ended, "it was killed")

	err = Stop(t.Context(), string(h))
	require.True(t, fault.Is(err, fault.Invalid), "a process that has ended: %v", err)
}
