package toolset

import (
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/tool"
)

// Set is the tools of a conversation. All of them can be called; the model is shown some. It does not change. A nil set has none.
type Set struct {
	*tool.Registry

	shown, hidden []tool.Spec
}

// newSet makes the set of a registry. Tools that are always shown come first, so that what is shown of others changes only the end of a
// prompt; what proposes plans is there in some turns alone, and is the last.
func newSet(all *tool.Registry, active []string, optional func(tool.Spec) bool) *Set {
	s := &Set{Registry: all}
	var used, plans []tool.Spec
	for _, spec := range all.Specs() {
		switch {
		case spec.Name == chat.PlanTool:
			plans = append(plans, spec)
		case !optional(spec):
			s.shown = append(s.shown, spec)
		case slices.Contains(active, spec.Name):
			used = append(used, spec)
		default:
			s.hidden = append(s.hidden, spec)
		}
	}
	s.shown = slices.Concat(s.shown, used, plans)
	return s
}

// All returns a set whose tools are all shown.
func All(tools *tool.Registry) *Set {
	return newSet(tools, nil, func(tool.Spec) bool { return false })
}

// Shown returns what the model is shown, in the order in which it is. Callers must not change the slice.
func (s *Set) Shown() []tool.Spec {
	if s == nil {
		return nil
	}
	return s.shown
}

// Hidden returns the tools that can be called, but are not shown, sorted by name.
func (s *Set) Hidden() []tool.Spec {
	if s == nil {
		return nil
	}
	return s.hidden
}

// Optional returns those that are not always shown, used or not, sorted by name.
func (s *Set) Optional() []tool.Spec {
	if s == nil {
		return nil
	}
	out := slices.Clone(s.hidden)
	for _, spec := range s.shown {
		if spec.Optional {
			out = append(out, spec)
		}
	}
	slices.SortFunc(out, func(a, b tool.Spec) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Shows reports whether the model is shown a tool of exactly this name.
func (s *Set) Shows(name string) bool {
	return s != nil && slices.ContainsFunc(s.shown, func(spec tool.Spec) bool { return spec.Name == name })
}

// Names returns the names of the shown tools, sorted.
func (s *Set) Names() []string {
	var names []string
	for _, spec := range s.Shown() {
		names = append(names, spec.Name)
	}
	slices.Sort(names)
	return names
}
