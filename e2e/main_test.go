// Package e2e tests the built binaries as an operator runs them: real processes, real Postgres, real Temporal, real
// HTTP. Only the language model is scripted (internal/llm/llmtest).
package e2e

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"xbot/internal/testing/dirtest"
)

// bin is the folder of the binaries under test: XBOT_E2E_BIN, or built here.
var bin string

// raced matches the tests whose servers are built with the race detector (XBOT_E2E_RACE). nil matches none.
var raced *regexp.Regexp

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
	if names := os.Getenv("XBOT_E2E_RACE"); names != "" {
		if raced, err = regexp.Compile(names); err != nil {
			return 0, fmt.Errorf("XBOT_E2E_RACE: %w", err)
		}
	}
	if stacks, err = os.MkdirTemp(dirtest.Fast(), "xt"); err != nil {
		return 0, err
	}
	code := m.Run()
	return code, errors.Join(runningStack.stop(), os.RemoveAll(stacks))
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

// binaries returns the folder of the binaries for a test.
func binaries(t *testing.T) string {
	if raced != nil && raced.MatchString(t.Name()) {
		return filepath.Join(bin, "race")
	}
	return bin
}
