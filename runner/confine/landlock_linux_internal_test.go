package confine

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A folder of /tmp may be removed between the reading of its name and its opening.
func TestAllowAround_GrantsNothingOnAFolderThatWasRemoved(t *testing.T) {
	require.NoError(t, new(plan).allowAround(nil, filepath.Join(t.TempDir(), "removed")))
}
