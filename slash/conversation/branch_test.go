package conversation_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/slashcommand"
	"xbot/slash/conversation"
)

func TestBranches_CommandsMeanTheMessageThatThePersonNames(t *testing.T) {
	sessions := &began{}
	retry, edit, branch := conversation.Retry{Sessions: sessions}, conversation.Edit{Sessions: sessions}, conversation.Branch{Sessions: sessions}
	for _, c := range []struct {
		command    slashcommand.TurnRunner
		args, want string
	}{
		{retry, "", `again t1 1 0 ""`},
		{retry, "3", `again t1 3 0 ""`},
		{retry, "m12", `again t1 0 12 ""`},
		{edit, "more  of it", `again t1 1 0 "more  of it"`},
		{edit, "3 apples", `again t1 1 0 "3 apples"`},
		{edit, "m12 more\nof it", `again t1 0 12 "more\nof it"`},
		{edit, "many more", `again t1 1 0 "many more"`},
		{branch, "", `branch t1 0`},
		{branch, "M12", `branch t1 12`},
	} {
		sessions.done = nil
		require.NoError(t, c.command.RunInTurn(t.Context(), chat.TurnCommand{Turn: "t1"}, c.args))
		require.Equal(t, []string{c.want}, sessions.done, "/%s %s", c.command.Spec().Name, c.args)
	}
	sessions.done = nil
	for _, c := range []struct {
		command slashcommand.TurnRunner
		args    string
		says    i18n.ID
	}{
		{retry, "again", i18n.AskedUsage}, {edit, " ", i18n.EditUsage}, {edit, "m12", i18n.EditUsage}, {branch, "2", i18n.BranchUsage}, {branch, "main", i18n.BranchUsage},
	} {
		err := c.command.RunInTurn(t.Context(), chat.TurnCommand{Turn: "t1"}, c.args)
		require.True(t, fault.Is(err, fault.Invalid))
		require.Equal(t, i18n.Say(i18n.English, c.says), i18n.Explain(i18n.English, err))
	}
	require.Empty(t, sessions.done)
}
