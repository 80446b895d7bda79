package permission

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/tool"
)

// IsPattern reports whether the name of a tool in a rule matches several: mcp_github_*.
func IsPattern(name string) bool { return strings.ContainsAny(name, "*?[") }

// maxName bounds a pattern of names, in bytes.
const maxName = 100

// CheckName reports a fault in a pattern of names.
func CheckName(name string) error {
	_, err := path.Match(name, "")
	switch {
	case len(name) > maxName:
		return fault.Errorf(fault.TooLarge, "the name has %d bytes; at most %d are kept", len(name), maxName)
	case err != nil || strings.ContainsFunc(name, unseen) || strings.Contains(name, " "):
		return fault.Errorf(fault.Invalid, "%q must be the name of a tool, or one with * for what may stand there, such as mcp_github_*", name)
	}
	return nil
}

// means reports whether the name in a rule means the tool of a call. For a tool of an MCP server a rule names the server and the tool: as models see
// them, mcp_server_tool, or as other clients write them, mcp__server__tool. An allow rule means exactly one tool, or those that match its pattern.
// Other rules also mean names that a model may confuse: those that differ in case, dashes and underscores within the tool's name.
func means(name string, rule chat.Rule, c Call) bool {
	names := append([]string{c.Tool}, c.Remote.Names()...)
	if rule != chat.RuleAllow {
		names = tool.Spec{Name: c.Tool, Remote: c.Remote}.Names()
	}
	switch {
	case IsPattern(name):
		return slices.ContainsFunc(names, func(n string) bool {
			ok, err := path.Match(strings.ToLower(name), strings.ToLower(n))
			return ok && err == nil
		})
	case slices.Contains(names, name):
		return true
	case c.Remote == nil || rule == chat.RuleAllow:
		return false
	}
	server, called, ok := pairOf(strings.ToLower(name))
	if !ok || server != c.Remote.Server {
		return false
	}
	own := strings.TrimPrefix(strings.ToLower(c.Tool), "mcp_"+c.Remote.Server+"_")
	return slices.Contains([]string{folded(own), folded(strings.ToLower(c.Remote.Tool)), folded(sent(c.Remote.Tool))}, folded(called))
}

// pairOf splits the name of a tool of an MCP server. Names of servers have no underscore.
func pairOf(name string) (server, tool string, ok bool) {
	if rest, long := strings.CutPrefix(name, "mcp__"); long {
		return strings.Cut(rest, "__")
	}
	rest, ok := strings.CutPrefix(name, "mcp_")
	if !ok {
		return "", "", false
	}
	return strings.Cut(rest, "_")
}

// sent replaces the characters of a tool's name that models cannot write.
func sent(tool string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, tool))
}

// folded removes the characters of a name by which similar names differ.
func folded(name string) string {
	return strings.NewReplacer("_", "", "-", "", "\x00", "").Replace(name)
}

// breadth returns how many tools a name leaves open: the tool's own name none, and of two patterns the longer one fewer.
func breadth(name string) int {
	if !IsPattern(name) {
		return 0
	}
	return 1 + maxName - min(maxName, len(name))
}

// strictest returns the stricter of two rules that match a tool equally well.
func strictest(a, b chat.Rule) chat.Rule {
	strictness := []chat.Rule{"", chat.RuleAllow, chat.RuleAsk, chat.RuleDeny}
	if cmp.Compare(slices.Index(strictness, a), slices.Index(strictness, b)) < 0 {
		return b
	}
	return a
}

// nearest returns the rule with the narrowest name that matches the tool of a call; of several, the strictest; zero if none does. An allow
// rule counts as ask if the tool has changed since.
func nearest(rules []chat.ToolRule, c Call) chat.ToolRule {
	var found chat.ToolRule
	least := -1
	for _, r := range rules {
		if !means(r.Tool, r.Rule, c) {
			continue
		}
		if r.Rule == chat.RuleAllow && r.Pin != "" && r.Pin != c.Remote.Pin() {
			r.Rule = chat.RuleAsk
		}
		switch b := breadth(r.Tool); {
		case least < 0 || b < least:
			least, found = b, r
		case b == least && strictest(found.Rule, r.Rule) != found.Rule:
			found = r
		}
	}
	return found
}
