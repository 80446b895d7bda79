package dirtest_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/testing/dirtest"
)

func TestFast_CanBeWrittenAndFollowsTMPDIR(t *testing.T) {
	t.Setenv("TMPDIR", "")
	dir, err := os.MkdirTemp(dirtest.Fast(), "dirtest")
	require.NoError(t, err)
	require.NoError(t, os.Remove(dir))
	named := t.TempDir()
	t.Setenv("TMPDIR", named)
	require.Equal(t, named, dirtest.Fast())
}
