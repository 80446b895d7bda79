package config_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/host/config"
)

func TestPermissions_AreReadOneRuleATool(t *testing.T) {
	rules, err := config.Permissions{Rules: []string{" Shell = ask", "FileCreate=deny", "", "Read=allow "}}.ByTool()
	require.NoError(t, err)
	require.Equal(t, map[string]chat.Rule{"Shell": chat.RuleAsk, "FileCreate": chat.RuleDeny, "Read": chat.RuleAllow}, rules)
}

func TestLoad_RefusesRulesThatProtectNothing(t *testing.T) {
	for _, written := range []string{"Shell", "Shell=", "=ask", "Shell=Ask", "Shell=ask=deny", "Shell ask", "Shell=ask,Shell=allow"} {
		_, err := config.Load[config.Worker]([]string{"XBOT_HOME=" + t.TempDir(), "XBOT_TOOL_RULES=" + written})
		require.ErrorContains(t, err, "XBOT_TOOL_RULES", written)
	}
	cfg, err := config.Load[config.Worker]([]string{"XBOT_HOME=" + t.TempDir(), "XBOT_TOOL_RULES=Shell=ask,FileCreate=ask"})
	require.NoError(t, err)
	require.Equal(t, []string{"Shell=ask", "FileCreate=ask"}, cfg.Rules)
	_, err = config.Load[config.Worker]([]string{"XBOT_HOME=" + t.TempDir(), "XBOT_APPROVAL_WAIT=-1h"})
	require.ErrorContains(t, err, "XBOT_APPROVAL_WAIT")
}
