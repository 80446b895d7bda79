package permission_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/turn/permission"
)

func TestDecide_WithoutAnApprovedPlanNothingRunsThatDoesMoreThanRead(t *testing.T) {
	t.Parallel()
	allow := []chat.ToolRule{{Tool: "Shell", Rule: chat.RuleAllow}}
	for name, c := range map[string]struct {
		permits chat.UserPermissions
		call    permission.Call
		want    chat.Rule
	}{
		"no rule and no preset lifts it": {chat.UserPermissions{Planning: true, Here: chat.PresetAuto, Rules: allow}, permission.Call{Tool: "Shell", Acts: true}, chat.RulePlan},
		"what would be asked about":      {chat.UserPermissions{Planning: true, Here: chat.PresetAsk}, permission.Call{Tool: "Shell", Acts: true}, chat.RulePlan},
		"what changes only xbot itself":  {chat.UserPermissions{Planning: true, Here: chat.PresetAuto}, permission.Call{Tool: "memory_write"}, chat.RulePlan},
		"a denial stays one":             {chat.UserPermissions{Planning: true, Here: chat.PresetReadOnly}, permission.Call{Tool: "Shell", Acts: true}, chat.RuleDeny},
		"what reads":                     {chat.UserPermissions{Planning: true, Here: chat.PresetAsk}, permission.Call{Tool: "Read", Plans: true}, chat.RuleAllow},
		"what is denied though it reads": {chat.UserPermissions{Planning: true, Rules: []chat.ToolRule{{Tool: "Read", Rule: chat.RuleDeny}}}, permission.Call{Tool: "Read", Plans: true}, chat.RuleDeny},
		"once no plan is wanted":         {chat.UserPermissions{Here: chat.PresetAuto}, permission.Call{Tool: "Shell", Acts: true}, chat.RuleAllow},
	} {
		require.Equal(t, c.want, permission.Decide(c.permits, permission.Defaults{}, c.call).Rule, name)
	}
}
