package tool

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/turn/command/editdistance"
)

// Registry finds tools by name. It does not change after New, so it needs no lock.
type Registry struct {
	tools []Tool   // sorted by name
	specs []Spec   // of the tools, in their order
	keys  []string // their folded names, in their order
}

// New makes a registry. It panics when two tools have the same name, or names that differ only in case and
// underscores: that is a mistake in the program.
func New(tools ...Tool) *Registry {
	r := &Registry{}
	for _, t := range tools {
		if !r.insert(t) {
			other, _ := r.Get(t.Spec().Name)
			panic(fmt.Sprintf("two tools are named %s and %s", other.Spec().Name, t.Spec().Name))
		}
	}
	return r
}

// insert adds a tool. It reports false if the name is taken.
func (r *Registry) insert(t Tool) bool {
	spec := t.Spec()
	key := fold(spec.Name)
	if slices.Contains(r.keys, key) {
		return false
	}
	at, _ := slices.BinarySearchFunc(r.specs, spec.Name, func(s Spec, name string) int { return strings.Compare(s.Name, name) })
	r.tools, r.specs, r.keys = slices.Insert(r.tools, at, t), slices.Insert(r.specs, at, spec), slices.Insert(r.keys, at, key)
	return true
}

// With returns a registry that has more tools, too. One whose name is taken is left out.
func (r *Registry) With(more ...Tool) *Registry {
	if len(more) == 0 {
		return r
	}
	out := &Registry{tools: slices.Clone(r.tools), specs: slices.Clone(r.specs), keys: slices.Clone(r.keys)}
	for _, t := range more {
		out.insert(t)
	}
	return out
}

// Where returns a registry of the tools for which wanted is true.
func (r *Registry) Where(wanted func(Spec) bool) *Registry {
	if !slices.ContainsFunc(r.specs, func(s Spec) bool { return !wanted(s) }) {
		return r
	}
	n := len(r.specs)
	out := &Registry{tools: make([]Tool, 0, n), specs: make([]Spec, 0, n), keys: make([]string, 0, n)}
	for i, spec := range r.specs {
		if wanted(spec) {
			out.tools, out.specs, out.keys = append(out.tools, r.tools[i]), append(out.specs, spec), append(out.keys, r.keys[i])
		}
	}
	return out
}

// Any reports whether there is a tool like this.
func (r *Registry) Any(like func(Spec) bool) bool { return slices.ContainsFunc(r.specs, like) }

// Has reports whether there is a tool of a name.
func (r *Registry) Has(name string) bool {
	_, ok := r.Get(name)
	return ok
}

// Specs returns the specs of all tools, sorted by name, so that prompts keep their prefix. Callers must not change
// the slice.
func (r *Registry) Specs() []Spec { return r.specs }

// Get returns the tool of a name. Case and underscores do not matter: a model that writes TodoWrite means todo_write.
func (r *Registry) Get(name string) (Tool, bool) {
	i := slices.Index(r.keys, fold(name))
	if i < 0 {
		return nil, false
	}
	return r.tools[i], true
}

// Name returns the name that a tool gives itself, however the model wrote it. A name that no tool has is returned as it is.
func (r *Registry) Name(name string) string {
	if t, ok := r.Get(name); ok {
		return t.Spec().Name
	}
	return name
}

// Class returns how calls of the named tool are scheduled. A name that no tool has is a read: its result is a
// sentence, and nothing is touched.
func (r *Registry) Class(name string) chat.ToolClass {
	if t, ok := r.Get(name); ok {
		return t.Spec().Class
	}
	return chat.ClassRead
}

// Quick reports whether calls of the named tool usually end within a second.
func (r *Registry) Quick(name string) bool {
	t, ok := r.Get(name)
	return ok && t.Spec().Quick
}

// Summary is Tool.Summary of the named tool; empty when there is none.
func (r *Registry) Summary(name, arguments string) string {
	if t, ok := r.Get(name); ok {
		return t.Summary(arguments)
	}
	return ""
}

// Run runs the named tool. A name that no tool has gives a result that names the tools nearest to it.
func (r *Registry) Run(ctx context.Context, name string, call Call) (chat.ToolResult, error) {
	if t, ok := r.Get(name); ok {
		return t.Run(ctx, call)
	}
	if len(r.specs) == 0 {
		return Fail("there is no tool named %q, and none at all in this session", Cut(name, 60)), nil
	}
	return Fail("there is no tool named %q; the nearest are %s", Cut(name, 60), strings.Join(r.nearest(name, 3), ", ")), nil
}

// nearest returns up to n tool names by edit distance from the given one, nearest first.
func (r *Registry) nearest(name string, n int) []string {
	name = fold(Cut(name, 60))
	names := make([]string, 0, len(r.specs))
	for _, spec := range r.specs {
		names = append(names, spec.Name)
	}
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(distance(name, fold(a)), distance(name, fold(b)))
	})
	return names[:min(n, len(names))]
}

// distance returns the number of edits between two names; a name that contains the other counts as close.
func distance(a, b string) int {
	if a != "" && (strings.Contains(a, b) || strings.Contains(b, a)) {
		return 1
	}
	return editdistance.Between(a, b)
}
