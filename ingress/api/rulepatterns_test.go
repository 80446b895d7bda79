package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/settings"
	"xbot/internal/chat"
)

func TestPermissions_ARuleCanNameSeveralTools(t *testing.T) {
	b := setup(t)
	rule := func(of string) chat.Rule {
		var got settings.Permissions
		b.bob.get("/api/permissions").is(http.StatusOK, &got)
		for _, tool := range got.Tools {
			if tool.Name == of {
				require.False(t, tool.Own, "the rule is for several")
				return tool.Rule
			}
		}
		return ""
	}
	b.bob.put("/api/permissions/Sh*", map[string]any{"rule": "deny"}).is(http.StatusOK, nil)
	require.Equal(t, chat.RuleDeny, rule("Shell"))
	var got settings.Permissions
	b.bob.get("/api/permissions").is(http.StatusOK, &got)
	require.Equal(t, []chat.ToolRule{{Tool: "Sh*", Rule: chat.RuleDeny}}, got.Rules)
	b.bob.put("/api/permissions/Sh*", map[string]any{"rule": "deny", "pattern": "git push"}).problem(http.StatusBadRequest)
	b.bob.put("/api/permissions/Sh[", map[string]any{"rule": "deny"}).problem(http.StatusBadRequest)
	b.bob.delete("/api/permissions/Sh*").is(http.StatusNoContent, nil)
	require.Equal(t, chat.RuleAsk, rule("Shell"))
	b.bob.delete("/api/permissions/Sh*").problem(http.StatusNotFound)
}
