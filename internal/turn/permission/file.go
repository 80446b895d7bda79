package permission

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// file is the parsed path of a call. Links are not followed: only the runner knows the target of a path.
type file struct {
	absolute string // empty: it cannot be determined
	relative string // to the working folder; empty: it is not in it, or that cannot be determined
	placed   bool   // the working folder is known
}

func readPath(name, cwd string) file {
	out := file{placed: path.IsAbs(cwd)}
	switch clean := path.Clean(name); {
	case strings.TrimSpace(name) == "" || strings.HasPrefix(name, "~"):
	case path.IsAbs(clean):
		out.absolute = clean
		if below, ok := strings.CutPrefix(clean, strings.TrimSuffix(path.Clean(cwd), "/")+"/"); ok && out.placed {
			out.relative = below
		}
	default:
		if out.placed {
			out.absolute = path.Join(cwd, clean)
		}
		if clean != ".." && !strings.HasPrefix(clean, "../") {
			out.relative = clean
		}
	}
	return out
}

func (f file) allowed(patterns []string) bool {
	for _, p := range patterns {
		if name := f.against(p); name != "" && matches(p, name) {
			return true
		}
	}
	return false
}

// touches compares ignoring case, as some file systems do.
func (f file) touches(pattern string) (yes, unsure bool) {
	name := f.against(pattern)
	if name == "" {
		return false, f.absolute == "" || !f.placed
	}
	return matches(strings.ToLower(pattern), strings.ToLower(name)), false
}

// offer returns the folder of the file, or the file itself if that is the working folder or outside of it.
func (f file) offer([]string) []string {
	switch folder := path.Dir(f.relative); {
	case f.relative == "" && f.absolute == "", strings.ContainsFunc(f.relative+f.absolute, unseen):
		return nil
	case f.relative == "":
		return []string{literal(f.absolute)}
	case folder == ".":
		return []string{literal(f.relative)}
	default:
		return []string{literal(folder) + "/**"}
	}
}

// against returns the form of the path that a pattern is written for.
func (f file) against(pattern string) string {
	if path.IsAbs(pattern) {
		return f.absolute
	}
	return f.relative
}

func matches(pattern, name string) bool {
	ok, err := doublestar.Match(pattern, name)
	return ok && err == nil
}

// literal escapes a name so that a pattern matches it alone.
func literal(name string) string { return wildcards.Replace(name) }

// wildcards escapes the special characters of a pattern.
var wildcards = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "{", `\{`)
