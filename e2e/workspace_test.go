package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/user/notices"
)

// TestWorkspace_AnInstallationThatWorkedInTheHomeFolderStaysThereAndSaysItOnce begins as before the workspace had a folder of its own.
func TestWorkspace_AnInstallationThatWorkedInTheHomeFolderStaysThereAndSaysItOnce(t *testing.T) {
	t.Parallel()
	person := t.TempDir()
	s := newServer(t, "HOME="+person, "XBOT_WORKSPACE="+person)
	workspace := func() string {
		var at string
		require.Eventually(t, func() bool {
			all, err := s.client.ListRunners(t.Context())
			if err != nil || len(all.Runners) == 0 || !all.Runners[0].Online {
				return false
			}
			at = all.Runners[0].Workspace
			return true
		}, time.Minute, 50*time.Millisecond)
		return at
	}
	require.Equal(t, person, workspace())
	told := func() (out []string) {
		said, err := s.client.ListMessages(t.Context(), notices.Conversation, apiclient.ListMessagesParams{})
		if err != nil {
			return nil // there is no such conversation yet
		}
		for _, m := range said.Messages {
			if m.Role == chat.RoleNotice && strings.Contains(m.Content, "home folder") {
				out = append(out, m.Content)
			}
		}
		return out
	}
	require.Empty(t, told(), "it was chosen")
	s.env = append(s.env, "XBOT_WORKSPACE=")
	for range 3 {
		s.crash()
		s.boot()
		require.Equal(t, person, workspace())
	}
	require.Len(t, told(), 1)
	require.Contains(t, told()[0], person)
	log, err := os.ReadFile(filepath.Join(s.home, "logs", "xbot.log"))
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(log), "your whole home folder"))
	require.NoDirExists(t, filepath.Join(person, "xbot"))
}
