// Package toolschema turns the input schemas of MCP tools into schemas that model providers accept: a provider that refuses one schema refuses the
// whole request. Schemas whose meaning is clear are mended. The server validates the arguments of a call itself, so a keyword that providers refuse
// is left out.
package toolschema

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"xbot/internal/chat"
)

const (
	maxBytes = 64 << 10
	maxDepth = 64
	// maxNodes limits the schemas within a schema, with those that references repeat.
	maxNodes = 4000
	// allReferences follows references as deeply as they are nested.
	allReferences = maxDepth
)

// Mend returns the schema of a tool's arguments in a form that providers accept, or the reason why there is none. in is decoded JSON; nil means a
// tool without arguments. Split separates the result into the schema for models and the names for calls.
func Mend(in any) (schema json.RawMessage, why string) {
	root, why := rootOf(in)
	if why != "" {
		return nil, why
	}
	if !shallow(root, maxDepth) {
		return nil, fmt.Sprintf("its input schema is nested more than %d times", maxDepth)
	}
	for _, references := range []int{allReferences, 3, 1, 0} { // fewer if the result is too large
		m := &mender{root: root, references: references, nodes: maxNodes}
		object := m.object(root)
		if m.why != "" {
			return nil, m.why
		}
		if m.nodes < 0 {
			continue
		}
		raw, err := json.Marshal(object)
		if err == nil && len(raw) <= maxBytes {
			return raw, fault(raw)
		}
	}
	return nil, fmt.Sprintf("its input schema has more than %d kB", maxBytes>>10)
}

// rootOf returns the schema as an object.
func rootOf(in any) (map[string]any, string) {
	switch v := in.(type) {
	case nil:
		return map[string]any{}, ""
	case map[string]any:
		if kinds, null, ok := types(v["type"]); !ok || len(kinds) > 0 && !slices.Contains(kinds, "object") || len(kinds) == 0 && null {
			return nil, "its input schema does not describe an object"
		}
		return v, ""
	case []any:
		if len(v) == 0 { // PHP encodes an empty object so
			return map[string]any{}, ""
		}
	}
	return nil, "its input schema is no JSON object"
}

func shallow(value any, depth int) bool {
	if depth == 0 {
		return false
	}
	switch v := value.(type) {
	case []any:
		return !slices.ContainsFunc(v, func(item any) bool { return !shallow(item, depth-1) })
	case map[string]any:
		for _, item := range v {
			if !shallow(item, depth-1) {
				return false
			}
		}
	}
	return true
}

// fault reports why a text is no JSON Schema; empty: it is one.
func fault(raw []byte) string {
	var s jsonschema.Schema
	err := json.Unmarshal(raw, &s)
	if err == nil {
		_, err = s.Resolve(nil)
	}
	if err != nil {
		return "its input schema is no JSON Schema: " + err.Error()
	}
	return ""
}

// mender mends one schema.
type mender struct {
	root       map[string]any
	references int // how deeply nested references are followed
	nodes      int // number of schemas that may still be visited
	why        string
}

// object mends the schema of the arguments as a whole.
func (m *mender) object(in map[string]any) map[string]any {
	var p place
	in = m.combined(in, p)
	properties, required := m.properties(in, p)
	properties, required, names := renamed(properties, required)
	out := map[string]any{"type": "object", "properties": properties}
	if len(required) > 0 {
		out["required"] = required
	}
	for _, key := range []string{"title", "description"} {
		if text, ok := in[key].(string); ok {
			out[key] = chat.Clean(text)
		}
	}
	if additional, ok := m.additional(in, p); ok {
		out["additionalProperties"] = additional
	}
	if len(names) > 0 {
		out[namesKey] = names
	}
	return out
}

// place is the list of references that lead to the current schema.
type place []string

// combined merges the references of a schema and all parts of allOf into it. Of the alternatives at the root, which providers refuse, every property
// remains, and is required if each alternative requires it.
func (m *mender) combined(in map[string]any, p place) map[string]any {
	out, p := m.resolved(in, p)
	for _, key := range []string{"anyOf", "oneOf"} {
		var alternatives map[string]any
		for _, part := range objects(out[key]) {
			part, _ = m.resolved(part, p) // without alternatives within alternatives
			if alternatives == nil {
				alternatives = part
			} else {
				alternatives = either(alternatives, part)
			}
		}
		out = both(out, alternatives)
	}
	return out
}

// both merges the properties of two schemas of which both hold.
func both(a, b map[string]any) map[string]any {
	if len(b) == 0 {
		return a
	}
	out := maps.Clone(b)
	maps.Copy(out, a)
	mergeProperties(out, a, b)
	if required := append(texts(a["required"]), texts(b["required"])...); len(required) > 0 {
		out["required"] = anys(required)
	}
	return out
}

// either merges the properties of two schemas of which one holds.
func either(a, b map[string]any) map[string]any {
	out := map[string]any{}
	mergeProperties(out, a, b)
	other := texts(b["required"])
	required := slices.DeleteFunc(texts(a["required"]), func(name string) bool { return !slices.Contains(other, name) })
	out["required"] = anys(required)
	return out
}

// mergeProperties merges the properties of two schemas. A property of both may match either schema.
func mergeProperties(out, a, b map[string]any) {
	first, _ := a["properties"].(map[string]any)
	second, _ := b["properties"].(map[string]any)
	if len(first)+len(second) == 0 {
		return
	}
	properties := maps.Clone(second)
	if properties == nil {
		properties = map[string]any{}
	}
	for name, schema := range first {
		if other, twice := properties[name]; twice && !same(other, schema) {
			schema = map[string]any{"anyOf": []any{schema, other}}
		}
		properties[name] = schema
	}
	out["properties"] = properties
}

func same(a, b any) bool {
	first, err := json.Marshal(a)
	second, err2 := json.Marshal(b)
	return err == nil && err2 == nil && string(first) == string(second)
}

// objects returns the elements of an array that are JSON objects.
func objects(in any) (out []map[string]any) {
	list, _ := in.([]any)
	for _, item := range list {
		if object, ok := item.(map[string]any); ok {
			out = append(out, object)
		}
	}
	return out
}

func texts(in any) (out []string) {
	list, _ := in.([]any)
	for _, item := range list {
		if text, ok := item.(string); ok && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

func anys(in []string) []any {
	out := make([]any, len(in))
	for i, text := range in {
		out[i] = text
	}
	return out
}
