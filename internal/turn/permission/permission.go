// Package permission decides whether a call of a tool runs, is asked about, or is denied: from the rules of a user, the presets of the
// conversation, the user and the installation, and the subject of the call.
//
// A rule to allow applies to calls that are judged word by word, and exactly the judged words run. A rule to deny is a guard rail: a command
// can hide its effects from any parser, and the boundary is the sandbox. A command that cannot be parsed is therefore asked about, never
// allowed.
package permission

import (
	"cmp"
	"slices"

	"xbot/internal/chat"
	"xbot/internal/tool"
)

// Call is the input of a decision.
type Call struct {
	Tool    string // the tool's own name
	Acts    bool   // whether it changes something outside of the conversation (tool.Spec)
	Plans   bool   // whether it runs before a plan was approved (tool.Spec)
	Kind    chat.PatternKind
	Subject string       // of the kind Kind: the command, the path, the address
	Remote  *tool.Remote // the tool of an MCP server; nil: any other tool
}

// Defaults are the permissions of users who have chosen none themselves.
type Defaults struct {
	Rules          map[string]chat.Rule // by the tool's own name, or a pattern of names (XBOT_TOOL_RULES)
	Administrators chat.Preset          // empty: auto
	Others         chat.Preset          // empty: ask
	Scene          chat.Preset          // the limit set by the scene of the conversation; users cannot exceed it; empty: no limit
}

// Preset returns the installation's preset for a user.
func (i Defaults) Preset(admin bool) chat.Preset {
	if admin {
		return cmp.Or(i.Administrators, chat.PresetAuto)
	}
	return cmp.Or(i.Others, chat.PresetAsk)
}

// InForce returns the preset in force in a conversation.
func (i Defaults) InForce(p chat.UserPermissions) chat.Preset {
	return cmp.Or(i.chosen(p), i.Preset(p.Admin))
}

// chosen returns the stricter of two presets: the one chosen for the conversation or by the user, and that of the scene. It is empty if there is
// neither.
func (i Defaults) chosen(p chat.UserPermissions) chat.Preset {
	chosen := cmp.Or(p.Here, p.Own)
	if i.Scene == "" || chosen != "" && slices.Index(chat.Presets, chosen) < slices.Index(chat.Presets, i.Scene) {
		return chosen
	}
	return i.Scene
}

// Decision is the result of Decide for a call.
type Decision struct {
	Rule chat.Rule
	// Judged reports whether a rule with a pattern allowed the command. The command to run is then the result of the function Judged.
	Judged bool
	// Always are the rules that would allow such calls without a question, if Rule is to ask. It is empty if no rule can.
	Always []chat.ToolRule
	// Digest identifies the call that was checked.
	Digest string
	// Unpinned names the unpinned rule that allows a tool of an MCP server; empty if there is none.
	Unpinned string
}

// Ruling returns the part of the decision that is stored with the call.
func (d Decision) Ruling() chat.Ruling {
	return chat.Ruling{Judged: d.Judged, Always: d.Always, Digest: d.Digest}
}

// Decide decides about a call. Read only denies calls that act, regardless of all other rules. Then the narrowest rule counts: the user's
// rules that match this call (of several, the strictest), the user's rule for the tool, a denial by the installation, the preset that was
// chosen for the conversation or by the user, the installation's rule for the tool, and its preset. While a turn wants an approved plan,
// calls that these would allow or ask about wait for it, except calls that only read and those for making plans.
//
// Consumers of a service are not asked: its tools are allowed as published, and calls that the installation or the scene would ask about are
// denied.
func Decide(p chat.UserPermissions, i Defaults, c Call) Decision {
	if p.Outside {
		return Decision{Rule: i.outside(c)}
	}
	d := decide(p, i, c)
	if p.Planning && !c.Plans && d.Rule != chat.RuleDeny {
		return Decision{Rule: chat.RulePlan}
	}
	return d
}

func (i Defaults) outside(c Call) chat.Rule {
	rule := cmp.Or(i.rule(c), chat.RuleAllow)
	if rule != chat.RuleAllow || c.Acts && i.Scene != "" && i.Scene != chat.PresetAuto {
		return chat.RuleDeny
	}
	return rule
}

func decide(p chat.UserPermissions, i Defaults, c Call) Decision {
	if i.InForce(p) == chat.PresetReadOnly && c.Acts {
		return Decision{Rule: chat.RuleDeny}
	}
	rules := rulesOf(p.Rules, c)
	about := subjectOf(c, p.Cwd)
	narrow := narrowest(rules.narrow, about)
	rule := cmp.Or(narrow, rules.wide.Rule, i.decide(p, c))
	if rule != chat.RuleAsk {
		return Decision{Rule: rule, Judged: narrow == chat.RuleAllow && c.Kind == chat.PatternCommand, Unpinned: unpinned(rules.wide, c)}
	}
	return Decision{Rule: rule, Always: always(c, rules, about)}
}

