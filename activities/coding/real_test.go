package coding_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/activities"
	"xbot/activities/activitiestest"
	"xbot/activities/coding"
	"xbot/ingress/runners/runnerstest"
	"xbot/internal/chat"
	"xbot/internal/codingagent"
	"xbot/internal/llm/llmtest"
	"xbot/internal/sandbox"
)

// realAgents are the programs of npm with which TestRealAgents passed last, as the guide says.
var realAgents = map[string]string{"codex": "@openai/codex@0.171.0", "claude": "@anthropic-ai/claude-code@2.1.332", "opencode": "opencode-ai@1.18.33"}

// realCall is how a scripted model has an agent run a command.
var realCall = map[string]string{
	"codex": `call exec_command {"cmd":%q}`, "claude": `call Bash {"command":%q,"description":"test"}`, "opencode": `call bash {"command":%q,"description":"test"}`,
}

// realSetup is a conversation that a real agent answers on a confined runner, with a scripted provider.
func realSetup(t *testing.T, name string, sandboxed codingagent.Sandbox, approvals codingagent.Approvals, script ...string) *bench {
	t.Helper()
	if os.Getenv("XBOT_REAL_AGENTS") == "" {
		t.Skip("real coding agents are not run: npm install -g " + realAgents[name] + ", and set XBOT_REAL_AGENTS=1")
	}
	program, err := exec.LookPath(name)
	require.NoError(t, err, "npm install -g %s", realAgents[name])
	model := llmtest.New(t)
	home := t.TempDir()
	for file, text := range map[string]string{
		".codex/config.toml":             "model = \"llmtest\"\nmodel_provider = \"test\"\n[model_providers.test]\nname = \"test\"\nbase_url = \"" + model.BaseURL() + "\"\nwire_api = \"responses\"\n",
		".claude/settings.json":          `{"env": {"ANTHROPIC_BASE_URL": "` + model.URL() + `", "ANTHROPIC_API_KEY": "k", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}}`,
		".config/opencode/opencode.json": `{"model": "test/llmtest", "provider": {"test": {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "` + model.BaseURL() + `", "apiKey": "k"}, "models": {"llmtest": {}}}}}`,
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(home, file)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(home, file), []byte(text), 0o600))
	}
	b := &bench{Fixture: activitiestest.New(t, script...)}
	server := runnerstest.NewServer(t, nil)
	b.runner = server.StartRunner("local", runnerstest.DaemonConfig{Env: []string{"PATH=" + filepath.Dir(program) + ":" + os.Getenv("PATH"), "HOME=" + home}})
	b.box = server.Direct("local", sandbox.RunnerConfig{})
	info, err := b.box.Info(t.Context())
	require.NoError(t, err)
	require.True(t, info.Confined(), "these tests are about a confined runner: %s", info.Confinement)
	b.settings = codingagent.Settings{Agent: name, Sandbox: sandboxed, Approvals: approvals}
	b.Model.Models, b.Model.Agents = activitiestest.OneModel{Client: client{b}}, &coding.Agents{Store: b.Store, Boxes: activities.Rooms{Boxes: boxes{b}}}
	_, b.user, err = b.Store.Session(t.Context(), activitiestest.Key)
	require.NoError(t, err)
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

// TestRealAgents_AskAndRunCommandsWithinTheWallsOfTheRunner runs a command with approval: what the runner forbids fails, the rest works.
func TestRealAgents_AskAndRunCommandsWithinTheWallsOfTheRunner(t *testing.T) {
	home, err := os.UserHomeDir()
	require.NoError(t, err)
	outside := filepath.Join(home, ".xbot-real-agent-escape")
	for _, name := range []string{"codex", "claude", "opencode"} {
		for _, answer := range []string{"Allow", "Refuse"} {
			t.Run(name+"/"+answer, func(t *testing.T) {
				command := fmt.Sprintf("echo ran >> ran.txt; at=%s; touch $at/%s || echo walled >> ran.txt", filepath.Dir(outside), filepath.Base(outside)) // opencode does not see where it is
				b := realSetup(t, name, codingagent.WorkspaceWrite, codingagent.ApproveUntrusted, "say I will run it", fmt.Sprintf(realCall[name], command), "then", "say end")
				out, err := b.Fixture.Generate(t.Context(), 0)
				require.NoError(t, err)
				require.Equal(t, "tool_calls", out.Finish, "it asks; it said %q", b.LastMessage().Content)
				require.NoFileExists(t, filepath.Join(b.runner.Workspace, "ran.txt"), "nothing runs before the answer")
				call := b.LastMessage().ToolCalls[0]
				_, err = b.Ask(t.Context(), call.ID, chat.Request{})
				require.NoError(t, err)
				b.answer(call.ID, answer)
				_, err = b.RunTool(t.Context(), 0)
				require.NoError(t, err)
				out, err = b.Fixture.Generate(t.Context(), 1)
				require.NoError(t, err)
				require.Equal(t, "stop", out.Finish, b.LastMessage().Content)
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
	for _, name := range []string{"codex", "claude", "opencode"} {
		t.Run(name, func(t *testing.T) {
			b := realSetup(t, name, codingagent.ReadOnly, codingagent.ApproveNever, fmt.Sprintf(realCall[name], "echo a > made.txt"), "then", "say end")
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
	for _, version := range realAgents {
		require.Contains(t, string(guide), "`"+version+"`")
	}
}
