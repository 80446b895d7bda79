package server

import (
	"maps"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/config"
	"xbot/internal/fault"
	"xbot/internal/tool"
)

// policy is the tools that there are and what the installation wants of them.
type policy struct {
	config.Permissions

	tools *tool.Registry
	rules map[string]chat.Rule // by the tool's own name
}

// newPolicy reads the rules of the installation. A rule for a tool that does not exist is refused: it would protect
// nothing.
func newPolicy(cfg config.Permissions, tools *tool.Registry) (policy, error) {
	written, err := cfg.ByTool()
	if err != nil {
		return policy{}, err
	}
	rules := make(map[string]chat.Rule, len(written))
	for _, name := range slices.Sorted(maps.Keys(written)) {
		t, ok := tools.Get(name)
		if !ok {
			return policy{}, fault.Errorf(fault.Invalid, "XBOT_TOOL_RULES names %q, which is not a tool; the tools are %s", name, strings.Join(names(tools), ", "))
		}
		rules[t.Spec().Name] = written[name]
	}
	return policy{Permissions: cfg, tools: tools, rules: rules}, nil
}

func names(tools *tool.Registry) []string {
	var out []string
	for _, spec := range tools.Specs() {
		out = append(out, spec.Name)
	}
	return out
}
