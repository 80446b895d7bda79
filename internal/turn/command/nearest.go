package command

import (
	"cmp"
	"slices"
	"strings"

	"xbot/internal/turn/command/editdistance"
)

// Nearest returns at most n names that are most similar to the typed one, best first: those that begin with it, those that it begins with,
// and those in which few letters differ.
func Nearest(typed string, names []string, n int) []string {
	typed = strings.ToLower(typed)
	type near struct {
		name string
		cost int
	}
	var found []near
	for _, name := range names {
		cost := editdistance.Between(typed, name)
		if len(typed) > 1 && strings.HasPrefix(name, typed) || len(name) > 1 && strings.HasPrefix(typed, name) {
			cost = min(cost, 1)
		}
		if cost <= 1+len(typed)/4 && cost < max(len(name), len(typed)) {
			found = append(found, near{name, cost})
		}
	}
	slices.SortStableFunc(found, func(a, b near) int { return cmp.Compare(a.cost, b.cost) })
	var out []string
	for _, f := range found[:min(n, len(found))] {
		out = append(out, f.name)
	}
	return out
}
