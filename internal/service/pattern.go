package service

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/bmatcuk/doublestar/v4"

	"xbot/internal/fault"
)

// folders is the part of a pattern that matches any number of folders.
const folders = "**"

// Allows reports whether a list of patterns allows a file, by its path below the folder that the list is about, with slashes. ** as a part
// matches any number of folders, and * anything within a name, as in the tool Glob; * alone matches everything. No pattern: nothing.
func Allows(patterns []string, file string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		next := along(pattern, file)
		return next[len(next)-1]
	})
}

// AllowsBelow reports whether a list of patterns may allow files in a folder, or in folders below it. The folder that the list is about is
// empty.
func AllowsBelow(patterns []string, folder string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		next := along(pattern, folder)
		return slices.Contains(next[:len(next)-1], true)
	})
}

// along goes along a pattern with a path, and returns which parts of the pattern the name behind the path can be. The last one means that the
// path can end there. It looks at each part once for each name, so that no pattern and no path makes it slow.
func along(pattern, file string) []bool {
	parts := partsOf(pattern)
	next := make([]bool, len(parts)+1)
	next[0] = true
	withoutFolders(parts, next)
	for name := range strings.SplitSeq(strings.Trim(path.Clean("/"+file), "/"), "/") {
		if name == "" {
			break // it is the folder itself
		}
		behind := make([]bool, len(next))
		for i, part := range parts {
			switch {
			case !next[i]:
			case part == folders:
				behind[i] = true
			case matches(part, name):
				behind[i+1] = true
			}
		}
		withoutFolders(parts, behind)
		next = behind
	}
	return next
}

// withoutFolders also steps over each ** that comes next: it may match no folder.
func withoutFolders(parts []string, next []bool) {
	for i, part := range parts {
		if next[i] && part == folders {
			next[i+1] = true
		}
	}
}

func partsOf(pattern string) []string {
	pattern = strings.TrimPrefix(strings.TrimSpace(pattern), "/")
	if pattern == "*" {
		return []string{folders}
	}
	return strings.Split(pattern, "/")
}

func matches(part, name string) bool {
	return !broken(part) && doublestar.MatchUnvalidated(part, name)
}

// broken reports that a text is no part of a pattern. Alternatives in braces are not supported: each is a separate pattern.
func broken(part string) bool {
	return part == "" || part == "." || part == ".." || strings.ContainsAny(part, "{}") || !doublestar.ValidatePattern(part)
}

// patterns refuses a pattern that allows nothing, or something else than it seems to.
func patterns(what string, list []string) ([]string, error) {
	if len(list) > MaxPatterns {
		return nil, fault.Errorf(fault.Invalid, "%s has at most %d patterns", what, MaxPatterns)
	}
	out := make([]string, len(list))
	for i, p := range list {
		out[i] = strings.TrimPrefix(strings.TrimSpace(p), "/")
		if len(out[i]) > maxPattern || strings.ContainsFunc(out[i], unicode.IsControl) || slices.ContainsFunc(partsOf(out[i]), broken) {
			return nil, fault.Errorf(fault.Invalid, "%s: %q is no pattern of paths, such as *, guide.md, faq/*.md, faq/** or **/*.md", what, p)
		}
	}
	return out, nil
}
