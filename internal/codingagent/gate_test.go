package codingagent_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/codingagent"
)

func TestGate_AllowsOnlyWhatTheTurnAllows(t *testing.T) {
	type ask struct {
		kind   codingagent.WorkKind
		inside bool
	}
	command, edit, outside := ask{kind: codingagent.CommandRun}, ask{codingagent.FileChange, true}, ask{kind: codingagent.FileChange}
	for _, c := range []struct {
		sandbox                codingagent.Sandbox
		approvals              codingagent.Approvals
		command, edit, outside codingagent.Verdict
	}{
		{"", "", codingagent.Deny, codingagent.Deny, codingagent.Deny},
		{codingagent.ReadOnly, codingagent.ApproveNever, codingagent.Deny, codingagent.Deny, codingagent.Deny},
		{codingagent.ReadOnly, codingagent.ApproveOnRequest, codingagent.Ask, codingagent.Deny, codingagent.Deny},
		{codingagent.WorkspaceWrite, codingagent.ApproveNever, codingagent.Deny, codingagent.Allow, codingagent.Deny},
		{codingagent.WorkspaceWrite, codingagent.ApproveOnRequest, codingagent.Ask, codingagent.Allow, codingagent.Ask},
		{codingagent.WorkspaceWrite, codingagent.ApproveUntrusted, codingagent.Ask, codingagent.Ask, codingagent.Ask},
		{codingagent.FullAccess, codingagent.ApproveOnRequest, codingagent.Ask, codingagent.Ask, codingagent.Ask},
		{codingagent.FullAccess, codingagent.ApproveNever, codingagent.Allow, codingagent.Allow, codingagent.Allow},
		{"somewhere", "sometimes", codingagent.Deny, codingagent.Deny, codingagent.Deny},
	} {
		turn := codingagent.Turn{Sandbox: c.sandbox, Approvals: c.approvals}
		require.Equal(t, c.command, turn.Gate(command.kind, command.inside), "a command, %+v", c)
		require.Equal(t, c.edit, turn.Gate(edit.kind, edit.inside), "an edit, %+v", c)
		require.Equal(t, c.outside, turn.Gate(outside.kind, outside.inside), "an edit elsewhere, %+v", c)
	}
}

func TestInside_IsTheFoldersOfTheTurnByName(t *testing.T) {
	turn := codingagent.Turn{Dir: "/home/a", AddDirs: []string{"/more/", "relative"}}
	for name, inside := range map[string]bool{
		"x": true, "b/c": true, "/home/a": true, "/home/a/x": true, "/more/x": true, "./b/../c": true,
		"": false, "..": false, "../ab": false, "/home/ab": false, "/home/a/../b": false, "/relative/x": false, "/etc/passwd": false,
	} {
		require.Equal(t, inside, turn.Inside(name), "%q", name)
	}
	require.False(t, turn.Inside(), "nothing is not inside")
	require.False(t, turn.Inside("x", "/etc/passwd"), "one outside is outside")
	require.False(t, codingagent.Turn{}.Inside("x"), "without a folder nothing is inside")
}
