package e2e

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

// TestPrompt_FilesAndNotesReachTheModel sees the system prompt where it arrives: at the model.
func TestPrompt_FilesAndNotesReachTheModel(t *testing.T) {
	t.Parallel()
	workspace := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	put(filepath.Join(workspace, "AGENTS.md"), "Call everybody captain.")
	put(filepath.Join(workspace, ".xbot/skills/deploy/SKILL.md"), "---\nname: deploy\ndescription: Ships it.\n---\nSteps.")
	s := prepareServer(t, "XBOT_WORKSPACE="+workspace)
	put(filepath.Join(s.home, "AGENTS.md"), "This server belongs to a ship.")
	s.boot()
	asks := func(k *talk, lines ...string) string {
		t.Helper()
		require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, k.send(lines...)).State)
		requests := s.model.Requests()
		return requests[len(requests)-1].System
	}

	k := s.newTalk()
	first := asks(k, "say hello")
	for _, part := range []string{"You are xbot", "This server belongs to a ship.", "Call everybody captain.", "deploy: Ships it.", "web page", `"admin"`} {
		require.Contains(t, first, part)
	}
	written := asks(k, `call memory_write {"path":"drinks.md","content":"prefers tea"}`, "say noted")
	require.Equal(t, first, written)
	require.Equal(t, first, asks(k, "say the prefix is in the cache"), "what was noted stands in this conversation already")

	s.crash()
	s.boot()
	require.Equal(t, first, asks(k, "say again"), "another process, the same bytes")
	require.Contains(t, asks(s.newTalk(), "say hello"), "prefers tea", "the next conversation knows")

	put(filepath.Join(s.home, "prompt.md"), "You are {{.Agent}} of a ship.")
	require.Contains(t, asks(k, "say aye"), "You are main of a ship.", "a template holds from the next turn on, without a restart")
}
