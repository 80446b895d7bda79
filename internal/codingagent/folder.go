package codingagent

import (
	"path"
	"strings"
)

// Inside reports whether every path lies in the folders that the turn may write, by its name alone. Relative paths belong
// to the working folder. Nothing at all is not inside.
func (t Turn) Inside(paths ...string) bool {
	if len(paths) == 0 {
		return false
	}
	for _, name := range paths {
		if !t.holds(name) {
			return false
		}
	}
	return true
}

func (t Turn) holds(name string) bool {
	if name == "" || t.Dir == "" {
		return false
	}
	if !path.IsAbs(name) {
		name = path.Join(t.Dir, name)
	}
	name = path.Clean(name)
	for _, dir := range append([]string{t.Dir}, t.AddDirs...) {
		dir = path.Clean(dir)
		if path.IsAbs(dir) && (name == dir || strings.HasPrefix(name, strings.TrimSuffix(dir, "/")+"/")) {
			return true
		}
	}
	return false
}
