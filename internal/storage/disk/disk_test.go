package disk_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
	"xbot/internal/storage"
	"xbot/internal/storage/disk"
	"xbot/internal/storage/storagetest"
)

func open(t *testing.T) (*disk.Store, string) {
	folder := t.TempDir()
	s, err := disk.Open(folder)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s, folder
}

func TestDisk_Conforms(t *testing.T) {
	s, _ := open(t)
	storagetest.Run(t, s)
}

func TestDisk_RefusesAChangedFile(t *testing.T) {
	s, folder := open(t)
	_, err := s.Put(t.Context(), "1/f", storage.Bytes([]byte("content")), storage.Condition{})
	require.NoError(t, err)
	path := filepath.Join(folder, "objects/1/f")
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	data[0] ^= 1
	require.NoError(t, os.WriteFile(path, data, 0o600))
	_, _, err = storage.Read(t.Context(), s, "1/f", "", 100)
	require.Equal(t, fault.Internal, fault.KindOf(err), "%v", err)
	require.NoError(t, os.WriteFile(path, []byte("another program's file"), 0o600))
	_, err = s.Stat(t.Context(), "1/f")
	require.Equal(t, fault.Internal, fault.KindOf(err), "%v", err)
}

func TestDisk_FollowsNoLinkOutOfItsFolder(t *testing.T) {
	s, folder := open(t)
	outside := filepath.Join(t.TempDir(), "outside")
	require.NoError(t, os.MkdirAll(outside, 0o755))
	require.NoError(t, os.Symlink(outside, filepath.Join(folder, "objects/1")))
	_, err := s.Put(t.Context(), "1/f", storage.Bytes(nil), storage.Condition{})
	require.Error(t, err)
	entries, err := os.ReadDir(outside)
	require.NoError(t, err)
	require.Empty(t, entries)
}

func TestDisk_RemovesWhatACrashLeft(t *testing.T) {
	s, folder := open(t)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "uploads/ABC"), []byte("half"), 0o600))
	n, err := s.AbortUploads(t.Context(), time.Now().Add(-time.Hour))
	require.NoError(t, err)
	require.Zero(t, n, "it may go on")
	n, err = s.AbortUploads(t.Context(), time.Now().Add(time.Minute))
	require.NoError(t, err)
	require.Equal(t, 1, n)
}
