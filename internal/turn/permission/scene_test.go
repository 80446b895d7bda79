package permission_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/tool"
	"xbot/internal/turn/permission"
	"xbot/internal/turn/policy"
)

// document is the policy in force.
type document struct{ *policy.Policy }

func (d document) Get(context.Context) (*policy.Policy, error) { return d.Policy, nil }

func TestAuthorizers_NobodyWidensThePresetOfAScene(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		scene           string
		here, own       chat.Preset
		admin           bool
		rules           []chat.ToolRule
		preset          chat.Preset
		rule, elsewhere chat.Rule
	}{
		"read only":                            {scene: "read_only", admin: true, here: "auto", preset: "read_only", rule: chat.RuleDeny, elsewhere: chat.RuleAllow},
		"read only, with a rule of the person": {scene: "read_only", rules: []chat.ToolRule{{Tool: "Act", Rule: chat.RuleAllow}}, preset: "read_only", rule: chat.RuleDeny, elsewhere: chat.RuleAllow},
		"ask, chosen otherwise":                {scene: "ask", own: "auto", preset: "ask", rule: chat.RuleAsk, elsewhere: chat.RuleAllow},
		"ask, of an administrator":             {scene: "ask", admin: true, preset: "ask", rule: chat.RuleAsk, elsewhere: chat.RuleAllow},
		"auto, for who chose nothing":          {scene: "auto", preset: "auto", rule: chat.RuleAllow, elsewhere: chat.RuleAsk},
		"auto, for who wants less":             {scene: "auto", own: "read_only", preset: "read_only", rule: chat.RuleDeny, elsewhere: chat.RuleDeny},
	} {
		p, _, err := policy.Parse([]byte(`{ channels: { qq: { groupScenes: { work: { enabled: true, permissions: "` + c.scene + `" } } } } }`))
		require.NoError(t, err)
		decide := func(at chat.Location) permission.Authorizer {
			permits := chat.UserPermissions{Admin: c.admin, Here: c.here, Own: c.own, Rules: c.rules, At: at}
			out, err := permission.Authorizers{Policies: document{p}}.With(t.Context(), permits, acts{})
			require.NoError(t, err)
			return out
		}
		work := decide(chat.Location{Channel: "qq", ChatType: chat.ChatThread, Scene: chat.SceneWork})
		require.Equal(t, c.preset, work.Preset(), name)
		require.Equal(t, c.rule, work.Call("Act", "{}").Rule, name)
		require.Equal(t, c.elsewhere, decide(chat.Location{Channel: "qq", ChatType: chat.ChatGroup, Scene: chat.SceneChat}).Call("Act", "{}").Rule, name+": another scene")
	}
}

// acts has one tool, Act, which changes something.
type acts struct{}

func (acts) Get(string) (tool.Tool, bool) { return acting{}, true }

func (acts) Subject(string, string) string { return "" }

type acting struct{ tool.Tool }

func (acting) Spec() tool.Spec { return tool.Spec{Name: "Act", Class: chat.ClassExec} }
