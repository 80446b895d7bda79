package permission

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

// IsPattern reports whether the name of a tool in a rule means several: mcp_github_*.
func IsPattern(name string) bool { return strings.ContainsAny(name, "*?[") }

// maxName bounds a pattern of names, in bytes.
const maxName = 100

// CheckName says what is wrong with a pattern of names.
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

// means reports whether the name in a rule means a tool.
func means(name, tool string) bool {
	if !IsPattern(name) {
		return name == tool
	}
	ok, err := path.Match(strings.ToLower(name), strings.ToLower(tool))
	return ok && err == nil
}

// breadth is how much a name leaves open: the tool's own name nothing, and of two patterns the longer one less.
func breadth(name string) int {
	if !IsPattern(name) {
		return 0
	}
	return 1 + maxName - min(maxName, len(name))
}

// strictest is the rule that counts of those that mean a tool equally well.
func strictest(a, b chat.Rule) chat.Rule {
	strictness := []chat.Rule{"", chat.RuleAllow, chat.RuleAsk, chat.RuleDeny}
	if cmp.Compare(slices.Index(strictness, a), slices.Index(strictness, b)) < 0 {
		return b
	}
	return a
}

// named is one rule for a name.
type named struct {
	name string
	rule chat.Rule
}

// nearest is the rule whose name means a tool most narrowly; of several, the strictest. Empty: none means it.
func nearest(rules []named, tool string) chat.Rule {
	var found chat.Rule
	least := -1
	for _, r := range rules {
		if !means(r.name, tool) {
			continue
		}
		switch b := breadth(r.name); {
		case least < 0 || b < least:
			least, found = b, r.rule
		case b == least:
			found = strictest(found, r.rule)
		}
	}
	return found
}
