// Package e2e tests the built binaries as an operator runs them: real processes, real Postgres, real Temporal, real
// HTTP. Only the language model is scripted (internal/llm/llmtest).
package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/dirtest"
)

// bin is the folder of the binaries under test: XBOT_E2E_BIN, or built here.
var bin string

func TestMain(m *testing.M) {
	code, err := prepare(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(1)
	}
	os.Exit(code)
}

func prepare(m *testing.M) (int, error) {
	root, err := filepath.Abs("..")
	if err != nil {
		return 0, err
	}
	if bin = os.Getenv("XBOT_E2E_BIN"); bin == "" {
		bin = filepath.Join(root, ".bin")
		if err := build(root); err != nil {
			return 0, err
		}
	}
	if stackTemplate, err = os.MkdirTemp(dirtest.Fast(), "xt"); err != nil {
		return 0, err
	}
	return m.Run(), os.RemoveAll(stackTemplate)
}

func build(root string) error {
	for _, args := range [][]string{
		{"build", "-o", bin + "/", "./cmd/xbot", "./cmd/xbot-cli"},
		{"build", "-o", bin + "/", "./cmd/xbot-runner"},
		{"build", "-C", "cmd/xbot-temporal", "-o", filepath.Join(bin, "xbot-temporal"), "."},
	} {
		cmd := exec.Command("go", args...)
		cmd.Dir = root
		if slices.Contains(args, "./cmd/xbot-runner") {
			cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // it goes to other machines, and into containers
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("go %v: %w\n%s", args, err, out)
		}
	}
	return nil
}

// plainBuild is the folder of the programs without the race detector, for tests of what the detector changes: how much memory a
// server takes, and how long hundreds of megabytes and tens of megapixels need.
func plainBuild(t *testing.T) string {
	t.Helper()
	if filepath.Base(bin) != "race" {
		return bin
	}
	above := filepath.Dir(bin)
	require.FileExists(t, filepath.Join(above, "xbot"))
	return above
}
