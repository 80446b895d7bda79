package hostrunner

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/host/config"
)

// deletedUsers are those whom the database says were deleted.
type deletedUsers struct {
	Users

	gone []chat.UserID
}

func (d deletedUsers) Deleted(_ context.Context, ids []chat.UserID) ([]chat.UserID, error) {
	return slices.DeleteFunc(slices.Clone(ids), func(id chat.UserID) bool { return !slices.Contains(d.gone, id) }), nil
}

func TestSweepDeleted_RemovesFoldersOfDeletedUsersAlone(t *testing.T) {
	t.Parallel()
	home, outside := t.TempDir(), t.TempDir()
	for _, dir := range []string{"workspaces/7/src", "workspaces/8", "workspaces/notes", "runner/docker-7/store", "runner/docker-9", "runner/local"} {
		require.NoError(t, os.MkdirAll(filepath.Join(home, dir), 0o700))
	}
	require.NoError(t, os.WriteFile(filepath.Join(outside, "kept"), nil, 0o600))
	require.NoError(t, os.Symlink(outside, filepath.Join(home, "workspaces/7/way-out")))
	c := NewContainers(&Host{Home: home, Users: deletedUsers{gone: []chat.UserID{7, 9, 11}}, Log: slog.New(slog.DiscardHandler)}, config.Docker{}, "")
	require.NoError(t, c.sweepDeleted(t.Context()))
	var left []string
	for _, dir := range []string{"workspaces", "runner"} {
		entries, err := os.ReadDir(filepath.Join(home, dir))
		require.NoError(t, err)
		for _, e := range entries {
			left = append(left, dir+"/"+e.Name())
		}
	}
	require.Equal(t, []string{"workspaces/8", "workspaces/notes", "runner/local"}, left)
	require.FileExists(t, filepath.Join(outside, "kept"), "a link leads nowhere")
	require.NoError(t, c.sweepDeleted(t.Context()), "again there is nothing to do")
}
