package agenttest

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/testing/npmtest"
)

//go:embed npm
var npm embed.FS

// RealNames lists the coding agents that are packages of npm.
func RealNames() []string { return []string{"codex", "claude", "opencode"} }

// RealVersions returns the packages of the agents with their versions, such as "@openai/codex@0.171.0".
func RealVersions(t *testing.T) (out []string) {
	t.Helper()
	data, err := npm.ReadFile("npm/package.json")
	require.NoError(t, err)
	var packages struct {
		Dependencies map[string]string `json:"dependencies"`
	}
	require.NoError(t, json.Unmarshal(data, &packages))
	for name, version := range packages.Dependencies {
		out = append(out, name+"@"+version)
	}
	return out
}

// InstallReal installs the agents of npm as npmtest.Install does, and makes a home folder in which they are configured to ask a scripted model
// at an address. It returns variables with which their programs find each other, the home and themselves. The test is skipped unless
// XBOT_REAL_AGENTS is set, or it is a smoke test and runs in CI: the packages take 1.2 GB of disk.
func InstallReal(t *testing.T, smoke bool, model string) (env []string) {
	t.Helper()
	if os.Getenv("XBOT_REAL_AGENTS") == "" && (!smoke || os.Getenv("CI") == "") {
		t.Skip("the coding agents of npm are not run: set XBOT_REAL_AGENTS=1, which downloads them")
	}
	files, err := fs.Sub(npm, "npm")
	require.NoError(t, err)
	programs := filepath.Join(npmtest.Install(t, files, "coding-agents"), "node_modules", ".bin")
	home := t.TempDir()
	for file, text := range map[string]string{
		".codex/config.toml":    fmt.Sprintf("model = \"llmtest\"\nmodel_provider = \"test\"\n[model_providers.test]\nname = \"test\"\nbase_url = %q\nwire_api = \"responses\"\n", model+"/v1"),
		".claude/settings.json": fmt.Sprintf(`{"env": {"ANTHROPIC_BASE_URL": %q, "ANTHROPIC_API_KEY": "k", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}}`, model),
		".config/opencode/opencode.json": fmt.Sprintf(`{"model": "test/llmtest", "provider": {"test": {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": %q, "apiKey": "k"},
			"models": {"llmtest": {"attachment": true, "modalities": {"input": ["text", "image"], "output": ["text"]}}}}}}`, model+"/v1"),
	} {
		path := filepath.Join(home, file)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	// opencode waits for a list of models from the Internet, which it does not need here. A runner passes no such variable on.
	bin := filepath.Join(home, "bin")
	require.NoError(t, os.Mkdir(bin, 0o700))
	script := fmt.Sprintf("#!/bin/sh\nOPENCODE_DISABLE_MODELS_FETCH=1 OPENCODE_DISABLE_AUTOUPDATE=1 exec '%s' \"$@\"\n", filepath.Join(programs, "opencode"))
	require.NoError(t, os.WriteFile(filepath.Join(bin, "opencode"), []byte(script), 0o700))
	return []string{"PATH=" + bin + ":" + programs + ":" + os.Getenv("PATH"), "HOME=" + home}
}

// RealCall returns the line of a program for the scripted model (llmtest) that makes an agent run a command.
func RealCall(t *testing.T, agent, command string) string {
	t.Helper()
	name, arguments := "bash", map[string]string{"command": command, "description": "test"}
	switch agent {
	case "codex":
		name, arguments = "exec_command", map[string]string{"cmd": command}
	case "claude":
		name = "Bash"
	}
	text, err := json.Marshal(arguments)
	require.NoError(t, err)
	return "call " + name + " " + string(text)
}
