package confine_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"xbot/runner/confine"
)

// fullDisk is a record of starts that cannot be written. A command that did not wait for it would have made its file.
type fullDisk struct {
	t     *testing.T
	file  string
	asked int
}

var errFull = errors.New("the disk is full")

func (d *fullDisk) Start() error {
	d.asked++
	assert.Never(d.t, func() bool { _, err := os.Stat(d.file); return err == nil }, 300*time.Millisecond, 10*time.Millisecond)
	return errFull
}

func TestStart_ExecutesNothingWhoseStartCannotBeRecorded(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	require.NoError(t, err)
	defer null.Close()
	start := func(t *testing.T, method confine.Method, policy confine.Policy, dir string) {
		t.Helper()
		disk := &fullDisk{t: t, file: filepath.Join(dir, "executed")}
		_, err := confine.Start(method, confine.Command{
			Text: "touch executed", Dir: dir, Env: []string{"PATH=" + os.Getenv("PATH")}, Input: null.Fd(), Output: null.Fd(), Errors: null.Fd(), Policy: policy, Record: disk,
		})
		require.ErrorIs(t, err, errFull)
		require.Equal(t, 1, disk.asked)
		require.NoFileExists(t, disk.file, "Start returns after the end of the process")
	}
	t.Run("none", func(t *testing.T) { start(t, confine.None, confine.Policy{}, t.TempDir()) })
	eachMethod(t, func(p *fixture) { start(p.T, p.method, p.policy(), p.open) })
}
