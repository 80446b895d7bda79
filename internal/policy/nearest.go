package policy

import "strings"

// nearest returns the known name that looks most like the given one, or "" if none does.
func nearest(name string, known []string) string {
	best, least := "", 1+max(1, len(name)/3)
	for _, k := range known {
		d := distance(strings.ToLower(name), strings.ToLower(k))
		if len(name) > 2 && strings.HasPrefix(strings.ToLower(k), strings.ToLower(name)) {
			d = 1 // the end was left out
		}
		if d < least {
			best, least = k, d
		}
	}
	return best
}

// distance counts the letters to add, remove, change or swap with their neighbour to make one word of another.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
