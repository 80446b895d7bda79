package files_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTree_DeniedFoldersAreKnownUnderAnotherMount(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("NOT RUN: only root can mount a folder a second time")
	}
	p := setup(t)
	other := filepath.Join(p.workspace, "mounted")
	require.NoError(t, os.Mkdir(other, 0o755))
	require.NoError(t, syscall.Mount(p.home, other, "", syscall.MS_BIND, ""))
	defer func() { require.NoError(t, syscall.Unmount(other, syscall.MNT_DETACH)) }()
	for _, path := range []string{"mounted", "mounted/keys", "mounted/keys/secret", "mounted/new"} {
		require.Empty(t, p.refusals(path), path)
	}
}
