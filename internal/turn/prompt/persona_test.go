package prompt_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/turn/agentprofile"
	"xbot/internal/turn/policy"
	"xbot/internal/turn/prompt"
)

func TestPersona_ASceneAddsItsPromptAndReplacesThePersonalityOfTheAgent(t *testing.T) {
	t.Parallel()
	part := func(who agentprofile.Profile) string {
		a := &prompt.Assembly{}
		require.NoError(t, prompt.NewPipeline(prompt.Persona{Profiles: always(who)}).Assemble(t.Context(), a))
		return a.Parts["02_agent"]
	}
	agent := policy.Agent{Prompt: "Answer briefly.", Personality: "dry"}
	require.Equal(t, "# Your part\n\nAnswer briefly.\n\nThe manner in which you answer: dry", part(agentprofile.Profile{Agent: agent}))
	scene := policy.Scene{Prompt: "You are one of many here.", Personality: "cheerful"}
	require.Equal(t, "# Your part\n\nAnswer briefly.\n\nYou are one of many here.\n\nThe manner in which you answer: cheerful", part(agentprofile.Profile{Agent: agent, Scene: scene}))
	scene.Sandbox = policy.SandboxPolicy{Files: policy.FilesReadOnly, Network: policy.NetworkOff}
	require.Contains(t, part(agentprofile.Profile{Scene: scene}), "Here no file can be changed, and commands reach no network.")
	require.NotContains(t, part(agentprofile.Profile{Agent: agent, Scene: scene, Role: &chat.Profile{Prompt: "Look it up."}}), "cheerful", "nobody but an agent reads what a subagent writes")
}
