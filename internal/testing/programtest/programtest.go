// Package programtest finds programs of this repository for tests that start them.
package programtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// folder is the variable that names a folder of built programs. The Makefile sets it after "make build".
const folder = "XBOT_E2E_BIN"

// Path returns the path of a program below cmd, such as xbot-runner: the one in the folder XBOT_E2E_BIN, else a static one
// that it builds beside the test program, which go test removes at its end.
func Path(t testing.TB, name string) string {
	t.Helper()
	path, err := find(name)
	require.NoError(t, err)
	return path
}

var (
	mu    sync.Mutex
	paths = map[string]string{}
)

func find(name string) (string, error) {
	if dir := os.Getenv(folder); dir != "" {
		path, err := filepath.Abs(filepath.Join(dir, name))
		if err != nil {
			return "", err
		}
		_, err = os.Stat(path) // records the program as an input of a cached test result
		return path, err
	}
	mu.Lock()
	defer mu.Unlock()
	if path, ok := paths[name]; ok {
		return path, nil
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	path := filepath.Join(filepath.Dir(self), name+"-built")
	build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", path, "xbot/cmd/"+name)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w: %s", name, err, out)
	}
	paths[name] = path
	return path, nil
}
