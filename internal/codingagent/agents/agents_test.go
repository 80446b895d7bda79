package agents_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/codingagent"
	"xbot/internal/codingagent/agents"
	"xbot/internal/codingagent/agenttest"
	"xbot/internal/codingagent/codingagenttest"
	"xbot/internal/fault"
	"xbot/internal/testing/programtest"
)

func TestAgents_KeepWhatDriversPromise(t *testing.T) {
	bin := agenttest.Install(t)
	runner := programtest.Path(t, "xbot-runner")
	for _, name := range agents.Names() {
		t.Run(name, func(t *testing.T) {
			check, err := agents.Check(name)
			require.NoError(t, err)
			codingagenttest.Run(t, codingagenttest.Agent{
				New: func(turn codingagent.Turn) codingagent.Driver {
					driver, err := agents.New(name, turn)
					require.NoError(t, err)
					return driver
				},
				Check: check, Bin: bin, Runner: runner, Silent: check.Silent, Makes: name == "kimi",
				Blinks: name == "kimi", Commands: name == "kimi" || name == "claude", Sandbox: name == "codex",
			})
		})
	}
}

func TestAgents_UnknownNameIsInvalid(t *testing.T) {
	_, err := agents.New("gemini", codingagent.Turn{})
	require.Equal(t, fault.Invalid, fault.KindOf(err))
	_, err = agents.Check("gemini")
	require.Equal(t, fault.Invalid, fault.KindOf(err))
}
