package toolschema

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	"xbot/internal/chat"
)

// anything returns a schema that allows any value. Providers refuse one without a type.
func anything() map[string]any {
	return map[string]any{"anyOf": []any{
		map[string]any{"type": "string"}, map[string]any{"type": "number"}, map[string]any{"type": "boolean"}, map[string]any{"type": "object"},
	}}
}

// schema mends one schema. ok is false for one that allows nothing.
func (m *mender) schema(in any, p place) (out map[string]any, ok bool) {
	if m.nodes--; m.nodes < 0 {
		return anything(), true
	}
	switch v := in.(type) {
	case bool:
		return anything(), v
	case string: // {"properties":{"a":"string"}}
		return m.schema(map[string]any{"type": v}, p)
	case map[string]any:
		v, p = m.resolved(v, p)
		return m.described(v, m.typed(v, p)), true
	}
	return anything(), true
}

// described adds the title, the description and the default of a schema.
func (m *mender) described(in, out map[string]any) map[string]any {
	for _, key := range []string{"title", "description"} {
		if text, ok := in[key].(string); ok {
			out[key] = chat.Clean(text)
		}
	}
	if value, ok := in["default"]; ok && value != nil && size(value) <= 1000 {
		out["default"] = cleanValue(value)
	}
	return out
}

// typed returns the part of a schema that defines the allowed values.
func (m *mender) typed(in map[string]any, p place) map[string]any {
	kinds, null, ok := types(in["type"])
	if !ok {
		m.fail("its input schema is no JSON Schema: it has a type that does not exist")
		return anything()
	}
	alternatives := append(list(in["anyOf"]), list(in["oneOf"])...)
	if len(alternatives) > 0 {
		return m.alternatives(in, alternatives, p)
	}
	if len(kinds) == 0 {
		kinds = inferred(in)
	}
	null = null || in["nullable"] == true
	switch {
	case len(kinds) == 0 && null && in["type"] != nil:
		return map[string]any{"type": "null"}
	case len(kinds) == 0:
		return anything()
	case len(kinds) == 1 && !null:
		return m.ofType(kinds[0], in, p)
	}
	var out []any
	for _, kind := range kinds {
		out = append(out, m.ofType(kind, in, p))
	}
	if null {
		out = append(out, map[string]any{"type": "null"})
	}
	return map[string]any{"anyOf": out}
}

// alternatives merges anyOf or oneOf. Keywords on the same level apply to each alternative.
func (m *mender) alternatives(in map[string]any, all []any, p place) map[string]any {
	var out []any
	seen := map[string]bool{}
	for _, one := range all {
		if object, ok := one.(map[string]any); ok && in["type"] != nil && object["type"] == nil && object["$ref"] == nil {
			one = both(object, map[string]any{"type": in["type"], "properties": in["properties"], "items": in["items"]})
		}
		mended, ok := m.schema(one, p)
		if !ok {
			continue
		}
		flat := []any{mended}
		if inner, only := mended["anyOf"].([]any); only && len(mended) == 1 {
			flat = inner
		}
		for _, s := range flat {
			if key := fmt.Sprint(s); !seen[key] {
				seen[key] = true
				out = append(out, s)
			}
		}
	}
	out = oneEnum(out)
	switch len(out) {
	case 0:
		return anything()
	case 1:
		only, _ := out[0].(map[string]any)
		return maps.Clone(only)
	}
	return map[string]any{"anyOf": out}
}

// oneEnum merges alternatives that only list strings into one schema.
func oneEnum(all []any) []any {
	var allowed []any
	for _, one := range all {
		object, _ := one.(map[string]any)
		if object["type"] != "string" || len(object) != 2 || object["enum"] == nil {
			return all
		}
		for _, value := range list(object["enum"]) {
			if !slices.Contains(allowed, value) {
				allowed = append(allowed, value)
			}
		}
	}
	if len(allowed) == 0 {
		return all
	}
	return []any{map[string]any{"type": "string", "enum": allowed}}
}

// inferred returns the types of a schema that has none.
func inferred(in map[string]any) (kinds []string) {
	switch {
	case in["properties"] != nil || in["additionalProperties"] != nil || in["patternProperties"] != nil || len(list(in["required"])) > 0 && in["items"] == nil:
		return []string{"object"}
	case in["items"] != nil || in["prefixItems"] != nil || in["minItems"] != nil || in["maxItems"] != nil:
		return []string{"array"}
	}
	values := list(in["enum"])
	if value, ok := in["const"]; ok {
		values = []any{value}
	}
	for _, value := range values {
		if kind := kindOf(value); kind != "" && !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	switch {
	case len(kinds) > 0:
	case in["pattern"] != nil || in["minLength"] != nil || in["maxLength"] != nil || in["format"] != nil:
		return []string{"string"}
	case in["minimum"] != nil || in["maximum"] != nil || in["multipleOf"] != nil:
		return []string{"number"}
	}
	return kinds
}

func kindOf(value any) string {
	switch v := value.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case float64:
		if v == math.Trunc(v) {
			return "integer"
		}
		return "number"
	case map[string]any:
		return "object"
	case []any:
		return "array"
	}
	return ""
}

