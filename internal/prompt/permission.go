package prompt

import (
	"context"
	"slices"
	"strings"

	"xbot/internal/chat"
)

// Permission says which tools a person has to permit and which are denied. Tools that are allowed are not named.
type Permission struct {
	Rules map[string]chat.Rule // of the installation; the user's own come before
}

var _ Middleware = Permission{}

// Order is that of spec/001.
func (Permission) Order() int { return 115 }

// Name is for errors.
func (Permission) Name() string { return "permission" }

// Process adds the part, if there is something to say.
func (p Permission) Process(_ context.Context, a *Assembly) error {
	byRule := map[chat.Rule][]string{}
	for _, tool := range slices.Sorted(slices.Values(a.Tools)) {
		rule, own := a.Scene.Rules[tool]
		if !own {
			rule = p.Rules[tool]
		}
		byRule[rule] = append(byRule[rule], tool)
	}
	var lines []string
	if asks := byRule[chat.RuleAsk]; len(asks) > 0 {
		lines = append(lines, "A person is asked before these run, which may take long; give a reason: "+strings.Join(asks, ", ")+".")
	}
	if denied := byRule[chat.RuleDeny]; len(denied) > 0 {
		lines = append(lines, "These are denied, do not call them: "+strings.Join(denied, ", ")+".")
	}
	if len(lines) > 0 {
		a.Parts["14_perm_control"] = "# Permissions\n\n" + strings.Join(lines, "\n")
	}
	return nil
}
