package pgtest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRemoveAtOnce_TakesNothingFromWhoeverComesMeanwhile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "shared")
	require.NoError(t, os.Mkdir(dir, 0o700))
	for i := range 2000 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprint("old", i)), nil, 0o600))
	}
	removed := make(chan error, 1)
	go func() { removed <- removeAtOnce(dir) }()
	for {
		err := os.Mkdir(dir, 0o700)
		if err == nil {
			break
		}
		require.ErrorIs(t, err, fs.ErrExist)
	}
	mine := filepath.Join(dir, "users")
	require.NoError(t, os.WriteFile(mine, nil, 0o600))
	require.NoError(t, <-removed)
	_, err := os.Stat(mine)
	require.NoError(t, err, "the folder of the one who came was removed, too")
}
