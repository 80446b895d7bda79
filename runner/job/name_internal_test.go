package job

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFolderName_KeepsPlainIDsReadable(t *testing.T) {
	require.Equal(t, "0192f0c1-1111-7222-8333-444455556666.3.0", folderName("0192f0c1-1111-7222-8333-444455556666.3.0"))
}

func FuzzFolderName(f *testing.F) {
	f.Add("a", "A")
	f.Add("..", "~x")
	f.Add("a/b", "a\x00b")
	f.Add(strings.Repeat("x", 300), "")
	f.Fuzz(func(t *testing.T, a, b string) {
		name := folderName(a)
		require.Equal(t, name, filepath.Base(name), "it stays inside its folder")
		require.NotContains(t, []string{".", "..", ""}, name)
		require.LessOrEqual(t, len(name), maxPlainName)
		require.Equal(t, strings.ToLower(name), name, "file systems may fold case")
		if a != b {
			require.NotEqual(t, name, folderName(b))
		}
	})
}
