package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/llm/llmtest"
)

// TestSkills_OfADefaultInstallAreListedLoadedAndRun has the data folder where it is by default: in the workspace, hidden from commands.
func TestSkills_OfADefaultInstallAreListedLoadedAndRun(t *testing.T) {
	t.Parallel()
	workspace, err := filepath.EvalSymlinks(diskHome(t))
	require.NoError(t, err)
	put := func(name, text string, mode os.FileMode) {
		t.Helper()
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), mode))
	}
	s := prepareGiven(t, filepath.Join(workspace, ".xbot"), "XBOT_WORKSPACE="+workspace)
	put(filepath.Join(s.home, "skills/ship-it/SKILL.md"), "---\nname: ship-it\ndescription: Ships it.\n---\nRun ship.sh.", 0o644)
	put(filepath.Join(s.home, "skills/ship-it/ship.sh"), "#!/bin/sh\necho \"shipped by $0\"\n", 0o755)
	put(filepath.Join(workspace, ".agents/skills/mine/SKILL.md"), "# Of the home folder", 0o644)
	s.boot()
	k := s.newTalk()
	last := func() llmtest.Request {
		t.Helper()
		requests := s.model.Requests()
		return requests[len(requests)-1]
	}
	does := func(lines ...string) chat.ToolCall {
		t.Helper()
		require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, k.send(lines...)).State)
		return k.lastCall()
	}

	does("say hello")
	require.Contains(t, last().System, "- mine: Of the home folder\n- ship-it: Ships it.")
	copied := filepath.Join(workspace, ".cache/xbot/skills/ship-it")
	loaded := does(`call Skill {"name":"ship-it"}`, "say loaded")
	require.False(t, loaded.IsError, loaded.Result)
	require.Contains(t, loaded.Result, "Folder: "+copied+" (")
	require.Contains(t, loaded.Result, "Files: ship.sh\n\nRun ship.sh.")

	ran := does(`call Shell {"command":"`+copied+`/ship.sh; echo echo changed > `+copied+`/ship.sh; cat `+s.home+`/skills/ship-it/SKILL.md"}`, "say ran")
	require.Contains(t, ran.Result, "shipped by "+copied+"/ship.sh")
	require.True(t, ran.IsError, "the data folder stays out of sight: %s", ran.Result)
	require.Contains(t, does(`call Skill {"name":"ship-it","file":"ship.sh"}`, "say read").Result, "shipped by", "what a command wrote is not what others load")
	does(`call Skill {"name":"ship-it"}`, "say loaded")
	again, err := os.ReadFile(filepath.Join(copied, "ship.sh"))
	require.NoError(t, err)
	require.Contains(t, string(again), "shipped by", "nor what they run")
	data, err := os.ReadFile(filepath.Join(s.home, "skills/ship-it/ship.sh"))
	require.NoError(t, err)
	require.Contains(t, string(data), "shipped by")

	does("/ship-it", "say shipping")
	messages := last().Messages
	require.True(t, slices.ContainsFunc(messages, func(m llmtest.Message) bool {
		return m.Role == "user" && strings.Contains(m.Content, "[/ship-it names a skill: load it with the tool Skill")
	}), "%+v", messages)
}