// ofType returns the keywords of a schema for one type.
func (m *mender) ofType(kind string, in map[string]any, p place) map[string]any {
	out := map[string]any{"type": kind}
	switch kind {
	case "object":
		properties, required := m.properties(in, p)
		if len(properties) > 0 || in["properties"] != nil {
			out["properties"] = properties
		}
		if len(required) > 0 {
			out["required"] = required
		}
		if additional, ok := m.additional(in, p); ok {
			out["additionalProperties"] = additional
		}
	case "array":
		out["items"] = m.items(in, p)
		counts(out, in, "minItems", "maxItems")
	case "string":
		counts(out, in, "minLength", "maxLength")
		text(out, in)
	case "integer", "number":
		bounds(out, in, kind)
	}
	values(out, in, kind)
	return out
}

// properties mends the properties of an object, and returns the required ones.
func (m *mender) properties(in map[string]any, p place) (properties map[string]any, required []string) {
	properties, required = map[string]any{}, []string{}
	given, ok := in["properties"].(map[string]any)
	if l, isList := in["properties"].([]any); !ok && in["properties"] != nil && (!isList || len(l) > 0) {
		m.fail("its input schema has properties that are no object")
	}
	wanted := texts(in["required"])
	for _, name := range slices.Sorted(maps.Keys(given)) {
		schema := given[name]
		if object, ok := schema.(map[string]any); ok && object["required"] == true { // as draft 3 writes it
			wanted = append(wanted, name)
		}
		mended, ok := m.schema(schema, p)
		if !ok {
			continue
		}
		if !slices.Contains(wanted, name) {
			mended = optional(mended)
		}
		properties[chat.Clean(name)] = mended
	}
	for _, name := range wanted {
		if name = chat.Clean(name); properties[name] != nil && !slices.Contains(required, name) {
			required = append(required, name)
		}
	}
	return properties, required
}

// optional removes null from the values of an optional property.
func optional(in map[string]any) map[string]any {
	all, ok := in["anyOf"].([]any)
	if !ok {
		return in
	}
	rest := slices.DeleteFunc(slices.Clone(all), func(s any) bool {
		object, _ := s.(map[string]any)
		return object["type"] == "null"
	})
	if len(rest) == 0 || len(rest) == len(all) {
		return in
	}
	out := maps.Clone(in)
	if len(rest) > 1 {
		out["anyOf"] = rest
		return out
	}
	delete(out, "anyOf")
	only, _ := rest[0].(map[string]any)
	for key, value := range only {
		if _, said := out[key]; !said {
			out[key] = value
		}
	}
	return out
}

// items mends the schema of the elements of an array. Providers take one for all.
func (m *mender) items(in map[string]any, p place) map[string]any {
	given := in["items"]
	if tuple, ok := in["prefixItems"].([]any); ok && len(tuple) > 0 {
		given = tuple
	}
	if tuple, ok := given.([]any); ok {
		if len(tuple) == 0 {
			return anything()
		}
		return m.alternatives(map[string]any{}, tuple, p)
	}
	if given == nil {
		return anything()
	}
	out, ok := m.schema(given, p)
	if !ok {
		return anything()
	}
	return optional(out)
}

// additional repairs additionalProperties.
func (m *mender) additional(in map[string]any, p place) (any, bool) {
	switch v := in["additionalProperties"].(type) {
	case bool:
		return v, true
	case map[string]any:
		if len(v) == 0 {
			return true, true
		}
		out, ok := m.schema(v, p)
		return out, ok
	case nil:
		patterns, _ := in["patternProperties"].(map[string]any)
		if len(patterns) == 1 && in["properties"] == nil {
			for _, v := range patterns {
				out, ok := m.schema(v, p)
				return out, ok
			}
		}
	}
	return nil, false
}

func (m *mender) fail(why string) {
	if m.why == "" {
		m.why = why
	}
}

func list(in any) []any {
	out, _ := in.([]any)
	return slices.Clip(out)
}

func size(value any) int {
	raw, err := json.Marshal(value)
	if err != nil {
		return math.MaxInt
	}
	return len(raw)
}

// cleanValue removes characters that Postgres cannot store from all texts of a value.
func cleanValue(value any) any {
	switch v := value.(type) {
	case string:
		return chat.Clean(v)
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = cleanValue(item)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			out[chat.Clean(key)] = cleanValue(item)
		}
		return out
	}
	return value
}
