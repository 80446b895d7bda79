// Package localstacktest helps tests that start the local stack.
package localstacktest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// T is the part of testing.TB that the package needs.
type T interface {
	require.TestingT
	Helper()
}

// TemporalBinary returns the path of xbot-temporal: XBOT_TEMPORAL_BIN, or else .bin/xbot-temporal of this
// repository, built if it is older than its sources. The first build ever takes minutes.
func TemporalBinary(t T) string {
	t.Helper()
	path, err := temporalBinary()
	require.NoError(t, err)
	return path
}

var temporalBinary = sync.OnceValues(func() (string, error) {
	if path := os.Getenv("XBOT_TEMPORAL_BIN"); path != "" {
		return filepath.Abs(path)
	}
	root, err := repository()
	if err != nil {
		return "", err
	}
	bin := filepath.Join(root, ".bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return "", err
	}
	// The tests of several packages run at once and would write the same file.
	lock, err := os.OpenFile(filepath.Join(bin, "xbot-temporal.lock"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return "", err
	}
	defer lock.Close()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		return "", fmt.Errorf("wait for another build of xbot-temporal: %w", err)
	}
	path := filepath.Join(bin, "xbot-temporal")
	build := exec.Command("go", "build", "-C", filepath.Join(root, "cmd", "xbot-temporal"), "-o", path, ".")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build xbot-temporal: %w\n%s", err, out)
	}
	return path, nil
})

// repository finds the folder of the module xbot above the test's.
func repository() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && bytes.HasPrefix(text, []byte("module xbot\n")) {
			return dir, nil
		}
		if parent := filepath.Dir(dir); parent != dir {
			dir = parent
			continue
		}
		return "", fmt.Errorf("no go.mod of module xbot above the test's folder; set XBOT_TEMPORAL_BIN")
	}
}
