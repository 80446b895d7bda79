package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// reasonLimit is how many reasons of skipped tests are printed.
const reasonLimit = 4

// printSummary prints in three lines which tests ran, which did not, and why not. omitted are tests that no stage knows, with
// the reasons.
func printSummary(w io.Writer, stages []stage, omitted, reasons []string) error {
	var ran, packages, cached, skipped, attacks int
	counts := map[string]int{}
	for _, s := range stages {
		ran += s.run
		packages += s.packages
		cached += s.cached
		skipped += len(s.skipped)
		attacks += s.attacks
		for _, reason := range s.skipped {
			counts[reason]++
		}
	}
	if skipped > 0 {
		omitted = append([]string{fmt.Sprintf("%d skipped tests", skipped)}, omitted...)
	}
	_, err := fmt.Fprintf(w, "Ran:     %d tests of %d packages, %d of them scripted attacks, %d tests from the cache.\nNot run: %s.\nReasons: %s.\n",
		ran, packages, attacks, cached, list(omitted), list(append(frequent(counts), reasons...)))
	return err
}

// frequent returns the most frequent reasons with their counts.
func frequent(counts map[string]int) []string {
	reasons := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
	})
	var out []string
	others := 0
	for i, reason := range reasons {
		if i < reasonLimit {
			out = append(out, fmt.Sprintf("%s (%d)", reason, counts[reason]))
		} else {
			others += counts[reason]
		}
	}
	if others > 0 {
		out = append(out, fmt.Sprintf("others (%d)", others))
	}
	return out
}

func list(parts []string) string {
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, "; ")
}
