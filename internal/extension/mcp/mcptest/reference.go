// Package mcptest provides the reference servers of the Model Context Protocol for tests.
package mcptest

import (
	"embed"
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/testing/npmtest"
)

//go:embed reference
var reference embed.FS

// Reference installs the reference servers, of the versions in the folder reference, as npmtest.Install does, and returns the program of one:
// everything, filesystem or memory. node runs it.
func Reference(t *testing.T, name string) string {
	t.Helper()
	files, err := fs.Sub(reference, "reference")
	require.NoError(t, err)
	home := npmtest.Install(t, files, "mcp-reference", "--ignore-scripts")
	return filepath.Join(home, "node_modules", "@modelcontextprotocol", "server-"+name, "dist", "index.js")
}
