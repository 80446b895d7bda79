package role

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
)

//go:embed builtin/*.md
var builtin embed.FS

// Builtin returns the roles that come with the program.
var Builtin = sync.OnceValue(func() []Role {
	files, err := fs.Sub(builtin, "builtin")
	if err != nil {
		panic(err) // the folder is embedded above
	}
	roles, broken, err := Dir(files)
	if err != nil || len(broken) > 0 {
		panic(fmt.Sprintf("roles of the program: %v %v", err, broken))
	}
	for i := range roles {
		roles[i].From = ""
	}
	return roles
})

// Broken is a file that is no role.
type Broken struct {
	File string
	Why  string // one sentence
}

// maxRoles limits the files of one folder that are read.
const maxRoles = 100

// Dir reads the roles of a folder: its Markdown files. A role without a name has that of its file.
// Files that cannot be read as roles are returned as broken.
func Dir(root fs.FS) (roles []Role, broken []Broken, err error) {
	files, err := fs.Glob(root, "*.md")
	if err != nil {
		return nil, nil, err
	}
	for _, file := range files[:min(len(files), maxRoles)] {
		data, err := fs.ReadFile(root, file)
		if err != nil {
			broken = append(broken, Broken{file, err.Error()})
			continue
		}
		r, err := Parse(data, Fallback(file))
		if err != nil {
			broken = append(broken, Broken{file, err.Error()})
			continue
		}
		r.From = file
		roles = append(roles, r)
	}
	return roles, broken, nil
}

// Fallback returns the name of a role whose file has none.
func Fallback(file string) string { return strings.TrimSuffix(path.Base(file), ".md") }

// Merge merges levels, the strongest last: a role replaces those of its name. The result is sorted by name.
func Merge(levels ...[]Role) []Role {
	byName := map[string]Role{}
	for _, level := range levels {
		for _, r := range level {
			byName[strings.ToLower(r.Name)] = r
		}
	}
	out := make([]Role, 0, len(byName))
	for _, r := range byName {
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b Role) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// Find returns the role of a name, in any case.
func Find(roles []Role, name string) (Role, bool) {
	i := slices.IndexFunc(roles, func(r Role) bool { return strings.EqualFold(r.Name, strings.TrimSpace(name)) })
	if i < 0 {
		return Role{}, false
	}
	return roles[i], true
}
