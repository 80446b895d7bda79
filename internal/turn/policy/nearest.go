package policy

import (
	"strings"

	"xbot/internal/turn/command/editdistance"
)

// nearest returns the known name that looks most like the given one, or "" if none does.
func nearest(name string, known []string) string {
	best, least := "", 1+max(1, len(name)/3)
	for _, k := range known {
		d := editdistance.Between(strings.ToLower(name), strings.ToLower(k))
		if len(name) > 2 && strings.HasPrefix(strings.ToLower(k), strings.ToLower(name)) {
			d = 1 // the end was left out
		}
		if d < least {
			best, least = k, d
		}
	}
	return best
}
