package coding_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/codingagent"
	"xbot/internal/codingagent/agenttest"
	"xbot/internal/llm/llmtest"
)

// realSetup is a conversation that a coding agent of npm answers on a confined runner, with a scripted model.
func realSetup(t *testing.T, name string, smoke bool, sandboxed codingagent.Sandbox, approvals codingagent.Approvals, script ...string) *bench {
	t.Helper()
	model := llmtest.New(t)
	b := newBench(t, agenttest.InstallReal(t, smoke, model.URL()), script...)
	info, err := b.box.Info(t.Context())
	require.NoError(t, err)
	require.True(t, info.Confined(), "these tests are about a confined runner: %s", info.Confinement)
	b.settings = codingagent.Settings{Agent: name, Sandbox: sandboxed, Approvals: approvals}
	t.Cleanup(func() {
		if t.Failed() {
			for _, r := range model.Requests() {
				t.Logf("model was asked: %.600q with %d tools", r.Messages[len(r.Messages)-1].Content, len(r.Tools))
			}
			t.Log(b.LastMessage().Content, b.LastMessage().Reasoning)
		}
	})
	return b
}

// TestRealAgents_AskAndRunCommandsWithinTheWallsOfTheRunner runs a command with approval: what the runner forbids fails, the rest works. A
// part of it is the smoke test of CI.
func TestRealAgents_AskAndRunCommandsWithinTheWallsOfTheRunner(t *testing.T) {
	home, err := os.UserHomeDir()
	require.NoError(t, err)
	outside := filepath.Join(home, ".xbot-real-agent-escape")
	for _, name := range agenttest.RealNames() {
		for _, answer := range []string{"Allow", "Refuse"} {
			t.Run(name+"/"+answer, func(t *testing.T) {
				command := fmt.Sprintf("echo ran >> ran.txt; at=%s; touch $at/%s || echo walled >> ran.txt", filepath.Dir(outside), filepath.Base(outside)) // opencode does not see where it is
				b := realSetup(t, name, answer == "Allow", codingagent.WorkspaceWrite, codingagent.ApproveUntrusted, "say I will run it", agenttest.RealCall(t, name, command), "then", "say end")
				call := b.asks()
				require.NoFileExists(t, filepath.Join(b.runner.Workspace, "ran.txt"), "nothing runs before the answer")
				b.answer(call, answer)
				require.Equal(t, "stop", b.goesOn().Finish, b.LastMessage().Content)
				require.NoFileExists(t, outside)
				if answer == "Refuse" {
					require.NoFileExists(t, filepath.Join(b.runner.Workspace, "ran.txt"))
					require.NotContains(t, b.LastMessage().Content, "I will run it", "it stands with the question")
					return
				}
				require.Equal(t, []string{"ran", "walled"}, strings.Fields(b.read("ran.txt")))
				require.Equal(t, "end", b.LastMessage().Content)
			})
		}
	}
}

func TestRealAgents_ChangeNothingInAReadOnlyTurn(t *testing.T) {
	for _, name := range agenttest.RealNames() {
		t.Run(name, func(t *testing.T) {
			b := realSetup(t, name, false, codingagent.ReadOnly, codingagent.ApproveNever, agenttest.RealCall(t, name, "echo a > made.txt"), "then", "say end")
			out, err := b.Fixture.Generate(t.Context(), 0)
			require.NoError(t, err)
			require.NoFileExists(t, filepath.Join(b.runner.Workspace, "made.txt"))
			require.Equal(t, "stop", out.Finish, b.LastMessage().Content)
		})
	}
}

func TestRealAgents_TheGuideNamesTheVersionsThatWereTried(t *testing.T) {
	guide, err := os.ReadFile("../../docs/guide/coding-agents.md")
	require.NoError(t, err)
	for _, version := range agenttest.RealVersions(t) {
		require.Contains(t, string(guide), "`"+version+"`")
	}
}
