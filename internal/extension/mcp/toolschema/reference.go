package toolschema

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// resolved returns a schema with its references and all parts of allOf merged into it. A reference that leads back to itself, outside of the
// schema or nowhere allows anything.
func (m *mender) resolved(in map[string]any, p place) (map[string]any, place) {
	out := maps.Clone(in)
	for _, key := range []string{"$ref", "$dynamicRef"} {
		to, ok := out[key].(string)
		if !ok {
			continue
		}
		delete(out, key)
		target := m.find(to)
		if target == nil || slices.Contains(p, to) || len(p) >= m.references {
			continue
		}
		target, p = m.resolved(target, append(slices.Clip(p), to))
		out = both(out, target)
	}
	all := objects(out["allOf"])
	delete(out, "allOf")
	for _, part := range all {
		m.nodes--
		if m.nodes < 0 {
			break
		}
		part, p = m.resolved(part, p)
		out = both(out, part)
	}
	return out, p
}

// find returns the schema that a reference within the document names, or nil if there is none.
func (m *mender) find(reference string) map[string]any {
	pointer, local := strings.CutPrefix(reference, "#")
	if !local {
		return nil
	}
	var at any = m.root
	if pointer == "" {
		return m.root
	}
	if !strings.HasPrefix(pointer, "/") {
		return nil // an anchor
	}
	for step := range strings.SplitSeq(pointer[1:], "/") {
		step = strings.NewReplacer("~1", "/", "~0", "~", "%24", "$", "%20", " ").Replace(step)
		switch v := at.(type) {
		case map[string]any:
			at = v[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(v) {
				return nil
			}
			at = v[i]
		default:
			return nil
		}
	}
	found, _ := at.(map[string]any)
	return found
}
