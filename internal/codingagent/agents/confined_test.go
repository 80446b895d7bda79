package agents_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/codingagent"
	"xbot/internal/codingagent/agents"
)

// Shapes of codex: `codex app-server generate-json-schema` of 0.171.0, v2/TurnStartParams.json (SandboxPolicy).
func TestDrivers_LeaveTheirSandboxToARunnerThatConfinesThem(t *testing.T) {
	const outer = `"sandboxPolicy":{"type":"externalSandbox","networkAccess":"enabled"}`
	for _, c := range []struct {
		sandbox         codingagent.Sandbox
		confined        bool
		external, bwrap bool // codex is told of the outer sandbox; claude builds one of its own
	}{
		{codingagent.WorkspaceWrite, true, true, false},
		{codingagent.ReadOnly, true, true, false},
		{"", true, true, false},
		{codingagent.FullAccess, true, false, false},
		{codingagent.WorkspaceWrite, false, false, true},
		{codingagent.ReadOnly, false, false, true},
	} {
		turn := codingagent.Turn{Key: "k", Text: "x", Dir: "/w", Sandbox: c.sandbox, Approvals: codingagent.ApproveUntrusted, Confined: c.confined}
		d, err := agents.New("codex", turn)
		require.NoError(t, err)
		d.Line([]byte(`{"id":"initialize:k","result":{}}`))
		begin := d.Line([]byte(`{"id":"thread:k","result":{"thread":{"id":"t"}}}`)).Writes
		require.Len(t, begin, 1)
		require.Equal(t, c.external, strings.Contains(string(begin[0].Line), outer), "%+v: %s", c, begin[0].Line)
		require.Contains(t, string(begin[0].Line), `"approvalPolicy":"untrusted"`, "its approvals are the same")

		d, err = agents.New("claude", turn)
		require.NoError(t, err)
		command := strings.Join(d.Command(), " ")
		require.Equal(t, c.bwrap, strings.Contains(command, `"enabled":true`), "%+v: %s", c, command)
		require.Equal(t, c.sandbox == codingagent.FullAccess, !strings.Contains(command, "--settings"), "%+v: %s", c, command)
		require.Contains(t, command, "--permission-mode default", "its approvals are the same")
	}
}

func TestWalls_AConfinedAgentIsNotStartedWithoutThemAndAReadOnlyCodexChangesItsOwnFolderAlone(t *testing.T) {
	readOnly := codingagent.Turn{Sandbox: codingagent.ReadOnly, Confined: true}
	require.Equal(t, chat.Confinement{Confined: true, ReadOnly: true, Keep: "~/.codex"}, agents.Confinement("codex", readOnly, nil))
	require.Equal(t, chat.Confinement{Confined: true, ReadOnly: true, Keep: "/c"}, agents.Confinement("codex", readOnly, []string{"A=b", "CODEX_HOME=/c"}))
	writes := codingagent.Turn{Sandbox: codingagent.WorkspaceWrite, Confined: true}
	for _, name := range agents.Names() {
		require.Equal(t, chat.Confinement{Confined: true}, agents.Confinement(name, writes, nil), name)
		require.Equal(t, chat.Confinement{}, agents.Confinement(name, codingagent.Turn{Sandbox: codingagent.ReadOnly}, nil), name)
	}
}
