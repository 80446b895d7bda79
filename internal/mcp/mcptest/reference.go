// Package mcptest brings the reference servers of the Model Context Protocol to tests.
package mcptest

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

//go:embed reference
var reference embed.FS

// Reference installs the reference servers, of the versions in the folder reference, into a cache of this machine, and returns the program of one:
// everything, filesystem or memory. node runs it. Without Node.js or npm's registry the test is left out, except in CI.
func Reference(t *testing.T, name string) string {
	t.Helper()
	lock, err := reference.ReadFile("reference/package-lock.json")
	require.NoError(t, err)
	cache, err := os.UserCacheDir()
	require.NoError(t, err)
	sum := sha256.Sum256(lock)
	home := filepath.Join(cache, "xbot-test", "mcp-reference-"+hex.EncodeToString(sum[:8]))
	program := filepath.Join(home, "node_modules", "@modelcontextprotocol", "server-"+name, "dist", "index.js")
	if _, err := os.Stat(program); err == nil {
		return program
	}
	require.NoError(t, os.MkdirAll(filepath.Dir(home), 0o755))
	fresh, err := os.MkdirTemp(filepath.Dir(home), "installing-")
	require.NoError(t, err)
	defer os.RemoveAll(fresh) //nolint:errcheck // what is left of it is in a cache
	for _, file := range []string{"package.json", "package-lock.json"} {
		data, err := reference.ReadFile("reference/" + file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(fresh, file), data, 0o600))
	}
	install := exec.CommandContext(t.Context(), "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error")
	install.Dir = fresh
	if out, err := install.CombinedOutput(); err != nil {
		if os.Getenv("CI") == "" {
			t.Skipf("the reference servers cannot be installed, which needs Node.js, npm and its registry: %v: %s", err, out)
		}
		require.NoError(t, err, string(out))
	}
	if err := os.Rename(fresh, home); err != nil {
		require.FileExists(t, program, "another process was not faster: %v", err)
	}
	return program
}
