package confine_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/runner/confine"
)

// fullDisk is a record of starts that cannot be written, which takes its time.
type fullDisk struct {
	file  string // that the command makes
	asked int
	made  bool // the file, before Start returned
}

var errFull = errors.New("the disk is full")

func (d *fullDisk) Start() error {
	d.asked++
	for over := time.After(300 * time.Millisecond); !d.made; {
		select {
		case <-over:
			return errFull
		case <-time.After(10 * time.Millisecond):
			_, err := os.Stat(d.file)
			d.made = err == nil
		}
	}
	return errFull
}

func TestStart_ExecutesNothingWhoseStartCannotBeRecorded(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	require.NoError(t, err)
	defer null.Close()
	start := func(t *testing.T, method confine.Method, policy confine.Policy, dir string) {
		t.Helper()
		disk := &fullDisk{file: filepath.Join(dir, "executed")}
		_, err := confine.Start(method, confine.Command{
			Text: "touch executed", Dir: dir, Env: []string{"PATH=" + os.Getenv("PATH")}, Input: null.Fd(), Output: null.Fd(), Errors: null.Fd(), Policy: policy, Record: disk,
		})
		require.ErrorIs(t, err, errFull)
		require.Equal(t, 1, disk.asked)
		require.False(t, disk.made, "the command did not wait for the record")
		require.NoFileExists(t, disk.file, "Start returns after the end of the process")
	}
	t.Run("none", func(t *testing.T) { start(t, confine.None, confine.Policy{}, t.TempDir()) })
	eachMethod(t, func(p *fixture) { start(p.T, p.method, p.policy(), p.open) })
}
