package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReference_IsMadeOfTheCodeAsItIs fails until "make gen" has been run after a change of a setting, a tool, a command and
// whatever else the reference lists.
func TestReference_IsMadeOfTheCodeAsItIs(t *testing.T) {
	t.Parallel()
	made, kept := t.TempDir(), "../../docs/reference"
	require.NoError(t, referenceCmd{Root: "../..", Out: made, Programs: os.Getenv("XBOT_E2E_BIN")}.Run(t.Context()))
	pages, err := os.ReadDir(made)
	require.NoError(t, err)
	require.NotEmpty(t, pages)
	for _, page := range pages {
		now, err := os.ReadFile(filepath.Join(made, page.Name()))
		require.NoError(t, err)
		before, err := os.ReadFile(filepath.Join(kept, page.Name()))
		require.NoError(t, err)
		require.Equal(t, string(before), string(now), "docs/reference/%s is stale: run \"make gen\"", page.Name())
	}
}