// decide returns the rule if the user has none for the tool.
func (i Defaults) decide(p chat.UserPermissions, c Call) chat.Rule {
	rule := i.rule(c)
	if rule == chat.RuleDeny {
		return rule
	}
	return cmp.Or(ruleOf(i.chosen(p), c.Acts), rule, ruleOf(i.Preset(p.Admin), c.Acts), chat.RuleAllow)
}

// rule returns the installation's rule for a tool; empty: none.
func (i Defaults) rule(c Call) chat.Rule {
	rules := make([]chat.ToolRule, 0, len(i.Rules))
	for name, rule := range i.Rules {
		rules = append(rules, chat.ToolRule{Tool: name, Rule: rule})
	}
	return nearest(rules, c).Rule
}

// ruleOf returns the rule of a preset for a call; empty: none.
func ruleOf(preset chat.Preset, acts bool) chat.Rule {
	switch {
	case preset == chat.PresetAuto:
		return chat.RuleAllow
	case preset == chat.PresetAsk && acts:
		return chat.RuleAsk
	}
	return ""
}

// toolRules is the rules of a user for one tool.
type toolRules struct {
	wide   chat.ToolRule // for all calls; zero: none
	narrow []chat.ToolRule
}

func rulesOf(all []chat.ToolRule, c Call) toolRules {
	var out toolRules
	var wide []chat.ToolRule
	for _, r := range all {
		switch {
		case r.Pattern == "":
			wide = append(wide, r)
		case r.Tool == c.Tool:
			out.narrow = append(out.narrow, r)
		}
	}
	out.wide = nearest(wide, c)
	return out
}

// subject is the parsed subject of a call, which patterns are compared with.
type subject interface {
	// allowed reports whether the patterns cover everything that the call does.
	allowed(patterns []string) bool
	// touches reports whether a pattern may match some part of the call, so that a rule to deny or to ask applies; unsure means that this
	// cannot be determined.
	touches(pattern string) (yes, unsure bool)
	// offer returns patterns that would let the call run, in addition to the allowed ones; none: no pattern can.
	offer(allowed []string) []string
}

func subjectOf(c Call, cwd string) subject {
	switch c.Kind {
	case chat.PatternCommand:
		return readCommand(c.Subject)
	case chat.PatternPath:
		return readPath(c.Subject, cwd)
	case chat.PatternHost:
		return readHost(c.Subject)
	}
	return nil
}

// narrowest returns the rule of the rules with patterns for a call; empty: none.
func narrowest(rules []chat.ToolRule, about subject) chat.Rule {
	if about == nil {
		return ""
	}
	var asks bool
	for _, r := range rules {
		if r.Rule == chat.RuleAllow {
			continue
		}
		yes, unsure := about.touches(r.Pattern)
		if yes && r.Rule == chat.RuleDeny {
			return chat.RuleDeny
		}
		asks = asks || yes || unsure
	}
	if asks {
		return chat.RuleAsk
	}
	if about.allowed(allowing(rules)) {
		return chat.RuleAllow
	}
	return ""
}

func allowing(rules []chat.ToolRule) []string {
	var out []string
	for _, r := range rules {
		if r.Rule == chat.RuleAllow {
			out = append(out, r.Pattern)
		}
	}
	return out
}

// unpinned returns the name in a rule that allows a tool of an MCP server and is from before pins; empty for other rules.
func unpinned(r chat.ToolRule, c Call) string {
	if c.Remote == nil || r.Rule != chat.RuleAllow || r.Pin != "" || IsPattern(r.Tool) {
		return ""
	}
	return r.Tool
}

// always returns the rules that would have allowed a call that needs approval. It replaces a rule that allowed an earlier version of the tool.
func always(c Call, rules toolRules, about subject) []chat.ToolRule {
	narrow := rules.narrow
	if about == nil {
		set := chat.ToolRule{Tool: c.Tool, Rule: chat.RuleAllow, Pin: c.Remote.Pin()}
		if was := rules.wide; was.Pin != "" {
			set.Tool, set.Changed = was.Tool, c.Remote.Changed(was.Pin)
		}
		return []chat.ToolRule{set}
	}
	for _, r := range narrow {
		if yes, unsure := about.touches(r.Pattern); r.Rule != chat.RuleAllow && (yes || unsure) {
			return nil // the user wants to be asked about it
		}
	}
	var out []chat.ToolRule
	for _, pattern := range about.offer(allowing(narrow)) {
		out = append(out, chat.ToolRule{Tool: c.Tool, Pattern: pattern, Rule: chat.RuleAllow})
	}
	return out
}
