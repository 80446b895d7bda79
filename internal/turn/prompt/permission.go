package prompt

import (
	"context"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/tool/toolset"
	"xbot/internal/turn/permission"
)

// Permission describes which tools need approval and which are denied. Tools whose calls are all allowed are not named.
type Permission struct{ Authorizers permission.Authorizers }

var _ Middleware = Permission{}

// Order returns the position of the section.
func (Permission) Order() int { return 115 }

// Name is used in errors.
func (Permission) Name() string { return "permission" }

// Process adds the part, if it is not empty.
func (p Permission) Process(ctx context.Context, a *Assembly) error {
	authorizer, err := p.Authorizers.With(ctx, a.Scene.Permits, a.Tools)
	if err != nil {
		return err
	}
	readOnly := authorizer.Preset() == chat.PresetReadOnly
	wide, narrow := map[chat.Rule][]string{}, map[chat.Rule][]string{}
	for _, name := range a.Tools.Names() {
		rule := authorizer.Tool(name)
		wide[rule] = append(wide[rule], name)
		if rule == chat.RuleDeny && readOnly {
			continue // no other rule counts
		}
		for _, r := range authorizer.Narrow(name) {
			narrow[r.Rule] = append(narrow[r.Rule], name+" `"+r.Pattern+"`")
		}
	}
	for _, s := range a.Tools.Hidden() {
		if authorizer.Tool(s.Name) == chat.RuleAsk {
			wide[chat.RuleAsk] = append(wide[chat.RuleAsk], "tools that you find with "+toolset.Search)
			break
		}
	}
	var lines []string
	say := func(before string, what []string, after string) {
		if len(what) > 0 {
			lines = append(lines, before+strings.Join(what, ", ")+after)
		}
	}
	if readOnly {
		lines = append(lines, "This conversation is read only: look and answer, change nothing.")
	}
	say("A person is asked before these run, which may take long; give a reason: ", wide[chat.RuleAsk], ".")
	say("These run without a question: ", narrow[chat.RuleAllow], ".")
	say("A person is asked before these, too: ", narrow[chat.RuleAsk], ".")
	say("These are denied, do not call them: ", append(wide[chat.RuleDeny], narrow[chat.RuleDeny]...), ".")
	if len(lines) > 0 {
		a.Parts["14_perm_control"] = "# Permissions\n\n" + strings.Join(lines, "\n")
	}
	return nil
}
