package command

import (
	"cmp"
	"slices"
	"strings"
)

// Nearest returns the names, at most n, that look most like what was typed, best first: those that begin with it, those that
// it begins with, and those in which few letters differ.
func Nearest(typed string, names []string, n int) []string {
	typed = strings.ToLower(typed)
	type near struct {
		name string
		cost int
	}
	var found []near
	for _, name := range names {
		cost := distance(typed, name)
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

// distance counts the letters to add, take away, change or swap with their neighbour to make one word of another.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			change := 1
			if a[i] == b[j] {
				change = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+change)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
