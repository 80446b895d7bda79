package server

import (
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNote_TellsAServiceOfSystemdFromWhatItStarted(t *testing.T) {
	for value, want := range map[string]bool{strconv.Itoa(os.Getpid()): true, strconv.Itoa(os.Getppid()): false, "": false} {
		t.Setenv("SYSTEMD_EXEC_PID", value)
		require.Equal(t, want, ofSystemd(), value)
	}
}
