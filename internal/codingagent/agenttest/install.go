package agenttest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Install builds the program and puts it under the names of all agents into a folder, which may be in PATH.
func Install(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "fakeagent")
	out, err := exec.Command("go", "build", "-o", program, "xbot/internal/codingagent/agenttest/fakeagent").CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, name := range []string{"codex", "claude", "kimi", "opencode"} {
		require.NoError(t, os.Link(program, filepath.Join(dir, name)))
	}
	return dir
}
