package toolset

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"xbot/internal/tool"
)

// Groups describes in one line which tools there are: github (41), memory (3).
func Groups(specs []tool.Spec) string {
	counts := map[string]int{}
	for _, s := range specs {
		counts[s.Group]++
	}
	var out []string
	for _, group := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, fmt.Sprintf("%s (%d)", group, counts[group]))
	}
	return strings.Join(out, ", ")
}

// List describes in lines which tools there are, by group, within about as many bytes. What does not fit is counted: github: list_issues, and 40
// more.
func List(specs []tool.Spec, room int) string {
	groups := map[string][]tool.Spec{}
	for _, s := range specs {
		groups[s.Group] = append(groups[s.Group], s)
	}
	var lines []string
	share := room / max(1, len(groups))
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		lines = append(lines, "- "+group+": "+named(groups[group], share-len(group)-4))
	}
	return strings.Join(lines, "\n")
}

// lineLength bounds the description of a tool in a list, in characters.
const lineLength = 80

// named lists tools with a line about each where all have room, else their names alone, and counts what has no room at all.
func named(specs []tool.Spec, room int) string {
	long := make([]string, len(specs))
	for i, s := range specs {
		long[i] = s.Name + " (" + tool.OneLine(firstSentence(s.Description), lineLength) + ")"
	}
	if text := strings.Join(long, "; "); len(text) <= room {
		return text
	}
	var names []string
	for i, s := range specs {
		if room -= len(s.Name) + 2; room < 0 {
			return strings.Join(append(names, fmt.Sprintf("and %d more", len(specs)-i)), ", ")
		}
		names = append(names, s.Name)
	}
	return strings.Join(names, ", ")
}

func firstSentence(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	first, _, _ := strings.Cut(line, ". ")
	return strings.TrimSuffix(first, ".")
}
