// Package goldentest compares what a test produced with golden files.
package goldentest

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Equal requires that got equals the file at path, such as "testdata/greeting.golden". files is the folder testdata that the test
// embeds, so that Go caches the result of the test by the content of the file. With UPDATE_GOLDEN=1 Equal writes the file in the
// package's folder instead.
func Equal(t testing.TB, files fs.FS, path, got string) {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		return
	}
	want, err := fs.ReadFile(files, filepath.ToSlash(path))
	require.NoError(t, err, "to write it: UPDATE_GOLDEN=1 go test")
	require.Equal(t, string(want), got, "%s; where the change is meant: UPDATE_GOLDEN=1 go test", path)
}
