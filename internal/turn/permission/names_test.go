package permission_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/turn/permission"
)

func TestDecide_ARuleCanNameSeveralTools(t *testing.T) {
	t.Parallel()
	rules := []chat.ToolRule{
		{Tool: "mcp_*", Rule: chat.RuleAsk}, {Tool: "mcp_github_*", Rule: chat.RuleAllow}, {Tool: "*_delete_repo", Rule: chat.RuleAllow}, {Tool: "mcp_github_delete_*", Rule: chat.RuleDeny},
		{Tool: "mcp_github_delete_branch", Rule: chat.RuleAsk},
	}
	for tool, want := range map[string]chat.Rule{
		"mcp_mail_send": chat.RuleAsk, "mcp_github_list": chat.RuleAllow, "MCP_GitHub_list": chat.RuleAllow, "mcp_github_delete_repo": chat.RuleDeny, "mcp_github_delete_branch": chat.RuleAsk, "Shell": chat.RuleAllow,
	} {
		got := permission.Decide(chat.UserPermissions{Admin: true, Rules: rules}, permission.Defaults{}, permission.Call{Tool: tool, Acts: true})
		require.Equal(t, want, got.Rule, tool)
	}
}

func TestDecide_OfPatternsThatMeanAToolEquallyWellTheStrictestCounts(t *testing.T) {
	t.Parallel()
	rules := []chat.ToolRule{{Tool: "mcp_a*", Rule: chat.RuleAllow}, {Tool: "mcp_?b", Rule: chat.RuleDeny}}
	require.Equal(t, chat.RuleDeny, permission.Decide(chat.UserPermissions{Admin: true, Rules: rules}, permission.Defaults{}, permission.Call{Tool: "mcp_ab"}).Rule)
	rules[0], rules[1] = rules[1], rules[0]
	require.Equal(t, chat.RuleDeny, permission.Decide(chat.UserPermissions{Admin: true, Rules: rules}, permission.Defaults{}, permission.Call{Tool: "mcp_ab"}).Rule)
}

func TestDecide_TheInstallationCanNameSeveralToolsToo(t *testing.T) {
	t.Parallel()
	in := permission.Defaults{Rules: map[string]chat.Rule{"mcp_*": chat.RuleDeny, "mcp_mail_*": chat.RuleAsk, "mcp_mail_read": chat.RuleAllow}}
	for tool, want := range map[string]chat.Rule{"mcp_x": chat.RuleDeny, "mcp_mail_send": chat.RuleAsk, "mcp_mail_read": chat.RuleAllow} {
		require.Equal(t, want, permission.Decide(chat.UserPermissions{}, in, permission.Call{Tool: tool, Acts: true}).Rule, tool)
	}
	own := chat.UserPermissions{Own: chat.PresetAuto}
	require.Equal(t, chat.RuleDeny, permission.Decide(own, in, permission.Call{Tool: "mcp_x"}).Rule, "a preset lifts no denial")
}

func TestCheckName_RefusesWhatCouldMeanNothing(t *testing.T) {
	t.Parallel()
	require.NoError(t, permission.CheckName("mcp_*_read"))
	for _, name := range []string{"mcp_[", "a b*", "a\u200b*", strings.Repeat("x", 200) + "*"} {
		require.Error(t, permission.CheckName(name), name)
	}
}
